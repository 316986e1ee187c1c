package sight

import (
	"cmp"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// death is the end of a task by a failure: of a series, or of a task of which something is
// expected. It is told with the health of the owner until a run of its name succeeds, or its owner
// cancels it or one of its name. The lock guards it. It keeps nothing else of the task.
type death struct {
	name  string
	at    int64
	fate  *fate  // how its runs have ended; nil if that is not known
	times uint64 // how often one of its name has ended so, since a run succeeded

	last insight.PastRun // the run that has ended it; with a history only
}

// keptDeaths bounds how many are remembered; the latest are.
const keptDeaths = 1000

// bury notes that a failure has ended a task. It may be told more than once.
func (es *expected) bury(c *cell.Cell, pl *run.Plan) {
	es.owner.Lock.Lock()
	defer es.owner.Lock.Unlock()
	es.buryLocked(c, pl)
}

func (es *expected) buryLocked(c *cell.Cell, pl *run.Plan) {
	v := own(pl)
	if v.death != nil {
		return
	}
	d := &death{name: pl.Name, at: es.owner.Clock.Now(), times: 1}
	if v.expects != nil {
		d.fate = v.expects.fate
	}
	if past := es.health.sight.past; past != nil {
		d.fate = cmp.Or(d.fate, past.ill[pl])
		d.last = runOf(es.owner.DescribeLocked(c, pl), time.Duration(d.at-c.Started), c.Err())
	}
	v.death = d
	if d.name != "" {
		es.dead = slices.DeleteFunc(es.dead, func(o *death) bool {
			if o.name == d.name {
				d.times += o.times
			}
			return o.name == d.name
		})
	}
	if len(es.dead) == keptDeaths {
		es.dead = slices.Delete(es.dead, 0, 1)
	}
	es.dead = append(es.dead, d)
	es.owner.HeedEndsLocked() // the success of another may be what it waits for
	es.health.changeLocked()
}

// forgiveLocked forgets the end of a task of this name: a run has succeeded, or one was cancelled.
func (es *expected) forgiveLocked(name string) {
	if name != "" && len(es.dead) > 0 {
		es.unburyLocked(func(d *death) bool { return d.name == name })
	}
}

// CancelledLocked is that of [run.Sight].
func (s *Sight) CancelledLocked(pl *run.Plan) {
	s.expected.forgiveLocked(pl.Name)
	s.past.forgetLocked(pl)
}

// Dismiss is that of [run.Sight]. It forgets the end of the task.
func (s *Sight) Dismiss(pl *run.Plan) {
	s.owner.Lock.Lock()
	defer s.owner.Lock.Unlock()
	if died := seenOf(pl).death; died != nil {
		s.expected.unburyLocked(func(d *death) bool { return d == died })
	}
}

func (es *expected) unburyLocked(is func(*death) bool) {
	before := len(es.dead)
	if es.dead = slices.DeleteFunc(es.dead, is); len(es.dead) < before {
		es.health.changeLocked()
	}
}

// settled is called when a task of which something was expected has been settled, by whatever road.
func (es *expected) settled(e *expectation) {
	es.owner.Lock.Lock()
	defer es.owner.Lock.Unlock()
	if e.cell.Phase() == cell.Failed && !e.plan.LeftOut {
		es.buryLocked(e.cell, e.plan)
	}
	es.health.changeLocked()
}

// healthOf returns how the task is of which d is the end.
func (es *expected) healthOf(d *death) insight.TaskHealth {
	t := insight.TaskHealth{Name: d.name, State: taskFailed, Since: es.owner.Clock.Time(d.at),
		FailuresInRow: 1, Reason: "ended by a failure"}
	if d.fate == nil {
		return t
	}
	t.FailuresInRow = max(d.fate.failures, 1) // its end is counted a moment later than it is known
	if d.fate.success > 0 {
		t.LastSuccess = es.owner.Clock.Time(d.fate.success)
	}
	return t
}
