package sight

import (
	"cmp"
	"slices"

	"github.com/punctual-go/punctual/executor/insight"
)

// inTrouble reports whether what is expected of the task does not hold.
func inTrouble(t insight.TaskHealth) bool {
	return t.State == taskLate || t.State == taskFailed
}

// The states of a task, from bad to good.
const (
	taskFailed = "failed"
	taskLate   = "late"
	taskNew    = "new"
	taskPaused = "paused"
	taskOK     = "ok"
)

// healthLocked tells how the owner is, and its tasks of which something is expected or which a
// failure has ended; those in trouble come first. Open says whether it takes tasks. The lock is
// held.
func (s *Sight) healthLocked() (h insight.Health, open bool) {
	stage, open := s.crew.Stage()
	h = insight.Health{Status: insight.HealthOK, At: s.owner.Clock.Time(s.owner.Clock.Now()),
		Pool: s.owner.Name, State: stage, Tasks: s.expected.tasksLocked()}
	if len(h.Tasks) > 0 && inTrouble(h.Tasks[0]) {
		h.Status = insight.HealthDegraded
	}
	if !open {
		h.Status, h.Reason = insight.HealthDown, "it is "+stage
		return h, false
	}
	lack, down := s.shortage.lackLocked()
	switch h.Reason = lack; {
	case down:
		h.Status = insight.HealthDown
	case lack != "":
		h.Status = insight.HealthDegraded
	}
	return h, true
}

// tasksLocked returns those tasks, the worst first.
func (es *expected) tasksLocked() (tasks []insight.TaskHealth) {
	es.sweepLocked()
	now, held := es.owner.Clock.Now(), es.crew.Held()
	for _, d := range es.dead {
		tasks = append(tasks, es.healthOf(d))
	}
	for _, e := range es.tasks {
		if t, ok := es.judge(e, now, held); ok {
			tasks = append(tasks, t)
		}
	}
	order := []string{taskFailed, taskLate, taskNew, taskPaused, taskOK}
	slices.SortStableFunc(tasks, func(a, b insight.TaskHealth) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)),
			cmp.Compare(a.Name, b.Name))
	})
	return tasks
}
