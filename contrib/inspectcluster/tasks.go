package inspectcluster

import (
	"context"
	"strconv"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
)

func (s *source) tasks(ctx context.Context, at panel.Query, after uint64) (v panel.View, err error) {
	page, err := s.pool.List(ctx, cluster.Query{Task: at.Search, State: cluster.State(at.Choice),
		After: after, Limit: onPage})
	if err != nil {
		return v, err
	}
	t := tasksTable(page.Rows)
	t.Next, t.Search = next(page.Next), "Task"
	t.Choices = []string{string(cluster.StateWaiting), string(cluster.StateBackoff),
		string(cluster.StateDue), string(cluster.StateHeld)}
	return panel.View{Tables: []panel.Table{t}}, nil
}

func tasksTable(rows []cluster.TaskRow) panel.Table {
	t := panel.Table{Title: "Tasks without an outcome", List: theTasks, Empty: "no task is like that",
		Columns: []string{"id", "task", "state", "due", "attempt", "worker", "since", "last error"}}
	for _, r := range rows {
		t.Rows = append(t.Rows, panel.Row{Values: []panel.Value{aTask(r.ID), aName(r.Task),
			panel.Badge(string(r.State)), aTime(r.Due), many(uint64(r.Attempt)), word(r.Worker), aTime(r.Since),
			failure(r.Error)}})
	}
	return t
}

// failure is what an error says, or nothing.
func failure(text string) panel.Value {
	if text == "" {
		return panel.Value{}
	}
	return panel.Error(text)
}

func (s *source) task(ctx context.Context, id string) (v panel.View, err error) {
	d, err := s.pool.Task(ctx, id)
	if err != nil {
		return v, err
	}
	v.Title = id
	var f facts
	f.add("task", aName(d.Task))
	f.add("state", word(string(d.State)))
	if d.Outcome != "" {
		f.add("outcome", outcome(d.Outcome))
	}
	f.add("due", aTime(d.Due))
	f.add("planned first", aTime(d.Planned))
	f.add("stored", aTime(d.Stored))
	f.add("attempt", many(uint64(d.Attempt)))
	f.add("failed attempts", many(uint64(d.Failures)))
	f.add("worker", word(d.Worker))
	f.add("began", aTime(d.Since))
	f.add("error", failure(d.Error))
	v.Facts = f
	if d.Outcome == "" {
		f.add("payload", panel.Name(strconv.Itoa(d.Size)+" bytes"))
		v.Facts = f
		v.Texts = s.payload(d.Payload)
		v.Actions = []panel.Action{{Ref: panel.Ref{List: theTasks, ID: id}, Verb: "cancel", Label: "Cancel",
			Confirm: "It does not run any more; if it runs, its context ends.", Vanishes: true}}
	}
	return v, nil
}

// outcome is how a run ended: what is well is ok, as elsewhere on the page.
func outcome(o cluster.Outcome) panel.Value {
	if o == cluster.RunSucceeded {
		return panel.Badge("ok")
	}
	return panel.Badge(string(o))
}
