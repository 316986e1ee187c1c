package engine

import "time"

// pause is whether a pool is paused. Its lock guards it.
//
//	running -> paused   Pause, PauseUntil
//	paused  -> paused   either of them, once more: the later call counts
//	paused  -> running  Resume; the time has come; any shutdown
type pause struct {
	on    bool
	timer *time.Timer // ends the pause; nil if only a call does
	// Of the pause that timer ends: one that comes too late must not end another.
	number uint64
	over   int64 // when the last one ended, or 0
}

// Pause makes the workers take nothing new until Resume.
func (p *Pool) Pause() { p.pauseUntil(nil) }

// PauseUntil is Pause until t. If t has passed, it ends a pause.
func (p *Pool) PauseUntil(t time.Time) {
	left := time.Until(t)
	if left <= 0 {
		p.Resume()
		return
	}
	p.pauseUntil(&left)
}

func (p *Pool) pauseUntil(left *time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != running {
		return
	}
	// Workers that claim from a batch do not take the lock, and so would go on.
	p.waiting.recallLocked()
	p.endPauseLocked()
	p.pause.on = true
	p.runs.HoldLocked(true)
	if left == nil {
		return
	}
	number := p.pause.number
	p.pause.timer = time.AfterFunc(*left, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.pause.number == number {
			p.resumeLocked()
		}
	})
}

// Resume ends a pause, and reports whether there was one.
func (p *Pool) Resume() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.resumeLocked()
}

// Paused reports whether the pool is paused.
func (p *Pool) Paused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pause.on
}

func (p *Pool) resumeLocked() (resumed bool) {
	if resumed = p.pause.on; resumed {
		p.endPauseLocked()
		p.notifyLocked(unread)
	}
	return resumed
}

// endPauseLocked ends a pause, if there is one, without telling the workers.
func (p *Pool) endPauseLocked() {
	if p.pause.timer != nil {
		p.pause.timer.Stop()
	}
	over := p.pause.over
	if p.pause.on {
		over = p.clock.Now()
	}
	p.pause = pause{number: p.pause.number + 1, over: over}
	p.runs.HoldLocked(false)
}
