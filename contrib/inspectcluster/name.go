package inspectcluster

import (
	"context"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
)

// name is what there is of one name.
func (s *source) name(ctx context.Context, task string) (v panel.View, err error) {
	o, err := s.see(ctx)
	if err != nil {
		return v, err
	}
	failed, known := o.failed(task)
	facts := o.factsOf(task)
	if !known && facts == nil {
		return v, panel.ErrNotFound
	}
	v = panel.View{Title: task, Facts: facts, Troubles: only(task, o.troubles(s.opts.DueFor))}
	if failed > 0 {
		page, err := s.pool.Failed(ctx, cluster.FailedFilter{Task: task}, 0, fewOnPage)
		if err != nil {
			return v, err
		}
		v.Actions, v.Tables = actionsOfAll(task, page.Total), []panel.Table{failedTable(page)}
	}
	tasks, err := s.pool.List(ctx, cluster.Query{Task: task, Limit: onPage})
	if err != nil {
		return v, err
	}
	series, err := s.pool.Series(ctx, cluster.Query{Task: task, Limit: fewOnPage})
	v.Tables = append(v.Tables, tasksTable(tasks.Rows), seriesTable(series.Rows))
	return v, err
}

// failed is how many of a name have failed for good, and whether the server knows the name.
func (o seen) failed(task string) (n uint64, known bool) {
	for _, t := range o.stats.Tasks {
		if t.Task == task {
			return t.Failed, true
		}
	}
	return 0, false
}

// factsOf are those of a name; nil if nothing of it was ever submitted or served.
func (o seen) factsOf(task string) (f facts) {
	for _, t := range o.tasks {
		if t.Task == task {
			f.add("waiting", panel.Count(t.Waiting))
			f.add("due", panel.Count(t.Due))
			f.add("oldest due", aTime(t.Oldest))
			f.add("held", panel.Count(uint64(t.Held)))
			f.add("given out again", many(uint64(t.Repeated)))
			f.add("workers", panel.Count(uint64(t.Workers)).To(theWorkers, ""))
		}
	}
	return f
}

// only are the troubles of one name.
func only(task string, list []panel.Trouble) (of []panel.Trouble) {
	for _, t := range list {
		if t.Of.Link == (panel.Ref{List: theNames, ID: task}) {
			of = append(of, t)
		}
	}
	return of
}
