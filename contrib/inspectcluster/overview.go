package inspectcluster

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/executor/insight"
)

// seen is what an overview consists of.
type seen struct {
	tasks   []cluster.TaskSummary
	stats   cluster.Stats
	series  cluster.SeriesStats
	workers []cluster.Worker
}

func (s *source) see(ctx context.Context) (o seen, err error) {
	if o.tasks, err = s.pool.Tasks(ctx); err != nil {
		return o, err
	}
	if o.stats, err = s.pool.Stats(ctx); err != nil {
		return o, err
	}
	if o.series, err = s.pool.SeriesStats(ctx, s.opts.OverdueBy); err != nil {
		return o, err
	}
	o.workers, err = s.pool.Workers(ctx)
	return o, err
}

func (s *source) overview(ctx context.Context) (v panel.View, err error) {
	o, err := s.see(ctx)
	if err != nil {
		return v, err
	}
	return panel.View{Troubles: o.troubles(s.opts.DueFor), Facts: o.facts(),
		Tables: []panel.Table{o.names(), workersTable(o.workers)}}, nil
}

func (o seen) facts() (f facts) {
	var waiting, due, held uint64
	var oldest time.Time
	for _, t := range o.tasks {
		waiting, due, held = waiting+t.Waiting, due+t.Due, held+uint64(t.Held)
		if !t.Oldest.IsZero() && (oldest.IsZero() || t.Oldest.Before(oldest)) {
			oldest = t.Oldest
		}
	}
	f.add("waiting", panel.Count(waiting).To(theTasks, ""))
	f.add("due", panel.Count(due).To(theTasks, ""))
	f.add("oldest due", aTime(oldest))
	f.add("held", panel.Count(held).To(theTasks, ""))
	f.add("failed for good", panel.Count(o.stats.Failed).To(theFailed, ""))
	series, paused := 0, 0
	for _, t := range o.series.Tasks {
		series, paused = series+t.Series, paused+t.Paused
	}
	f.add("series", panel.Count(uint64(series)).To(theSeries, ""))
	f.add("series paused", many(uint64(paused)).To(theSeries, ""))
	busy, size := 0, 0
	for _, w := range o.workers {
		busy, size = busy+w.Busy, size+w.Size
	}
	f.add("workers", panel.Count(uint64(len(o.workers))).To(theWorkers, ""))
	f.add("busy", panel.Name(fmt.Sprintf("%d of %d", busy, size)))
	f.add("healed", many(o.stats.Healed))
	return f
}

// troubles are what is wrong: what has failed, what nobody serves, what is overdue, what fails.
func (o seen) troubles(dueFor time.Duration) (list []panel.Trouble) {
	for _, t := range o.stats.Tasks {
		if t.Failed > 0 {
			list = append(list, panel.Trouble{What: insight.Dead, Of: aName(t.Task), Count: t.Failed,
				Says: numbered(t.Failed, "run has", "runs have") + " failed for good"})
		}
	}
	for _, t := range o.tasks {
		switch {
		case t.Due > 0 && t.Workers == 0:
			list = append(list, panel.Trouble{What: insight.Starved, Of: aName(t.Task), Count: t.Due,
				Since: t.Oldest.Local(), Says: "nobody serves it, and " + numbered(t.Due, "run is", "runs are") + " due"})
		case t.Age >= dueFor:
			list = append(list, panel.Trouble{What: insight.Overdue, Of: aName(t.Task), Count: t.Due,
				Since: t.Oldest.Local(), Says: numbered(t.Due, "run waits", "runs wait") + " for a worker, the oldest"})
		}
	}
	for _, row := range o.series.Worst {
		list = append(list, panel.Trouble{What: insight.Late, Of: aSeries(row.Task, row.Series),
			Since: row.Due.Local(), Says: "should have run, and has been due"})
	}
	for _, t := range o.series.Tasks {
		if t.Failing > 0 {
			list = append(list, panel.Trouble{What: insight.Failing, Of: aName(t.Task), Count: uint64(t.Failing),
				Says: "the last run of " + numbered(uint64(t.Failing), "series", "series") + " failed"})
		}
	}
	return list
}

func numbered(n uint64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}

// names is the table of all names of tasks, those of the failed set too.
func (o seen) names() panel.Table {
	t := panel.Table{Title: "Tasks by name",
		Columns: []string{"task", "waiting", "due", "oldest due", "held", "failed", "workers"},
		Empty:   "nothing was ever submitted"}
	failed := map[string]uint64{}
	for _, st := range o.stats.Tasks {
		failed[st.Task] = st.Failed
	}
	for _, is := range o.tasks {
		t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{aName(is.Task), panel.Count(is.Waiting),
			panel.Count(is.Due), aTime(is.Oldest), panel.Count(uint64(is.Held)), panel.Count(failed[is.Task]),
			panel.Count(uint64(is.Workers))}})
		delete(failed, is.Task)
	}
	for _, st := range o.stats.Tasks {
		if n := failed[st.Task]; n > 0 {
			t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{aName(st.Task), panel.Count(0), panel.Count(0), {},
				panel.Count(0), panel.Count(n), panel.Count(0)}})
		}
	}
	return t
}

// name is what there is of one name.
func (s *source) name(ctx context.Context, task string) (v panel.View, err error) {
	o, err := s.see(ctx)
	if err != nil {
		return v, err
	}
	page, err := s.pool.List(ctx, cluster.Query{Task: task, Limit: onPage})
	if err != nil {
		return v, err
	}
	series, err := s.pool.Series(ctx, cluster.Query{Task: task, Limit: fewOnPage})
	if err != nil {
		return v, err
	}
	known := false
	v.Title = task
	var f facts
	for _, t := range o.tasks {
		if known = known || t.Task == task; t.Task == task {
			f.add("waiting", panel.Count(t.Waiting))
			f.add("due", panel.Count(t.Due))
			f.add("oldest due", aTime(t.Oldest))
			f.add("held", panel.Count(uint64(t.Held)))
			f.add("given out again", many(uint64(t.Repeated)))
			f.add("workers", panel.Count(uint64(t.Workers)).To(theWorkers, ""))
		}
	}
	failed := uint64(0)
	for _, t := range o.stats.Tasks {
		if t.Task == task {
			known, failed = true, t.Failed
			f.add("at once, at most", many(uint64(t.AtOnce)))
		}
	}
	if !known {
		return v, panel.ErrNotFound
	}
	f.add("failed for good", panel.Count(failed))
	v.Facts, v.Troubles = f, only(task, o.troubles(s.opts.DueFor))
	v.Tables = []panel.Table{tasksTable(page.Rows), seriesTable(series.Rows)}
	if failed > 0 {
		v.Actions = actionsOfAll(task, failed)
		v.Tables = append([]panel.Table{s.failedOf(ctx, task)}, v.Tables...)
	}
	return v, nil
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

// failedOf is the table of the failed tasks of a name. A process that may not read them has the rest.
func (s *source) failedOf(ctx context.Context, task string) panel.Table {
	page, err := s.pool.Failed(ctx, cluster.FailedFilter{Task: task}, 0, fewOnPage)
	if err != nil {
		return panel.Table{Title: "Failed", Columns: []string{"task"}, Empty: err.Error()}
	}
	return failedTable(page)
}
