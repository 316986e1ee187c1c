// Package timer holds what all timer facilities of this module have in common: the contract
// [Scheduler], which package timertest checks; periodic work on top of it, [AtFixedRate] and
// [WithFixedDelay]; and the classic [Timer] of java.util, which shows where it all began.
//
//	var s timer.Scheduler = hashedwheel.New(timer.Config{Tick: 10 * time.Millisecond})
//	idle := s.AfterFunc(30*time.Second, conn.Close)
//	idle.Reset(30 * time.Second)                                // there was traffic
//	beat, err := timer.AtFixedRate(s, 0, time.Second, heartbeat)
//
// # The facilities compared
//
// With n functions pending, of which b are in one slot, and m levels:
//
//	                      kept in                         arm          stop       a tick costs
//	Runtime               a heap per processor            O(log n)     O(1) [1]   O(log n) per function
//	Timer                 one heap                        O(log n)     O(1) [1]   O(log n) per function
//	delayqueue            one heap                        O(log n)     O(log n)   O(log n) per element
//	executor/eventloop    queue, then a heap of its own   O(1) [2]     O(1) [2]   O(log n) per task
//	hashedwheel           one array of lists              O(1)         O(1)       O(b), other turns included
//	hierarchical          m arrays of lists, a heap       O(m) [3]     O(1) [3]   each function moves at most m times
//	revolver              one array of arrays             O(1)         O(1)       O(b), 16 bytes read for each
//
//	                      late, in an idle process        wakes idle   stop gives back
//	Runtime               up to about 1 ms                not counted  cannot be stopped
//	Timer                 as Runtime                      not counted  nothing: what is queued is lost
//	delayqueue            some tens of µs on Linux        not counted  everything stays in the queue
//	executor/eventloop    some tens of µs on Linux        never        the tasks, their futures settled
//	hashedwheel           up to a tick, then as Runtime   never        handles
//	hierarchical          up to a tick, then as Runtime   never        handles
//	revolver              up to a tick, then as Runtime   never        handles, or runs those asked for
//
// [1] What was stopped stays for a while: in Timer until its time comes or Purge, in the runtime until
// enough has gathered. [2] For the caller; the loop does the work in O(log n) when it comes by. [3] And
// O(log s) in the s slots in use for the first, and the last, of a slot.
//
// None of them is early. That, the lateness of the wheels, and that a day with one far function costs
// no wake-up but for that function, is checked by package timertest, exactly, in virtual time. What
// arming, stopping and expiring cost, and how late all are on a real clock, is measured by the command
// timers of the nested module bench, and stands in the README.
//
// # Which one
//
// time.AfterFunc is a good timer: it scales, and needs no other. A wheel is for very many time-outs
// that are nearly always stopped: there it costs a half to two thirds, its cost does not grow with
// their number, it can bound and count them, calls what is due in order and on an executor, and gives
// everything back at the end. Among wheels, the hashed one is the simplest, and good as long as most
// delays are shorter than a turn; the revolver bears many more per slot; the hierarchical one does not
// mind delays of any length. An event loop is for tasks that share state without locks, a ScheduledPool
// of package executor for work: futures, errors, more than one worker. Nobody needs the classic Timer.
package timer
