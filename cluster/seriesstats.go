package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// SeriesStats are the figures of all series of a pool, for gauges and alarms.
type SeriesStats struct {
	Tasks []TaskSeriesStats `json:"tasks"` // those that have series, in the order of their names

	// Worst are the overdue series, the most overdue first, at most twenty. Their Last is nil, and At
	// is the server's time of the figures.
	Worst []SeriesRow `json:"worst"`
	At    time.Time   `json:"at"`
}

// TaskSeriesStats are the figures of the series of one task.
type TaskSeriesStats struct {
	Task    string `json:"task"`
	Series  int    `json:"series"` // in all
	Paused  int    `json:"paused"` // of them
	Overdue int    `json:"overdue"`

	// Failing are those whose last run has failed, panicked or was abandoned, as far as that is
	// known: not of a series that was given a command during the run.
	Failing int `json:"failing"`

	// Late is how late the latest one began of the runs that have ended within the last minute, of
	// each series the last one.
	Late time.Duration `json:"late"`
}

const (
	mostWorst = 20
	lately    = time.Minute
)

// SeriesStats goes through all series. Which are overdue is said by [Pool.Overdue]; it costs the
// same, but nothing for each of them. Errors are ErrInvalid and those of [Submit].
func (p *Pool) SeriesStats(
	ctx context.Context, overdueBy time.Duration,
) (s SeriesStats, err error) {
	if overdueBy < 0 {
		return s, fmt.Errorf("%w: overdue by %v", ErrInvalid, overdueBy)
	}
	err = p.list(ctx, "figures of series", func(ctx context.Context) error {
		found, err := p.survey(ctx, overdueBy)
		if err == nil {
			s = found.stats()
		}
		return err
	})
	return s, err
}

func (s *survey) stats() SeriesStats {
	byTask := map[string]*TaskSeriesStats{}
	of := func(at place) *TaskSeriesStats {
		if byTask[at.task()] == nil {
			byTask[at.task()] = &TaskSeriesStats{Task: nameOf(at.task())}
		}
		return byTask[at.task()]
	}
	for at, standing := range s.all {
		of(at).add(standing, s.now)
	}
	stats := SeriesStats{Tasks: []TaskSeriesStats{}, Worst: []SeriesRow{}, At: s.now}
	for _, o := range s.overdue {
		of(o.at).Overdue++
		if len(stats.Worst) < mostWorst {
			stats.Worst = append(stats.Worst, o.row)
		}
	}
	for _, t := range byTask {
		stats.Tasks = append(stats.Tasks, *t)
	}
	slices.SortFunc(stats.Tasks, func(a, b TaskSeriesStats) int {
		return strings.Compare(a.Task, b.Task)
	})
	return stats
}

// add counts a series.
func (t *TaskSeriesStats) add(s *standing, now time.Time) {
	t.Series++
	if s.paused() {
		t.Paused++
	}
	if s.link.last.failing() {
		t.Failing++
	}
	if last := s.link.last; now.Sub(last.ended) <= lately {
		t.Late = max(t.Late, last.late)
	}
}
