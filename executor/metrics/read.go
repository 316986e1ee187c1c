package metrics

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// counted reads a figure task by task; without measurements only that of all tasks is known.
func counted(value func(*insight.TaskMeasurements) uint64) func(*sight, *points) {
	return func(s *sight, to *points) {
		tasks := s.tasks
		if !s.measured {
			tasks = []insight.TaskMeasurements{{Failures: s.Stats.Failures,
				Skipped: s.Stats.Skipped, Expired: s.Stats.Expired}}
		}
		for i := range tasks {
			to.add(float64(value(&tasks[i])), tasks[i].Name)
		}
	}
}

func readReasons(s *sight, to *points) {
	if !s.measured {
		return
	}
	r := s.Reasons
	for _, part := range []struct {
		cause string
		time  time.Duration
	}{
		{"clock", r.Clock}, {"previous", r.Previous}, {"held", r.Held}, {"busy", r.Busy},
		{"queue", r.Queue}, {"slack", r.Slack}, {"wake", r.Wake},
	} {
		to.add(part.time.Seconds(), part.cause)
	}
}

func readTasks(s *sight, to *points) {
	to.add(float64(s.Accepted), "accepted")
	to.add(float64(s.Rejected), "rejected")
	to.add(float64(s.Completed), "completed")
	to.add(float64(s.Cancelled), "cancelled")
	to.add(float64(s.Returned), "returned")
}

func readOverrunning(s *sight, to *points) {
	if !s.loop {
		to.add(float64(s.Overrunning))
	}
}

func readOverdue(s *sight, to *points) {
	if !s.loop {
		to.add(s.Overdue.Seconds())
	}
}

func readPaused(s *sight, to *points) {
	switch {
	case s.loop:
	case s.Paused:
		to.add(1)
	default:
		to.add(0)
	}
}

// readWorkers counts no more busy workers than there are: tasks also run on helpers and callers.
func readWorkers(s *sight, to *points) {
	busy := min(s.Busy, s.Workers)
	to.add(float64(busy), "busy")
	to.add(float64(s.Workers-busy), "idle")
}

func readLimit(s *sight, to *points) {
	if s.Maximum > 0 {
		to.add(float64(s.Maximum))
	}
}

func readLastSuccess(s *sight, to *points) {
	for _, t := range s.tasks {
		// That of all tasks is known, but not that of those without a name.
		if t.Name != "" && !t.LastSuccess.IsZero() {
			to.add(seconds(t.LastSuccess), t.Name)
		}
	}
}

func readNextRun(s *sight, to *points) {
	for _, l := range s.loners {
		if !l.next.IsZero() {
			to.add(seconds(l.next), l.name)
		}
	}
}

func readPeriod(s *sight, to *points) {
	for _, l := range s.loners {
		if l.period > 0 {
			to.add(l.period.Seconds(), l.name)
		}
	}
}

// histograms reads a histogram of each kind of tasks.
func histograms(
	of func(*insight.TaskMeasurements) *insight.Histogram,
) func(*sight, *points) {
	return func(s *sight, to *points) {
		for i := range s.tasks {
			to.list = append(to.list, Point{Attributes: []string{to.pool, s.tasks[i].Name},
				Histogram: of(&s.tasks[i])})
		}
	}
}
