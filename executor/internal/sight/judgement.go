package sight

import (
	"cmp"
	"slices"
	"time"
)

// TaskHealth is executor.TaskHealth, field by field.
type TaskHealth struct {
	Name          string
	State         string
	Since         time.Time
	LastSuccess   time.Time
	FailuresInRow uint64
	Reason        string
}

// InTrouble reports whether what is expected of the task does not hold.
func (t TaskHealth) InTrouble() bool { return t.State == HealthLate || t.State == HealthFailed }

// The states of a task, from bad to good.
const (
	HealthFailed = "failed"
	HealthLate   = "late"
	HealthNew    = "new"
	HealthPaused = "paused"
	HealthOK     = "ok"
)

// The states of an owner that is not ok.
const (
	HealthDegraded = "degraded"
	HealthDown     = "down"
)

// HealthLocked tells how the owner is, and its tasks of which something is expected or which a
// failure has ended; those in trouble come first. Stage is that of the owner, which refuses tasks
// unless it is open. The lock is held.
func (s *Sight) HealthLocked(stage string, open bool) (status, reason string, tasks []TaskHealth) {
	status, tasks = HealthOK, s.expected.tasksLocked()
	if len(tasks) > 0 && tasks[0].InTrouble() {
		status = HealthDegraded
	}
	if !open {
		return HealthDown, "it is " + stage, tasks
	}
	switch lack, down := s.shortage.lackLocked(); {
	case down:
		return HealthDown, lack, tasks
	case lack != "":
		return HealthDegraded, lack, tasks
	}
	return status, "", tasks
}

// tasksLocked returns those tasks, the worst first.
func (es *expected) tasksLocked() (tasks []TaskHealth) {
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
	order := []string{HealthFailed, HealthLate, HealthNew, HealthPaused, HealthOK}
	slices.SortStableFunc(tasks, func(a, b TaskHealth) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)),
			cmp.Compare(a.Name, b.Name))
	})
	return tasks
}
