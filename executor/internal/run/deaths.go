package run

import (
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
)

// death is the end of a task by a failure: of a series, or of a task of which something is
// expected. It is told with the health of the owner until a run of its name succeeds, or its owner
// cancels it or one of its name. The lock guards it. It keeps nothing else of the task.
type death struct {
	name     string
	at       int64
	success  int64 // when a run last succeeded, if something was expected, or 0
	failures uint64
}

// keptDeaths bounds how many are remembered; the latest are.
const keptDeaths = 1000

// bury notes that a failure has ended a task. It may be told more than once.
func (o *Owner) bury(pl *Plan) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	o.buryLocked(pl)
}

func (o *Owner) buryLocked(pl *Plan) {
	if pl.death != nil {
		return
	}
	d := &death{name: pl.Name, at: o.Clock.Now(), failures: 1}
	if e := pl.expects; e != nil {
		d.success, d.failures = e.success, max(e.failures, 1)
	}
	pl.death = d
	if d.name != "" {
		o.dead = slices.DeleteFunc(o.dead, func(other *death) bool { return other.name == d.name })
	}
	if len(o.dead) == keptDeaths {
		o.dead = slices.Delete(o.dead, 0, 1)
	}
	o.dead = append(o.dead, d)
	o.health.changeLocked(o)
}

// forgiveLocked forgets the end of a task of this name: a run has succeeded, or one was cancelled.
func (o *Owner) forgiveLocked(name string) {
	if name == "" || len(o.dead) == 0 {
		return
	}
	o.unburyLocked(func(d *death) bool { return d.name == name })
}

// CancelledLocked forgets the end of a task with the name of one that was cancelled. The lock is
// held.
func (o *Owner) CancelledLocked(pl *Plan) {
	if len(o.dead) > 0 {
		o.forgiveLocked(pl.Name)
	}
}

// Dismiss forgets the end of a task: its owner has cancelled it, which has failed already.
func (o *Owner) Dismiss(pl *Plan) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if pl.death != nil {
		o.unburyLocked(func(d *death) bool { return d == pl.death })
	}
}

func (o *Owner) unburyLocked(is func(*death) bool) {
	before := len(o.dead)
	if o.dead = slices.DeleteFunc(o.dead, is); len(o.dead) < before {
		o.health.changeLocked(o)
	}
}

// settledExpected is called when a task of which something was expected has been settled, whoever
// has done that.
func (o *Owner) settledExpected(e *expectation) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if e.cell.Phase() == cell.Failed {
		o.buryLocked(e.plan)
	}
	o.health.changeLocked(o)
}

// healthOf returns how the task is of which d is the end.
func (o *Owner) healthOf(d *death) TaskHealth {
	t := TaskHealth{Name: d.name, State: HealthFailed, Since: o.Clock.Time(d.at),
		FailuresInRow: d.failures, Reason: "ended by a failure"}
	if d.success > 0 {
		t.LastSuccess = o.Clock.Time(d.success)
	}
	return t
}
