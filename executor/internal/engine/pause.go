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
	cr.pool.mu.Lock()
	defer cr.pool.mu.Unlock()
	if cr.pool.Life.stage != running {
		return
	}
	// Workers that claim from a batch do not take the lock, and so would go on.
	cr.pool.waiting.recallLocked()
	cr.endPauseLocked()
	cr.pause.on = true
	cr.pool.runs.HoldLocked(true)
	if left == nil {
		return
	}
	number := cr.pause.number
	cr.pause.timer = time.AfterFunc(*left, func() {
		cr.pool.mu.Lock()
		defer cr.pool.mu.Unlock()
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

func (cr *Crew) resumeLocked() (resumed bool) {
	if resumed = cr.pause.on; resumed {
		cr.endPauseLocked()
		cr.notifyLocked(unread)
	}
	return resumed
}

// endPauseLocked ends a pause, if there is one, without telling the workers.
func (cr *Crew) endPauseLocked() {
	if cr.pause.timer != nil {
		cr.pause.timer.Stop()
	}
	over := cr.pause.over
	if cr.pause.on {
		over = cr.pool.clock.Now()
	}
	cr.pause = pause{number: cr.pause.number + 1, over: over}
	cr.pool.runs.HoldLocked(false)
}
