// Package shards is a queue of many locks, as a model of a page: the words that goroutines share,
// and what they do to them step by step. Its tests try every order of the steps, and compare the
// answers with those of a queue with one lock. docs/many-cores.md has the design that it checks, and
// says what of that package runqueue has.
package shards
