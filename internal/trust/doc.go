// Package trust holds no code: it is the roof of the packages that look for faults in this module.
// Only tests and the soak in bench import them. Each answers one question.
//
// # simulate: is every run on time, and does every task have one end?
//
// It runs random workloads in virtual time, where time passes only when nothing can run, so that
// lateness is exact. Oracles know when each run is due, in which order tasks begin, and which
// outcomes are possible; a model counts the runs of series; programs check that tasks may wait for
// each other.
//
// The kind retry plays short lives of executors whose tasks are tried again, and ends them in any
// phase; the kind control gives series commands, also against each other.
//
// It varies facility, configuration, operations, times on a grid of a millisecond, how bodies end,
// callbacks that misbehave, and the schedule at the points of package delay. It does not vary the
// clock between two steps of the grid, and in a bubble all the work of an instant is done before
// time moves on: what depends on a slow processor it cannot see. Its second half, Years, runs
// periodic work for decades, which may neither drift nor let the heap grow.
//
// # pairs: do any two features mean together what they mean apart?
//
// It draws every feature that the executors export: options, fields of observers, ways in,
// commands, and what bodies and callbacks may do; and every two of them so that both have an effect
// on the same task. The oracle checks rules, not predictions, and compares all figures with each
// other. A test derives the list of features from the sources, so what is new and has no generator
// fails.
//
// It varies what there is, and little of how much: a life has some ten tasks and a tenth of a
// second. In which order tasks of one instant begin it leaves to the others.
//
// # history: could a correct object have answered so?
//
// It records what a few clients do to one delay queue, pool or future at the same time, and has
// porcupine search for an order in which a sequential model gives the same answers. The clock is
// part of the model, as bounds on deadlines.
//
// It varies operations, delays, capacity, and when an object is shut down. Histories are short, a
// few clients with some ten operations each, as the search is exponential. It knows Withdraw, and
// Reset of what runs once, but neither series nor their commands, loops, timers, rejection
// policies, or priorities.
//
// # litmus: can two operations that meet end in a way they must not?
//
// It races pairs of operations against each other within nanoseconds, millions of times, and grades
// the outcome of every round. An acceptable outcome that never shows fails as well: then the race
// has missed the window that it is for.
//
// It varies the distance of the two and the kind of pool or wheel. What is raced is listed by hand:
// a pair that nobody thought of is not there.
//
// # chaos: does anything hang, leak or get lost when everything happens at once?
//
// Many goroutines do everything to one facility on the real clock, until it is shut down in the
// middle. It is the one that is best under the race detector.
//
// It varies everything at random, and checks little: one end for each task, nothing early, counts
// that agree, no hang. It cannot tell whether anything was late.
//
// # shards: does each order of the steps give the answers of one lock?
//
// It is a model of the queue with many locks that is planned, not of code that ships: actors submit,
// take, cancel and list, each step of theirs touches one shared word, and every order of them
// is tried. The judge is a queue with one lock. Seventeen faults are planted, and found.
//
// It varies the order of the steps, and nothing else: each scenario is written by hand, with two or
// three actors of one or two calls. Memory is sequentially consistent, as Go's atomics are.
//
// # How to run them
//
// The short set is a part of go test ./... and takes seconds. The long set:
//
//	PUNCTUAL_SEEDS=10000 go test -timeout 0 ./internal/trust/simulate ./internal/trust/history ./internal/trust/pairs
//	PUNCTUAL_LITMUS=1000000 go test -race -timeout 0 ./internal/trust/litmus
//	PUNCTUAL_STRESS=5m go test -race -timeout 0 ./internal/trust/chaos
//	go -C bench run ./soak -for 10m
//
// The soak runs all of them for as long, or for as many operations, as it is told, with a table at
// the end. A flag -seed gives it work that it has not done before.
//
// # Where the seed of a bug goes
//
// A fault is reported with its seed. The seed fixes what is done, but not how goroutines
// interleave, so it may take many runs:
//
//	PUNCTUAL_FIRST_SEED=4711 PUNCTUAL_SEEDS=1 go test -count 1000 ./internal/trust/simulate
//	go -C bench run ./soak -replay FILE
//
// The soak keeps a failing history, or the job with its seed, as a file for -replay. Neither seed
// nor file stays as a test: a change of a generator gives the seed another meaning. What stays is a
// small test beside the code at fault that fails without the fix, with a point of package delay if
// it takes one; and, if none of them could have found the bug, the generator, pair or oracle
// that would have.
//
// # The rest
//
// Package lifo is a queue of the user's own, and package watchdog ends a process that hangs.
package trust
