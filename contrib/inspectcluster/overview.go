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
				Since: t.Oldest.Local(),
				Says:  "nobody serves it, and " + numbered(t.Due, "run has", "runs have") + " been due"})
		case t.Age >= dueFor:
			list = append(list, panel.Trouble{What: insight.Overdue, Of: aName(t.Task), Count: t.Due,
				Since: t.Oldest.Local(),
				Says:  numbered(t.Due, "run waits", "runs wait") + " for a worker, the oldest"})
		}
	}
	for _, row := range o.series.Worst {
		list = append(list, panel.Trouble{What: insight.Late, Of: aSeries(row.Task, row.Series),
			Since: row.Due.Local(), Says: "should have run, and has been due"})
	}
	for _, t := range o.series.Tasks {
		if t.Failing > 0 {
			list = append(list, panel.Trouble{What: insight.Failing, Of: aName(t.Task),
				Count: uint64(t.Failing), Says: "the last run of " + numbered(uint64(t.Failing), "series", "series") + " failed"})
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
	t := panel.Table{Title: "Tasks by name", Empty: "nothing was ever submitted",
		Columns: []string{"task", "waiting", "due", "oldest due", "held", "failed", "workers"}}
	failed := map[string]uint64{}
	for _, st := range o.stats.Tasks {
		failed[st.Task] = st.Failed
	}
	add := func(is cluster.TaskSummary) {
		t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{aName(is.Task), panel.Count(is.Waiting),
			panel.Count(is.Due), aTime(is.Oldest), panel.Count(uint64(is.Held)),
			panel.Count(failed[is.Task]), panel.Count(uint64(is.Workers))}})
		delete(failed, is.Task)
	}
	for _, is := range o.tasks {
		add(is)
	}
	for _, st := range o.stats.Tasks {
		if failed[st.Task] > 0 {
			add(cluster.TaskSummary{Task: st.Task})
		}
	}
	return t
}
