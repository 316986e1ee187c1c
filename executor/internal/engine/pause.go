package engine

import "time"

// Pause makes the workers take nothing new until Resume.
func (cr *Crew) Pause() { cr.command(cr.pauseLocked) }

// PauseUntil is Pause until t. If t has passed, it ends a pause.
func (cr *Crew) PauseUntil(t time.Time) {
	left := time.Until(t)
	if left <= 0 {
		cr.Resume()
		return
	}
	cr.command(func() {
		cr.pauseLocked()
		if number := cr.pause.number; cr.pause.on {
			cr.pause.timer = cr.pool.later(left, func() {
				if cr.pause.number == number {
					cr.resumeLocked()
				}
			})
		}
	})
}

func (cr *Crew) pauseLocked() {
	if cr.pool.Life.stage != running {
		return
	}
	// Workers that claim from a batch do not take the lock, and so would go on.
	cr.pool.waiting.recallLocked()
	cr.endPauseLocked()
	cr.pause.on = true
	cr.pool.runs.HoldLocked(true)
}

// Resume ends a pause, and reports whether there was one.
func (cr *Crew) Resume() (resumed bool) {
	cr.command(func() { resumed = cr.resumeLocked() })
	return resumed
}

// Paused reports whether the pool is paused.
func (cr *Crew) Paused() (on bool) {
	cr.pool.look(func() { on = cr.pause.on })
	return on
}
