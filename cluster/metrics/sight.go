package metrics

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// sight is what has been seen of a pool.
type sight struct {
	pool    string
	at      time.Time
	tasks   []cluster.TaskSummary
	stats   cluster.Stats
	workers []cluster.Worker
	series  cluster.SeriesStats
	labels  map[string]string // of tasks
}

func see(ctx context.Context, p *cluster.Pool) (s *sight, err error) {
	s = &sight{pool: p.Name()}
	if s.tasks, err = p.Tasks(ctx); err != nil {
		return nil, err
	}
	if s.stats, err = p.Stats(ctx); err != nil {
		return nil, err
	}
	if s.workers, err = p.Workers(ctx); err != nil {
		return nil, err
	}
	if s.series, err = p.SeriesStats(ctx, OverdueBy); err != nil {
		return nil, err
	}
	s.at = time.Now()
	s.name()
	return s, nil
}

const (
	// mostNames bounds the tasks that are told one by one.
	mostNames = 200
	other     = "other"
)

// name decides which tasks are told by their names.
func (s *sight) name() {
	var names []string
	for _, t := range s.tasks {
		names = append(names, t.Task)
	}
	for _, t := range s.stats.Tasks {
		names = append(names, t.Task)
	}
	for _, t := range s.series.Tasks {
		names = append(names, t.Task)
	}
	slices.Sort(names)
	s.labels = map[string]string{}
	for i, name := range slices.Compact(names) {
		if s.labels[name] = valid(name); i >= mostNames {
			s.labels[name] = other
		}
	}
}

// label is what a task is called.
func (s *sight) label(task string) string { return s.labels[task] }

// valid returns text as UTF-8, which exporters insist on.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
