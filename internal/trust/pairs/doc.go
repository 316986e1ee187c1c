// Package pairs draws every feature of the executors together with every other, and checks that any
// two mean together what their documentation says of each. It is for tests and for the soak in
// bench.
//
// A feature is whatever a user can ask for: an option, a field of an observer, a way to submit a
// task, a command, a way in which a body or a callback behaves, a way to end a pool. The list of
// them is compared with the exported API by a test, so a new option without a generator fails it.
//
// # A life
//
// A seed makes a program: an executor in virtual time with its options, tasks, commands and an end.
// The seed also picks the two features that the program is about, its focus, and shapes it so that
// both probably have an effect on the same task. The life of the executor is recorded: what was
// called, what observers and callbacks saw, when bodies began and ended, and what became of the
// futures.
//
// A pair counts in a life only if both features have had an effect on the same task, or one of them
// on its executor while the task was alive. An effect is something that the record shows: for a
// gap, a successor that began later because of it; for a pause, something due that waited.
//
// # The oracle
//
// After each life the record is checked against rules of its own: nothing begins early, no series
// and no lane overlaps itself, every task has one end, limits hold, a shutdown ends, and all
// figures agree with each other and with the record.
//
// A program that fails is printed with its seed, after everything has been dropped that it does not
// need to fail.
package pairs
