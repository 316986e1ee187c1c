// Package wheel is what the timing wheels of this module have in common: everything except the
// structure in which timers wait for their tick, which is a [Dial].
//
// # Overview
//
// A timer goes one way. Whoever arms it pushes it onto the intake, which takes no lock. Whoever
// takes the lock next moves it into the dial. The turn takes it out when its tick has come, and
// hands it to the executor.
//
//	AfterFunc ──► intake ──► dial ──► batch ──► executor
//	              no lock    lock     turn      user code
//
// A wheel has no goroutine and does not tick. Its alarm, one timer of the Go runtime, is set to the
// first tick that has anything in it. When the alarm rings, a goroutine makes one turn, over all
// ticks that are due, and ends. So empty ticks cost nothing, a wheel without timers costs nothing,
// and one that nobody refers to any more leaves nothing behind.
//
// # Ticks
//
// Tick n is due n ticks after the wheel was made. A timer belongs to the first tick that is not
// before its deadline, so it is never early, and less than a tick late. It keeps that tick: the
// count has 64 bits and does not wrap, and nothing is counted down on the way. A timer without a
// delay belongs to the current tick and is due at once.
//
// Ticks are taken in order, and timers of one tick in order of their deadlines, then of arming.
//
// # Who may touch what
//
// One word decides what becomes of a timer; see its state. That a timer is in the intake, in the
// dial or in a batch is only a hint: whoever takes it out must look at the word. The lock guards
// the dial and the times of a timer. It is never held while user code runs, and a turn lets go of
// it after each piece of its work.
package wheel
