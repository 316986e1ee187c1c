package executor

import "time"

// Pause makes the workers take nothing new until [Pool.Resume]. Runs in progress go on, and tasks
// are accepted while the queue has room: under [queue.HandOff] none are. A task that was let in
// because a worker was about to begin it waits, too, even if the queue is then fuller than its
// bound. What falls due meanwhile waits, and afterwards runs in its order; of a series its
// [CatchUp] policy decides. To suspend a single series, see [Handle.Pause].
//
// A task that a run in progress waits for still runs, once it may begin, and so does one that its
// submitter runs, see [rejection.CallerRuns]. A shutdown of any kind ends the pause, and a pool
// that is shut down is not paused. It is what the documentation of java.util.concurrent's
// ThreadPoolExecutor builds as an example.
func (p *Pool) Pause() { p.engine().Crew.Pause() }

// PauseUntil is [Pool.Pause] until t, if no other call comes first. If t has passed, it ends a
// pause. Like [ScheduledPool.ScheduleAt] it reads the wall clock once.
func (p *Pool) PauseUntil(t time.Time) { p.engine().Crew.PauseUntil(t) }

// Resume ends a pause, and reports whether there was one.
func (p *Pool) Resume() bool { return p.engine().Crew.Resume() }

// Paused reports whether the pool is paused.
func (p *Pool) Paused() bool { return p.engine().Crew.Paused() }
