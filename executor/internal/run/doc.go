// Package run is the life of one run of a task, from the moment in which its cell has begun until it
// counts: what a pool and an event loop have in common. [Owner] says what either must supply.
//
// # A run
//
//	waiting   -> dropped    Start: the task has been cancelled on its way out of the queue
//	waiting   -> started    Start: nobody else can begin it any more
//	started   -> entered    Enter: it has its context, and the body can be called
//	entered   -> returned   the body has returned, panicked, or called Goexit
//	returned  -> concluded  Conclude: the context has ended, and after a last run the future is settled
//	concluded -> told       Tell: the error handler, or the log, knows of a failure
//	told      -> counted    Count, Forget
//	counted   -> waiting    Repeats: a series goes on, and the owner queues its next run
//	counted   -> refused    Repeats: it may not go on, and Refuse settles it, without the lock
//
// Beside that goes the time-out of a run, which may come at any time after Enter:
//
//	entered   -> overdue    Expired: a task that runs once has ended, its future is settled
//	entered   -> overdue    Expired: the run of a series has failed, and the next waits for the body
//	overdue   -> concluded  Conclude, when the body has returned at last
//
// Start, Count, Forget and Repeats are called with the owner's lock held, all else without. One goroutine
// goes through all of a run, but for Expired, which has its own; the lock, and the watch of
// [series.Series], decide which of the two tells of an overrun, and both count it once.
package run
