package executor

import "time"

// SetCoreSize changes the core size of a running pool. Workers are started when there is work for
// them. Idle workers above the new size end after the keep-alive. Busy workers above it end after
// their task in a [ScheduledPool]; in a plain pool they go on while there is work, up to the
// maximum size. SetCoreSize fails with [ErrInvalid] if n is negative or above the maximum size, or
// if the sizes are fixed.
func (p *Pool) SetCoreSize(n int) error { return p.engine().Crew.SetCoreSize(n) }

// SetMaximumSize changes the maximum size. In a plain pool, busy workers above it end after their
// task; idle ones take no more tasks and end after the keep-alive. SetMaximumSize fails with
// [ErrInvalid] if n is below 1 or below the core size, or if the sizes are fixed.
func (p *Pool) SetMaximumSize(n int) error { return p.engine().Crew.SetMaximumSize(n) }

// SetKeepAlive changes how long an idle worker above the core size stays. It fails with
// [ErrInvalid] if d is negative, or zero while core workers time out.
func (p *Pool) SetKeepAlive(d time.Duration) error { return p.engine().Crew.SetKeepAlive(d) }

// SetCoreTimeout changes whether idle core workers end after the keep-alive too. It fails with
// [ErrInvalid] if on is true while the keep-alive is zero.
func (p *Pool) SetCoreTimeout(on bool) error { return p.engine().Crew.SetCoreTimeout(on) }

// PrestartWorker starts a worker that waits for work, unless there are as many as the core size,
// and reports whether it did. This only saves the first tasks some time: workers are started as
// there is work.
func (p *Pool) PrestartWorker() bool { return p.engine().Crew.PrestartWorker() }

// PrestartWorkers starts as many workers as are missing from the core size, and returns their
// number.
func (p *Pool) PrestartWorkers() (started int) { return p.engine().Crew.PrestartWorkers() }
