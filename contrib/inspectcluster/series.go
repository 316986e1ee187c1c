package inspectcluster

import (
	"context"
	"errors"
	"strconv"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
)

func (s *source) series(ctx context.Context, at panel.Query, after uint64) (v panel.View, err error) {
	page, err := s.pool.Series(ctx, cluster.Query{Task: at.Search, State: cluster.State(at.Choice),
		After: after, Limit: fewOnPage})
	if err != nil {
		return v, err
	}
	t := seriesTable(page.Rows)
	t.Next, t.Search = next(page.Next), "Task"
	t.Choices = []string{string(cluster.StateWaiting), string(cluster.StateDue),
		string(cluster.StateHeld), string(cluster.StatePaused)}
	return panel.View{Tables: []panel.Table{t}}, nil
}

func seriesTable(rows []cluster.SeriesRow) panel.Table {
	t := panel.Table{Title: "Series", List: theSeries, Empty: "no series is like that",
		Columns: []string{"series", "task", "state", "when", "every", "next", "last run", "took", "ended",
			"by"}}
	for _, r := range rows {
		values := []panel.Value{aSeries(r.Task, r.Series), aName(r.Task), panel.Badge(string(r.State)),
			when(r), every(r), aTime(r.Due)}
		if l := r.Last; l != nil {
			values = append(values, aTime(l.Began), panel.Span(l.Took), outcome(l.Outcome), word(l.Instance))
		}
		t.Rows = append(t.Rows, panel.Row{Values: values, Actions: actionsOfSeries(r, false)})
	}
	return t
}

// when is how the times of a series follow each other.
func when(r cluster.SeriesRow) panel.Value {
	switch {
	case r.Calendar != "":
		return panel.Name(r.Calendar)
	case r.Kind == "rate":
		return panel.Name("fixed rate")
	case r.Kind == "delay":
		return panel.Name("fixed delay")
	}
	return word(r.Kind)
}

func every(r cluster.SeriesRow) panel.Value {
	if r.Every == 0 {
		return panel.Value{}
	}
	return panel.Span(r.Every)
}

func actionsOfSeries(r cluster.SeriesRow, all bool) []panel.Action {
	at := panel.Ref{List: theSeries, ID: seriesID(r.Task, r.Series)}
	pause := panel.Action{Ref: at, Verb: "pause", Label: "Pause"}
	trigger := panel.Action{Ref: at, Verb: "trigger", Label: "Run now"}
	if r.State == cluster.StatePaused {
		pause.Verb, pause.Label, trigger.Why = "resume", "Resume", "it is paused"
	}
	list := []panel.Action{pause, trigger}
	if all {
		list = append(list, panel.Action{Ref: at, Verb: "cancel", Label: "Cancel", Vanishes: true,
			Confirm: "It does not run again in any process, until one declares it anew."})
	}
	return list
}

// oneSeries is a series, or the last runs of one that has ended.
func (s *source) oneSeries(ctx context.Context, id string) (v panel.View, err error) {
	task, name, err := seriesOf(id)
	if err != nil {
		return v, err
	}
	v.Title = name
	d, err := s.pool.SeriesDetail(ctx, task, name)
	if errors.Is(err, cluster.ErrNoSeries) {
		ran, err := s.pool.History(ctx, task, name)
		if err == nil && len(ran) == 0 {
			err = cluster.ErrNoSeries
		}
		v.Facts = []panel.Fact{{Name: "task", Value: aName(task)}, {Name: "state", Value: panel.Badge("ended")}}
		v.Tables = []panel.Table{ranTable(ran)}
		return v, err
	}
	if err != nil {
		return v, err
	}
	v.Facts, v.Actions, v.Texts = seriesFacts(d), actionsOfSeries(d.SeriesRow, true), s.payload(d.Payload)
	v.Tables = []panel.Table{ranTable(d.Ran)}
	if len(d.Upcoming) > 0 {
		t := panel.Table{Title: "Next times", Columns: []string{"when"}}
		for _, at := range d.Upcoming {
			t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{aTime(at)}})
		}
		v.Tables = append([]panel.Table{t}, v.Tables...)
	}
	return v, nil
}

func seriesFacts(d cluster.SeriesDetail) (f facts) {
	f.add("task", aName(d.Task))
	f.add("state", panel.Badge(string(d.State)))
	f.add("when", when(d.SeriesRow))
	f.add("every", every(d.SeriesRow))
	f.add("next", aTime(d.Due))
	f.add("run", panel.Count(d.Number))
	f.add("worker", word(d.Worker))
	f.add("began", aTime(d.Since))
	f.add("attempt", many(uint64(d.Attempt)))
	f.add("missed times", panel.Name(d.CatchUp))
	f.add("missed so far", many(d.Missed))
	f.add("generation", many(d.Generation))
	f.add("payload", panel.Name(strconv.Itoa(d.Size)+" bytes"))
	return f
}

func ranTable(ran []cluster.RanRow) panel.Table {
	t := panel.Table{Title: "Its last runs, the latest first", Empty: "no run has ended yet",
		Columns: []string{"run", "due", "late", "took", "ended", "error", "by", "attempt"}}
	for _, r := range ran {
		late := panel.Value{}
		if !r.Began.IsZero() {
			late = panel.Span(max(r.Began.Sub(r.Scheduled), 0))
		}
		how := outcome(r.Outcome)
		by := word(r.Instance)
		if r.Before != "" {
			by.Text += ", after " + r.Before + " had died in it"
		}
		t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{panel.Name(strconv.FormatUint(r.Number, 10)),
			aTime(r.Scheduled), late, panel.Span(r.Took), how, failure(r.Error), by,
			panel.Count(uint64(max(r.Attempt, 0)))}})
	}
	return t
}
