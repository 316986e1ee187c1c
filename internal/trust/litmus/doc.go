// Package litmus races two operations of this module against each other, some millions of times,
// and looks at how each race has ended. It is the method of OpenJDK's jcstress: for every pair the
// outcomes are listed and graded. A forbidden one is a bug; one that is acceptable and never shows
// means that there has been no race.
//
// # How a race is run
//
// Rounds come in batches. The states of a batch are prepared in advance, so that they can follow
// each other within nanoseconds; then two or more actors, each on a goroutine of its own, go
// through all rounds, and each does its part. They meet every few rounds, how many differs from
// batch to batch, and pause for some random steps in between, so that the one is now a little ahead
// and now the other. When all have done their part of the batch, the outcome of each round is
// judged. Who waits in a race, waits in a round: one that never ends is found by a watchdog, which
// ends the process.
//
// A seed fixes what the actors do, and neither when nor in which order.
//
// # What an oracle may use
//
// What each actor has been told, which it alone writes; what the facility says when all is over;
// and counts that both must agree on. An outcome that can be told from the answers of one round is
// an outcome; counts that only a whole batch can settle are an audit, and one that does not come
// out is a fault like any forbidden outcome.
//
// # Edges
//
// Beside the pairs, the tests of this package check what happens before what, line by line of the
// comment of package executor. There nothing is raced: what is handed over along an edge is a plain
// variable, and the race detector is the oracle.
//
// The package is for tests: those of its own, which run some thousand rounds of each pair, and a
// runner that goes on for millions.
package litmus
