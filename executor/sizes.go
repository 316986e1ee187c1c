package executor

import "time"

// SetCoreSize changes the core size while the pool runs. More workers start as there is work for
// them; idle ones above the size end after the keep-alive, busy ones after their task. It fails with
// [ErrInvalid] if n is negative or above the maximum size.
func (p *Pool) SetCoreSize(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n < 0 || n > p.maximum {
		return invalid("core size %d is not between 0 and the maximum %d", n, p.maximum)
	}
	p.core = n
	p.reconsider()
	return nil
}

// SetMaximumSize changes the maximum size. It fails with [ErrInvalid] if n is below 1 or below the
// core size.
func (p *Pool) SetMaximumSize(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n < 1 || n < p.core {
		return invalid("maximum size %d is below 1 or below the core size %d", n, p.core)
	}
	p.maximum = n
	return nil
}

// SetKeepAlive changes how long an idle worker above the core size stays. It fails with
// [ErrInvalid] if d is negative, or zero while core workers time out.
func (p *Pool) SetKeepAlive(d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d < 0 || d == 0 && p.coreTimeout {
		return invalid("keep-alive %v is too short", d)
	}
	p.keepAlive = d
	p.reconsider()
	return nil
}

// SetCoreTimeout changes whether idle core workers end too. It fails with [ErrInvalid] if on is set
// while the keep-alive is zero.
func (p *Pool) SetCoreTimeout(on bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if on && p.keepAlive == 0 {
		return invalid("core timeout needs a keep-alive above 0")
	}
	p.coreTimeout = on
	p.reconsider()
	return nil
}

// reconsider has idle workers look at the new sizes, and a further worker started if there is work
// for one. The lock is held.
func (p *Pool) reconsider() {
	p.lot.CallAll()
	p.notify(p.clock.Now())
}
