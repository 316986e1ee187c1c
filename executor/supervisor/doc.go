// Package supervisor runs one task again and again on a pool, each run with a timeout, and less
// often while things go wrong. It is the TimedSupervisorTask of Eureka and SOFARegistry, for Go.
//
//	pool := executor.NewPool(1, executor.MaximumSize(2), executor.Queue(queue.HandOff()))
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
// A service that polls its registry will sooner or later wait for an answer that never comes, and
// from then on it polls no more. Eureka's client therefore has one task supervise another: it
// submits the task to a pool, waits for it for a limited time, cancels it, and schedules itself
// again, after twice the delay if the task took too long. SOFARegistry has a copy of it.
//
// While it waits, the original blocks a thread of its scheduler for as long as the run takes: with
// two supervisors, two threads that do nothing. Here the end of a run, the end of its time, and the
// next start are events. Between events there is no goroutine, and no worker is in use but that of
// the task itself.
//
// The bound on the original's back-off is a factor, which many take for a duration: with a timeout
// of 30 s and a bound of 4 the delay grows to 60 s, then to 120 s, and stays there. [Bound] is the
// same here; [MaxInterval] gives the limit as a duration.
//
// There are more differences. The interval and the timeout are two settings. A pool that refuses
// the task slows the supervisor down as well. A run that ignores the end of its context is counted,
// and keeps others from piling up behind it. And the supervisor can be stopped.
//
// # Words
//
// A cycle begins with the submission of a run to the pool. It ends when the run ends, when the pool
// refuses or drops the run, or when the timeout is over, whichever comes first. The next cycle
// begins a delay after that. A run is unfinished if its cycle has ended by the timeout and its body
// has not returned.
//
// # Unfinished runs
//
// The timeout ends the context of a run. A body that ignores its context keeps its worker, and the
// supervisor cannot change that. But it starts no other run beside it, unless [MaxUnfinished]
// allows that: each time it would, the cycle ends as [Capped], and the delay grows. So by default
// runs do not overlap, and a pool does not fill up with stuck ones. [AfterCapped] is the place for
// an alert.
//
// # Worst case
//
// Timeout and back-off add up. If another system draws conclusions from silence, such as a broker
// that waits for heartbeats, the sum is what matters. With an interval of 3 s, a timeout of 10 s
// and a delay that grows to 40 s, the next sign of life after one lost answer may be 50 s away, and
// a session of 30 s has expired. Apache Kafka removed the back-off from its broker heartbeats for
// that reason. [Stats] shows the sum as WorstGap: compare it with the patience of the other side,
// and where it is too long use Factor(1), which means no back-off.
//
// A supervisor is no health check. It sees that a task runs, not that the task does the right
// thing.
//
// # Pools
//
// Any type with the Submit method of [executor.Pool] will do. The pool may refuse a run: that is an
// outcome like any other. Its Submit may block, or run the task in its caller: the supervisor calls
// it on a goroutine of its own, and the timeout counts from before the call. If the timeout is over
// before Submit returns, the run counts as unfinished until it does, and its body does not begin
// any more.
//
// A pool that hands tasks over directly should have one worker more than seems necessary: a run
// that follows another immediately, after a Trigger, may come before the worker of the first is
// idle again.
//
// When the pool is shut down, the supervisor stops at once, and silently; a run in progress ends
// first, with its outcome. A pool that does not announce its shutdown, see [Runner], is found to be
// shut down at the next cycle.
//
// # Tests
//
// A supervisor made inside a testing/synctest bubble runs on the bubble's clock, and keeps exact
// time. It needs to be stopped before the bubble ends only if a run is in progress.
package supervisor
