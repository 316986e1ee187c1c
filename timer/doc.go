// Package timer holds what all timer facilities of this module have in common: the contract
// [Scheduler], which package timertest checks; periodic work on top of it, [AtFixedRate] and
// [WithFixedDelay]; and the classic [Timer] of java.util, which shows where it all began.
//
//	var s timer.Scheduler = hashedwheel.New(timer.Config{})
//	idle := s.AfterFunc(30*time.Second, conn.Close)
//	idle.Reset(30 * time.Second)                                // there was traffic
//	beat, err := timer.AtFixedRate(s, 0, time.Second, heartbeat)
//
// # The facilities compared
//
// With n functions pending, of which b are in one slot, m levels, and s slots in use:
//
//	                    kept in                        arm        stop      expire
//	Runtime             a heap per processor           O(log n)   O(1) [1]  O(log n) each
//	Timer               one heap                       O(log n)   O(1) [1]  O(log n) each
//	delayqueue          one heap                       O(log n)   O(log n)  O(log n) each
//	executor/eventloop  a queue, then its own heap     O(1) [2]   O(1) [2]  O(log n) each
//	hashedwheel         one array of lists             O(1)       O(1)      O(b) a tick, other turns too
//	hierarchical        m arrays of lists, and a heap  O(m) [3]   O(1) [3]  moved at most m times
//	revolver            one array of arrays            O(1)       O(1)      O(b) a tick, 16 bytes each
//
//	                    late in an idle process        wakes idle   stop gives back
//	Runtime             about 1 ms                     not counted  cannot be stopped
//	Timer               about 1 ms                     never        nothing: what is queued is lost
//	delayqueue          some tens of µs on Linux       not counted  the elements stay in the queue
//	executor/eventloop  some tens of µs on Linux       never        the tasks, their futures settled
//	hashedwheel         a tick, and that of Runtime    never        handles
//	hierarchical        a tick, and that of Runtime    never        handles
//	revolver            a tick, and that of Runtime    never        handles, or runs those asked for
//
// [1] What was stopped stays for a while: in Timer until its time comes or Purge, in the runtime until
// enough has gathered. [2] For the caller; the loop does the work in O(log n) when it comes by. [3] And
// O(log s) for the first, and the last, of a slot.
//
// None of them is early. "Never" means that 24 hours in which nothing is due cost no wake-up. Both, and
// the lateness of the wheels, are tested exactly, in virtual time. What arming, stopping and expiring
// cost, and how late all are on a real clock, is measured by the command timers of the nested module
// bench.
//
// # How to end it
//
//	Timer.Cancel                             drops what is queued; Err then tells
//	hashedwheel, hierarchical, revolver:
//	    Wheel.Close                          returns what was pending
//	revolver: Wheel.CloseFunc                returns what was pending, or runs it, as asked
//	Series.Stop                              ends one series; do that before its facility
//	executor: Shutdown, ShutdownNow, Close   as in java.util.concurrent
//
// # Which one
//
// time.AfterFunc is a good timer: it scales, and few programs need another. A wheel is for very many
// time-outs that are nearly always stopped: it costs less than the runtime, however many they are, can
// bound and count them, calls what is due in order and on an executor, and gives everything back at the
// end. A delay queue costs no more, and is exact, where somebody is there to take from it. Among
// wheels, the hashed one is the simplest, and good as long as most delays are shorter than a turn; the
// revolver bears many more per slot; the hierarchical one does not mind delays of any length. An event
// loop is for tasks that share state without locks, a ScheduledPool of package executor for work:
// futures, errors, more than one worker. Nobody needs the classic Timer.
package timer
