// Package run is the life of one run of a task, from its start to the counters: what a pool and an
// event loop have in common. [Host] says what the two must supply. The comments of the types say
// who may touch which fields.
//
// # The parts
//
// An [Owner] is made of parts. Each refers only to what stands below it, and none to the owner:
//
//	Execution    one run after another        Tap       is told of runs
//	Owner        all of the following
//	Control      commands                     Overruns  timeouts       Endings  ends without a run
//	WallWatch    the wall clock is set        Waits     when, and for how long, a task waits
//	Maker        of plans                     Admission of tasks       Register of series
//	Settling     whom the end waits for       Views     what can be asked of tasks
//	Env          what these share: Host, Clocks, Reporter, Sight, the lock, the counts
//	Plan         of a task                    Record    of a run       Info     of both
//
// # A run
//
//	waiting   -> dropped    Start: the task has been cancelled on its way out of the queue
//	waiting   -> started    Start: nobody else can begin it any more
//	started   -> entered    Enter: it has its context, and the body can be called
//	entered   -> returned   the body has returned, panicked, or called Goexit
//	returned  -> concluded  Conclude: the context has ended; after a last run, the future is settled
//	concluded -> told       Tell: the error handler, or the log, knows of a failure
//	told      -> counted    Count
//	counted   -> waiting    Repeats: a series goes on, and the owner queues its next run
//	counted   -> refused    Repeats: it may not go on, and Refuse settles it, without the lock
//
// The timeout of a run takes its own course. It may come at any time after Enter:
//
//	entered   -> overdue    Expired: a task that runs once has ended, its future is settled
//	entered   -> overdue    Expired: a run of a series has failed; the next waits for the body
//	overdue   -> concluded  Conclude, when the body has returned at last
//
// What watches runs is told of them by a [Tap], one nil check at each of its moments. The package
// knows nothing of what that is; package sight does.
//
// Start, Count and Repeats are called with the owner's lock held, the rest without it. One
// goroutine takes a run through all of its states, except that Expired has a goroutine of its own.
// Which of the two comes first is decided by the watch of a [series.Series], which the lock guards;
// so an overrun is reported and counted once.
package run
