package engine

import (
	"math"
	"time"

	"go.uber.org/atomic"
)

// SetCoreSize changes the core size of a running pool.
func (p *Pool) SetCoreSize(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.SizesFixed {
		return invalid("the sizes of this pool are fixed")
	}
	if n < 0 || p.maximum > 0 && n > p.maximum {
		return invalid("core size %d is not between 0 and the maximum %d", n, p.maximum)
	}
	p.core = n
	p.reconsiderLocked()
	return nil
}

// SetMaximumSize changes the maximum size.
func (p *Pool) SetMaximumSize(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.SizesFixed {
		return invalid("the sizes of this pool are fixed")
	}
	if n < 1 || n < p.core {
		return invalid("maximum size %d is below 1 or below the core size %d", n, p.core)
	}
	p.maximum = n
	p.reconsiderLocked()
	return nil
}

// SetKeepAlive changes how long an idle worker above the core size stays.
func (p *Pool) SetKeepAlive(d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d < 0 || d == 0 && p.coreTimeout.Load() {
		return invalid("keep-alive %v is too short", d)
	}
	p.keepAlive.Store(d)
	p.reconsiderLocked()
	return nil
}

// SetCoreTimeout changes whether idle core workers end after the keep-alive too.
func (p *Pool) SetCoreTimeout(on bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if on && p.keepAlive.Load() == 0 {
		return invalid("core timeout needs a keep-alive above 0")
	}
	p.coreTimeout.Store(on)
	p.reconsiderLocked()
	return nil
}

// reconsiderLocked makes idle workers look at the new sizes, and starts another worker if there is
// work for one. The batch goes back to the queue, because workers that claim from it do not take
// the lock, and so would not see the change.
func (p *Pool) reconsiderLocked() {
	p.waiting.recallLocked() // workers come by the lock
	p.loans.freedLocked()
	p.lot.CallAll()
	p.notifyLocked(unread)
}

// PrestartWorker starts a worker, unless there are as many as the core size.
func (p *Pool) PrestartWorker() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prestart()
}

// PrestartWorkers starts as many workers as are missing from the core size.
func (p *Pool) PrestartWorkers() (started int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.prestart() {
		started++
	}
	return started
}

// prestart is PrestartWorker with the lock held.
func (p *Pool) prestart() bool {
	if p.stage != running || len(p.workers) >= p.core {
		return false
	}
	p.startWorkerLocked()
	return true
}

// limitLocked returns up to how many workers may be started. A pool of core size 0 has one while
// there is something to do.
func (p *Pool) limitLocked() int {
	if p.plain && (p.GrowFirst || p.overfullLocked()) {
		return p.maximumSizeLocked()
	}
	return max(p.core, 1)
}

// sizeAsMade returns how many tasks a pool that has just been made may run at a time: the maximum
// size if it comes to that before all else.
func (p *Pool) sizeAsMade() int {
	if p.plain && (p.GrowFirst || p.capacity() == 0) {
		return p.maximumSizeLocked()
	}
	return max(p.core, 1)
}

// overfullLocked reports whether more tasks wait than may, so that a plain pool has to grow.
func (p *Pool) overfullLocked() bool {
	if p.capacity() == unbounded {
		return false
	}
	waiting := p.waiting.queue.Len()
	return waiting > 0 && waiting+p.outsideLocked() > p.capacity()
}

// ceilingLocked returns how many workers may go on while there is something to do. In a plain pool
// those that a burst has added stay until they are idle, as in the JDK.
func (p *Pool) ceilingLocked() int {
	if p.plain {
		return p.maximumSizeLocked()
	}
	return p.limitLocked()
}

// maximumSizeLocked returns the maximum size in effect.
func (p *Pool) maximumSizeLocked() int {
	if p.maximum == 0 {
		return max(p.core, 1)
	}
	return p.maximum
}

// capacity returns how many tasks may wait in the queue.
func (p *Pool) capacity() int {
	if p.plain {
		return p.Capacity
	}
	return unbounded
}

// unbounded is the capacity of a queue without a limit.
const unbounded = math.MaxInt

// MostInFlight returns how many tasks keep all workers busy, if each has the next one at hand; 0 if
// the pool has no bound.
func (p *Pool) MostInFlight() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if size := max(p.ceilingLocked(), 1); size < 1<<30 {
		return 2 * size
	}
	return 0
}

// SetPolicy changes what becomes of tasks for which there is no room.
func (p *Pool) SetPolicy(policy Policy) { p.policy.Store(&policy) }

// SetExecuteDelayed sets whether what is not due at a shutdown runs at its time.
func (p *Pool) SetExecuteDelayed(on bool) { p.setKept(&p.executeDelayed, on) }

// SetContinuePeriodic sets whether periodic tasks go on after a shutdown.
func (p *Pool) SetContinuePeriodic(on bool) { p.setKept(&p.continuePeriodic, on) }

// setKept sets what a shutdown keeps, and drops what is kept no more.
func (p *Pool) setKept(flag *atomic.Bool, on bool) {
	p.mu.Lock()
	flag.Store(on)
	swept := p.sweepLocked()
	p.mu.Unlock()
	p.settle(swept)
}

// ExecuteDelayed and ContinuePeriodic return what was set.
func (p *Pool) ExecuteDelayed() bool   { return p.executeDelayed.Load() }
func (p *Pool) ContinuePeriodic() bool { return p.continuePeriodic.Load() }
