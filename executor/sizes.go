package executor

import "time"

// SetCoreSize changes the core size while the pool runs. Workers start as there is work. Idle workers
// above the new size end after the keep-alive. Busy ones above it go on while there is work, up to the
// maximum size; those of a [ScheduledPool] end after their task. It fails with [ErrInvalid] if n is
// negative or above the maximum size.
func (p *Pool) SetCoreSize(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sizesFixed {
		return invalid("the sizes of this pool are fixed")
	}
	if n < 0 || p.maximum > 0 && n > p.maximum {
		return invalid("core size %d is not between 0 and the maximum %d", n, p.maximum)
	}
	p.core = n
	p.reconsiderLocked()
	return nil
}

// SetMaximumSize changes the maximum size. In a plain pool busy workers above it end after their task;
// idle ones take none any more and end after the keep-alive. It fails with [ErrInvalid] if n is below 1
// or below the core size.
func (p *Pool) SetMaximumSize(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sizesFixed {
		return invalid("the sizes of this pool are fixed")
	}
	if n < 1 || n < p.core {
		return invalid("maximum size %d is below 1 or below the core size %d", n, p.core)
	}
	p.maximum = n
	p.reconsiderLocked()
	return nil
}

// SetKeepAlive changes how long an idle worker above the core size stays. It fails with
// [ErrInvalid] if d is negative, or zero while core workers time out.
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

// SetCoreTimeout changes whether idle core workers end too. It fails with [ErrInvalid] if on is set
// while the keep-alive is zero.
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

// reconsiderLocked has idle workers look at the new sizes, and a further worker started if there is work
// for one.
func (p *Pool) reconsiderLocked() {
	p.recallLocked() // workers come by the lock
	p.freedLocked()
	p.lot.CallAll()
	p.notifyLocked(unread)
}

// PrestartWorker starts a worker that waits for work, if there are fewer than the core size, and
// reports whether it did. A pool does without: workers start as there is work.
func (p *Pool) PrestartWorker() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prestart()
}

// PrestartWorkers starts as many workers as are missing from the core size, and returns how many that
// were.
func (p *Pool) PrestartWorkers() (started int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.prestart() {
		started++
	}
	return started
}

func (p *Pool) prestart() bool {
	if p.stage != running || len(p.workers) >= p.core {
		return false
	}
	p.startWorkerLocked()
	return true
}

// limitLocked is how many workers may be started: a pool of core size 0 has one while there is something
// to do.
func (p *Pool) limitLocked() int {
	if p.plain && (p.growFirst || p.overfullLocked()) {
		return p.maximumSizeLocked()
	}
	return max(p.core, 1)
}

// overfullLocked reports whether more tasks wait than may.
func (p *Pool) overfullLocked() bool {
	if p.capacity() == unbounded {
		return false
	}
	waiting := p.queue.Len()
	return waiting > 0 && waiting+p.heldBackInQueueLocked() > p.capacity()
}

// ceilingLocked is how many workers may go on while there is something to do.
func (p *Pool) ceilingLocked() int {
	if p.plain {
		return p.maximumSizeLocked()
	}
	return p.limitLocked()
}

// most is the maximum size.
func (p *Pool) maximumSizeLocked() int {
	if p.maximum == 0 {
		return max(p.core, 1)
	}
	return p.maximum
}

// capacity is how many tasks may wait in the queue.
func (p *Pool) capacity() int {
	if p.plain {
		return p.waitsIn.capacity
	}
	return unbounded
}
