package engine

import (
	"time"

	"go.uber.org/atomic"
)

// SetCoreSize changes the core size of a running pool.
func (cr *Crew) SetCoreSize(n int) error {
	p := cr.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.SizesFixed {
		return invalid("the sizes of this pool are fixed")
	}
	if n < 0 || cr.maximum > 0 && n > cr.maximum {
		return invalid("core size %d is not between 0 and the maximum %d", n, cr.maximum)
	}
	cr.core = n
	cr.reconsiderLocked()
	return nil
}

// SetMaximumSize changes the maximum size.
func (cr *Crew) SetMaximumSize(n int) error {
	p := cr.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.SizesFixed {
		return invalid("the sizes of this pool are fixed")
	}
	if n < 1 || n < cr.core {
		return invalid("maximum size %d is below 1 or below the core size %d", n, cr.core)
	}
	cr.maximum = n
	cr.reconsiderLocked()
	return nil
}

// SetKeepAlive changes how long an idle worker above the core size stays.
func (cr *Crew) SetKeepAlive(d time.Duration) error {
	p := cr.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if d < 0 || d == 0 && p.coreTimeout.Load() {
		return invalid("keep-alive %v is too short", d)
	}
	p.keepAlive.Store(d)
	cr.reconsiderLocked()
	return nil
}

// SetCoreTimeout changes whether idle core workers end after the keep-alive too.
func (cr *Crew) SetCoreTimeout(on bool) error {
	p := cr.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if on && p.keepAlive.Load() == 0 {
		return invalid("core timeout needs a keep-alive above 0")
	}
	p.coreTimeout.Store(on)
	cr.reconsiderLocked()
	return nil
}

// PrestartWorker starts a worker, unless there are as many as the core size.
func (cr *Crew) PrestartWorker() bool {
	cr.pool.mu.Lock()
	defer cr.pool.mu.Unlock()
	return cr.prestart()
}

// PrestartWorkers starts as many workers as are missing from the core size.
func (cr *Crew) PrestartWorkers() (started int) {
	cr.pool.mu.Lock()
	defer cr.pool.mu.Unlock()
	for cr.prestart() {
		started++
	}
	return started
}

// prestart is PrestartWorker with the lock held.
func (cr *Crew) prestart() bool {
	if cr.pool.Life.stage != running || len(cr.workers) >= cr.core {
		return false
	}
	cr.startWorkerLocked()
	return true
}

// MostInFlight returns how many tasks keep all workers busy, if each has the next one at hand; 0 if
// the pool has no bound.
func (cr *Crew) MostInFlight() int {
	cr.pool.mu.Lock()
	defer cr.pool.mu.Unlock()
	if size := max(cr.ceilingLocked(), 1); size < 1<<30 {
		return 2 * size
	}
	return 0
}

// SetPolicy changes what becomes of tasks for which there is no room.
func (d *Door) SetPolicy(policy Policy) { d.pool.policy.Store(&policy) }

// SetExecuteDelayed sets whether what is not due at a shutdown runs at its time.
func (lf *Life) SetExecuteDelayed(on bool) { lf.setKept(&lf.pool.executeDelayed, on) }

// SetContinuePeriodic sets whether periodic tasks go on after a shutdown.
func (lf *Life) SetContinuePeriodic(on bool) { lf.setKept(&lf.pool.continuePeriodic, on) }

// setKept sets what a shutdown keeps, and drops what is kept no more.
func (lf *Life) setKept(flag *atomic.Bool, on bool) {
	lf.pool.mu.Lock()
	flag.Store(on)
	swept := lf.sweepLocked()
	lf.pool.mu.Unlock()
	lf.settle(swept)
}

// ExecuteDelayed and ContinuePeriodic return what was set.
func (lf *Life) ExecuteDelayed() bool   { return lf.pool.executeDelayed.Load() }
func (lf *Life) ContinuePeriodic() bool { return lf.pool.continuePeriodic.Load() }
