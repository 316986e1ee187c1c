// Package history records what goroutines do to one object at the same time, and checks that the
// answers are linearizable. It is for tests and the soak.
//
// A history is linearizable if each operation seems to happen at one instant between its call and
// its return, and the answers are those of an obvious, sequential model; porcupine looks for such
// instants. Calls and returns are stamped by one counter, which orders them, and by the clock,
// which bounds the times of what is to happen later.
//
// # Models
//
// The delay queue reads the clock itself, so an element's deadline is not known, but bounded: the
// state of its model is a set of inequalities; see zone.go.
//
// A pool is seen by those who submit, cancel and shut down, and by the bodies it runs. A body shows
// when it has begun and when it is about to return, and nothing else of a worker can be seen: the
// task was taken at some instant between its submission and the begin of the body; the worker is
// free again at some instant after its end. Both are operations of the model, which knows when
// there is room; see pool.go.
//
// A future is settled by one of many who try. A completion takes two steps, of which others may see
// the first; see future.go.
//
// An operation of which the doc comment of the object promises that it happens in two steps is two
// operations of the model with the same call and return, so nothing that is right is found wrong.
// What a model leaves open for want of knowledge it allows.
package history
