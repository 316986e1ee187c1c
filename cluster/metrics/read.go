package metrics

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// Read reads the whole table from the server, with the values of the moment. No two points of a
// family have the same attributes. Errors are those of [cluster.Submit]; while no server answers it
// waits until ctx ends, see [Reader] for a monitoring system that must not wait.
func Read(ctx context.Context, p *cluster.Pool) ([]Family, error) {
	s, err := see(ctx, p)
	if err != nil {
		return nil, err
	}
	return s.families(), nil
}

// families is the table with the values of what was seen; without any for nil.
func (s *sight) families() []Family {
	families := make([]Family, len(table))
	for i, row := range table {
		families[i].Metric = row.Metric
		if s != nil {
			to := points{pool: valid(s.pool)}
			row.read(s, &to)
			families[i].Points = to.list
		}
	}
	return families
}

// each reads a figure of each task; those of tasks that are told together are added up.
func each(value func(*cluster.TaskSummary) float64) func(*sight, *points) {
	return func(s *sight, to *points) {
		for i := range s.tasks {
			to.add(value(&s.tasks[i]), s.label(s.tasks[i].Task))
		}
	}
}

// greatest is each with the greatest of those that are told together.
func greatest(value func(*cluster.TaskSummary) float64) func(*sight, *points) {
	return func(s *sight, to *points) {
		for i := range s.tasks {
			to.atLeast(value(&s.tasks[i]), s.label(s.tasks[i].Task))
		}
	}
}

// eachSeries reads a figure of the series of each task.
func eachSeries(value func(*cluster.TaskSeriesStats) float64) func(*sight, *points) {
	return func(s *sight, to *points) {
		for i := range s.series.Tasks {
			to.add(value(&s.series.Tasks[i]), s.label(s.series.Tasks[i].Task))
		}
	}
}

func readTasks(s *sight, to *points) {
	for _, t := range s.tasks {
		name := s.label(t.Task)
		to.add(float64(t.Waiting), name, string(cluster.StateWaiting))
		to.add(float64(t.Due), name, string(cluster.StateDue))
		to.add(float64(t.Held), name, string(cluster.StateHeld))
	}
}

// readFailed tells 0 of a task that has nothing in the failed set: a series must not come and go.
func readFailed(s *sight, to *points) {
	for _, t := range s.tasks {
		to.add(0, s.label(t.Task))
	}
	for _, t := range s.stats.Tasks {
		to.add(float64(t.Failed), s.label(t.Task))
	}
}

func readWorkers(s *sight, to *points) {
	stopping := 0
	for _, w := range s.workers {
		if w.Stopping {
			stopping++
		}
	}
	to.add(float64(len(s.workers)-stopping), "serving")
	to.add(float64(stopping), "stopping")
}

// readSlots counts no more busy slots of a worker than it has: it may run more, on a pool that is
// not its alone.
func readSlots(s *sight, to *points) {
	busy, size := 0, 0
	for _, w := range s.workers {
		busy, size = busy+min(w.Busy, w.Size), size+w.Size
	}
	to.add(float64(busy), "busy")
	to.add(float64(size-busy), "idle")
}

func readSeries(s *sight, to *points) {
	for _, t := range s.series.Tasks {
		to.add(float64(t.Series-t.Paused), s.label(t.Task), "active")
		to.add(float64(t.Paused), s.label(t.Task), "paused")
	}
}

func readLateness(s *sight, to *points) {
	for _, t := range s.series.Tasks {
		to.atLeast(t.Late.Seconds(), s.label(t.Task))
	}
}

func readDelays(s *sight, to *points) {
	for _, row := range s.series.Worst {
		to.atLeast(s.series.At.Sub(row.Due).Seconds(), s.label(row.Task), valid(row.Series))
	}
}

func readMostOverdue(s *sight, to *points) {
	to.add(0)
	for _, row := range s.series.Worst {
		to.atLeast(s.series.At.Sub(row.Due).Seconds())
	}
}

func seconds(t time.Time) float64 {
	return float64(t.Unix()) + float64(t.Nanosecond())/float64(time.Second)
}
