package engine

import (
	"math"
	"time"
)

// SetCoreSize changes the core size of a running pool.
func (cr *Crew) SetCoreSize(n int) error {
	return cr.change(func() error {
		switch {
		case cr.pool.SizesFixed:
			return errFixed()
		case n < 0 || cr.maximum > 0 && n > cr.maximum:
			return invalid("core size %d is not between 0 and the maximum %d", n, cr.maximum)
		}
		cr.core = n
		return nil
	})
}

// SetMaximumSize changes the maximum size.
func (cr *Crew) SetMaximumSize(n int) error {
	return cr.change(func() error {
		switch {
		case cr.pool.SizesFixed:
			return errFixed()
		case n < 1 || n < cr.core:
			return invalid("maximum size %d is below 1 or below the core size %d", n, cr.core)
		}
		cr.maximum = n
		return nil
	})
}

func errFixed() error { return invalid("the sizes of this pool are fixed") }

// SetKeepAlive changes how long an idle worker above the core size stays.
func (cr *Crew) SetKeepAlive(d time.Duration) error {
	return cr.change(func() error {
		if d < 0 || d == 0 && cr.pool.coreTimeout.Load() {
			return invalid("keep-alive %v is too short", d)
		}
		cr.pool.keepAlive.Store(d)
		return nil
	})
}

// SetCoreTimeout changes whether idle core workers end after the keep-alive too.
func (cr *Crew) SetCoreTimeout(on bool) error {
	return cr.change(func() error {
		if on && cr.pool.keepAlive.Load() == 0 {
			return invalid("core timeout needs a keep-alive above 0")
		}
		cr.pool.coreTimeout.Store(on)
		return nil
	})
}

// change has set change a setting, unless it returns an error, and makes idle workers look at that.
// If there is work for another worker now, that is started. The batch goes back to the queue,
// because workers that claim from it do not take the lock, and so would not see the change.
func (cr *Crew) change(set func() error) (err error) {
	cr.command(func() {
		if err = set(); err != nil {
			return
		}
		cr.carefulLocked()
		cr.pool.waiting.recallLocked()
		cr.pool.loans.freedLocked()
		cr.lot.CallAll()
		cr.notifyLocked(unread)
	})
	return err
}

// PrestartWorker starts a worker, unless there are as many as the core size.
func (cr *Crew) PrestartWorker() bool { return cr.prestart(1) > 0 }

// PrestartWorkers starts as many workers as are missing from the core size.
func (cr *Crew) PrestartWorkers() (started int) { return cr.prestart(math.MaxInt) }

// prestart starts up to so many of the workers that are missing from the core size.
func (cr *Crew) prestart(most int) (started int) {
	cr.command(func() {
		for started < most && cr.pool.Life.stage == running && len(cr.workers) < cr.core {
			cr.startWorkerLocked()
			started++
		}
	})
	return started
}

// MostInFlight returns how many tasks keep all workers busy, if each has the next one at hand; 0 if
// the pool has no bound.
func (cr *Crew) MostInFlight() (most int) {
	cr.pool.look(func() {
		if size := max(cr.ceilingLocked(), 1); size < 1<<30 {
			most = 2 * size
		}
	})
	return most
}
