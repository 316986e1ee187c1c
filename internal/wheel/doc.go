// Package wheel is what the timing wheels of this module have in common: everything but the
// structure in which timers wait, which is a [Dial].
//
// # Overview
//
// A timer goes one way: whoever arms it pushes it on the intake, which takes no lock; whoever holds
// the lock next moves it into the dial; the turn takes it out when its tick has come, and hands it
// to the executor.
//
//	AfterFunc ──► intake ──► dial ──► batch ──► executor
//	              no lock    lock     turn      user code
//
// A wheel has no goroutine and does not tick. Its alarm, one timer of the Go runtime, is set to the
// first tick that has anything in it; when it rings, a goroutine makes one turn, over all ticks that
// are due, and ends. Empty ticks cost nothing, a wheel without timers costs nothing, and
// one that is dropped leaves nothing behind.
//
// # Ticks
//
// Tick n is due n ticks after the wheel was made. A timer belongs to the first tick that is not
// before its deadline, so it is never early and less than a tick late, and never changes its tick:
// a count of 64 bits does not wrap, and nothing has to be counted down on the way. A timer
// without delay belongs to the present tick, and is due at once.
//
// Ticks are taken in order, and timers of one tick in the order of their deadlines, then of their
// arming.
//
// # Who may touch what
//
// One word decides about a timer, see [Timer]. Being in the intake, in the dial or in a batch is a
// hint: whoever takes a timer out of there looks at the word. The lock guards the dial and the times of
// a timer. It is not held while user code runs, and a turn holds it for a piece of its work at a time.
package wheel
