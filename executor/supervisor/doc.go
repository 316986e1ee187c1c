// Package supervisor runs one task again and again on a pool, each run with a time-out, and less often
// while things go wrong: the TimedSupervisorTask of Eureka and SOFARegistry for Go.
//
//	pool := executor.NewPool(1, executor.MaximumSize(2), executor.HandOff())
//	s := supervisor.New(pool, refresh,
//		executor.Name("registry"),
//		supervisor.Interval(30*time.Second), // from the end of a run to the start of the next
//		supervisor.Timeout(10*time.Second),
//		supervisor.Bound(6))                 // so the interval grows up to a minute
//	s.Start()
//	defer s.StopContext(ctx)
//
// # Where it comes from
//
// A service that asks its registry for news once in a while will sooner or later wait for an answer
// that never comes, and then nothing is ever asked again. Eureka's client therefore has one task
// supervise another: submit it to a pool, wait for it so long and no longer, cancel it, and schedule
// itself anew, after twice the delay if it took too long. SOFARegistry had a copy.
//
// To wait, the original keeps a thread of its scheduler, as long as the run takes: two threads for
// two supervisors, that do nothing. Here the end of a run and the end of its time are two events, and
// so is the next start. Between events there is no goroutine, and no worker is occupied but by the
// task itself.
//
// Its bound on the back-off is a factor, which many take for a duration: with a time-out of 30 s and
// a bound of 4 the delay grows to 60 s, then 120 s, and stays there. [Bound] is the same here;
// [MaxInterval] states the ceiling as a duration.
//
// What else is different: the interval and the time-out are two settings; a pool that refuses slows
// the supervisor down as well; a run that does not heed the end of its context is counted, and
// keeps others from piling up behind it; and the supervisor can be stopped.
//
// # Words
//
// A cycle begins with the submission of a run to the pool. It ends when the run does, when the pool
// refuses or drops it, or when its time-out is over, whichever is first. The next one begins a delay
// after that. A run is unfinished when its cycle has ended by the time-out and its body has not
// returned.
//
// # Unfinished runs
//
// The time-out ends the context of a run. A body that does not look at it keeps its worker, and
// the supervisor cannot help that. But it starts no further run beside it, unless [MaxUnfinished] says
// otherwise: each time it would, the cycle ends as [Capped], and backs off. So by default runs do not
// overlap, and a pool is not filled with stuck ones. [AfterCapped] is the place for an alarm.
//
// # Worst case
//
// Time-out and back-off add up. If somebody else draws conclusions from silence, such as a broker that
// waits for heartbeats, the sum decides: with an interval of 3 s, a time-out of 10 s and a delay that
// grows up to 40 s, the next sign of life after one lost answer may be 50 s away, and a session of 30 s
// is over. Apache Kafka took the back-off out of its broker heartbeats for that reason. [Stats] tells
// the sum as WorstGap: compare it with the patience of the other side, and use Factor(1), which is no
// back-off, where it is too long. A supervisor is no health check either: it tells that a task is run,
// not that the task is right.
//
// # Pools
//
// Anything with the Submit method of [executor.Pool] will do. The pool may refuse: that is an
// outcome like others. It may have Submit block, or run the task in its caller: Submit is called on
// a goroutine of its own, and the time-out counts from before it. If it is over before Submit
// returns, the run counts as unfinished until it does, and its body does not begin any more. A pool
// that hands tasks over should have one worker more than seems necessary: a run that follows
// another at once, after a Trigger, may come before the worker of the first is idle again. When the
// pool is shut down, the supervisor stops, at once and without noise; a run in progress has its end
// and its outcome first. A pool of another make that does not tell, see [Pool], is found to be shut
// down at the next cycle.
//
// # Tests
//
// A supervisor made inside a testing/synctest bubble runs on its clock, exactly. It needs to be
// stopped before the bubble ends only if a run is in progress.
package supervisor
