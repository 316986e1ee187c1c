package eventloop

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// wantedLocked reports whether c may run in the present stage.
func (lf *life) wantedLocked(c *cell.Cell, now int64) bool {
	switch {
	case lf.stage == running:
		return true
	// A periodic task ends with every kind of shutdown.
	case lf.stage >= stopping, planOf(c).Periodic():
		return false
	}
	return !lf.calm.dropDelayed || c.When <= now
}

// wantedUntilLocked reports whether c may be put off to the time when, in the present stage.
func (lf *life) wantedUntilLocked(c *cell.Cell, when, now int64) bool {
	return lf.wantedLocked(c, now) && (!lf.calm.dropDelayed || when <= now)
}

// MayRepeatLocked reports whether a task may wait for its next run or attempt.
func (h *host) MayRepeatLocked(pl *run.Plan) bool {
	if pl.Periodic() {
		return h.life.stage == running
	}
	return h.life.stage < stopping && !h.life.calm.dropDelayed
}
