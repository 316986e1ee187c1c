package inspectcluster

import (
	"context"
	"slices"
	"strings"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
)

func (s *source) workers(ctx context.Context) (v panel.View, err error) {
	list, err := s.pool.Workers(ctx)
	return panel.View{Tables: []panel.Table{workersTable(list), runningTable(list)}}, err
}

func workersTable(list []cluster.Worker) panel.Table {
	t := panel.Table{Title: "Workers", List: theWorkers, Empty: "nobody serves",
		Columns: []string{"worker", "version", "since", "busy", "of", "serves", "state"}}
	for _, w := range list {
		state := panel.Value{}
		if w.Stopping {
			state = panel.Badge("stopping")
		}
		t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{panel.Name(w.Instance), word(w.Version),
			aTime(w.Since), panel.Count(uint64(max(w.Busy, 0))), panel.Count(uint64(max(w.Size, 0))),
			panel.Name(strings.Join(w.Tasks, ", ")), state}})
	}
	return t
}

// runningTable is who runs what.
func runningTable(list []cluster.Worker) panel.Table {
	t := panel.Table{Title: "What they run", Columns: []string{"run", "task", "worker", "attempt", "since"}}
	for _, w := range list {
		for _, r := range w.Running {
			what := aTask(r.ID)
			if r.Series != "" {
				what = aSeries(r.Task, r.Series)
			}
			t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{what, aName(r.Task), panel.Name(w.Instance),
				panel.Count(uint64(max(r.Attempt, 0))), aTime(r.Since)}})
		}
	}
	return t
}

// audit is what was done by hand, the last first.
func (s *source) audit(ctx context.Context) (v panel.View, err error) {
	list, err := s.pool.Audit(ctx, onPage)
	t := panel.Table{Title: "What was done by hand, the last first",
		Columns: []string{"what", "when", "by", "task", "of", "detail"}}
	for _, e := range slices.Backward(list) {
		of := word(e.ID)
		if e.Series != "" {
			of = aSeries(e.Task, e.Series)
		}
		t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{panel.Name(e.Verb), aTime(e.At), word(e.By),
			aName(e.Task), of, word(e.Detail)}})
	}
	return panel.View{Tables: []panel.Table{t}}, err
}
