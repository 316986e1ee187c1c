// Package timer is what the timer facilities of this module have in common: the contract
// [Scheduler], which package timertest checks; periodic calls on top of it, [AtFixedRate] and
// [WithFixedDelay]; and [Timer], the classic java.util.Timer.
//
//	var s timer.Scheduler = hashedwheel.New(timer.Config{})
//	idle := s.AfterFunc(30*time.Second, conn.Close)
//	idle.Reset(30 * time.Second)                                // there was traffic
//	beat, err := timer.AtFixedRate(s, 0, time.Second, heartbeat)
//
// # Words
//
// A facility is anything that calls functions later: a wheel, a Timer, the Go runtime. To arm a
// function is to ask for one call of it; AfterFunc and Reset do. It is pending until it begins, is
// stopped or is refused, and due when its time has come. An arming is one such request.
//
// # The facilities compared
//
// With n functions pending, of which b are in one slot, m levels, and s slots in use:
//
//	                    kept in                        arm       stop      expire
//	Runtime             a heap per processor           O(log n)  O(1) [1]  O(log n) each
//	Timer               one heap                       O(log n)  O(1) [1]  O(log n) each
//	delayqueue          one heap                       O(log n)  O(log n)  O(log n) each
//	executor/eventloop  a queue, then its own heap     O(1) [2]  O(1) [2]  O(log n) each
//	hashedwheel         one array of lists             O(1)      O(1)      O(b) a tick [4]
//	hierarchical        m arrays of lists, and a heap  O(m) [3]  O(1) [3]  at most m moves each
//	revolver            one array of arrays            O(1)      O(1)      O(b) a tick [4]
//
//	                    late in an idle process    wakes idle   closing it gives back
//	Runtime             about 1 ms                 not counted  cannot be closed
//	Timer               about 1 ms                 never        nothing: what is queued is lost
//	delayqueue          some tens of µs on Linux   not counted  the elements stay in the queue
//	executor/eventloop  some tens of µs on Linux   never        the tasks, their futures settled
//	hashedwheel         a tick, and as Runtime     never        handles
//	hierarchical        a tick, and as Runtime     never        handles
//	revolver            a tick, and as Runtime     never        handles, or runs those asked for
//
// [1] What was stopped stays for a while: in a Timer until its time comes or Purge is called, in
// the runtime until enough of it has gathered.
// [2] For the caller. The loop does the work, in O(log n), when it next looks.
// [3] Plus O(log s) for the first function of a slot, and for the last to leave it.
// [4] A function whose tick is on a later turn of the wheel is looked at too: in a hashedwheel at
// the price of a cache miss, in a revolver of 16 bytes read.
//
// None of them is early. "Never" means that in 24 hours in which nothing is due it does not wake
// once. Both, and the lateness of the wheels, are tested exactly, in virtual time. The command
// timers of the nested module bench measures what arming, stopping and expiring cost, and how late
// each is on a real clock.
//
// # How to end it
//
//	Timer.Cancel                             drops what is queued; Err tells
//	hashedwheel, hierarchical, revolver:
//	    Wheel.Close                          returns what was pending
//	revolver: Wheel.CloseFunc                returns what was pending, or runs it, as you decide
//	Series.Stop                              ends one series; stop it before its facility
//	executor: Shutdown, ShutdownNow, Close   as in java.util.concurrent
//
// # Which one
//
// [time.AfterFunc] is a good timer. It scales, and few programs need another.
//
// A wheel is for very many timeouts, nearly all of them stopped. However many they are, it costs
// less than the runtime's timers. It can bound and count them, calls what is due in order and on an
// executor, and returns everything at the end. Of the wheels, hashedwheel is the simplest, and good
// as long as most delays are shorter than a turn; revolver bears many more functions per slot;
// hierarchical does not mind delays of any length.
//
// A delay queue costs no more than a wheel, and is exact, where a goroutine is free to take from
// it. An event loop is for tasks that share state without locks, and a ScheduledPool of package
// executor for work: futures, errors, more than one worker. There is no reason left to use the
// classic Timer.
package timer
