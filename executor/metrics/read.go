package metrics

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// readFailures tells the failures task by task; without measurements only those of all tasks are
// known.
func readFailures(s *sight, to *points) {
	if !s.measured {
		to.add(float64(s.Failures), "")
		return
	}
	each(func(t *insight.TaskMeasurements) float64 { return float64(t.Failures) })(s, to)
}

// readExpired is readFailures for the runs that have expired.
func readExpired(s *sight, to *points) {
	if !s.measured {
		to.add(float64(s.Stats.Expired), "")
		return
	}
	each(func(t *insight.TaskMeasurements) float64 { return float64(t.Expired) })(s, to)
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
