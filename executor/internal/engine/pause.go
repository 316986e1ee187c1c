package engine

import "time"

// Pause makes the workers take nothing new until Resume.
func (cr *Crew) Pause() { cr.pauseUntil(nil) }

// PauseUntil is Pause until t. If t has passed, it ends a pause.
func (cr *Crew) PauseUntil(t time.Time) {
	left := time.Until(t)
	if left <= 0 {
		cr.Resume()
		return
	}
	cr.pauseUntil(&left)
}

func (cr *Crew) pauseUntil(left *time.Duration) {
	p := cr.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Life.stage != running {
		return
	}
	// Workers that claim from a batch do not take the lock, and so would go on.
	p.waiting.recallLocked()
	cr.endPauseLocked()
	cr.pause.on = true
	p.runs.HoldLocked(true)
	if left == nil {
		return
	}
	number := cr.pause.number
	cr.pause.timer = time.AfterFunc(*left, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if cr.pause.number == number {
			cr.resumeLocked()
		}
	})
}

// Resume ends a pause, and reports whether there was one.
func (cr *Crew) Resume() bool {
	cr.pool.mu.Lock()
	defer cr.pool.mu.Unlock()
	return cr.resumeLocked()
}

// Paused reports whether the pool is paused.
func (cr *Crew) Paused() bool {
	cr.pool.mu.Lock()
	defer cr.pool.mu.Unlock()
	return cr.pause.on
}
