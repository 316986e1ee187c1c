package inspectcluster

import (
	"context"
	"fmt"
	"strconv"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
)

func (s *source) failed(ctx context.Context, at panel.Query, after uint64) (v panel.View, err error) {
	page, err := s.pool.Failed(ctx, cluster.FailedFilter{Task: at.Search}, after, fewOnPage)
	if err != nil {
		return v, err
	}
	t := failedTable(page)
	t.Search = "Task"
	v.Tables = []panel.Table{t}
	if at.Search != "" && page.Total > 0 {
		v.Actions = actionsOfAll(at.Search, page.Total)
	}
	return v, nil
}

func failedTable(page cluster.FailedPage) panel.Table {
	t := panel.Table{Title: "Failed for good, the oldest first", List: theFailed, Total: page.Total,
		Next: next(page.Next), Empty: "nothing has failed",
		Columns: []string{"id", "task", "failed", "how", "error", "attempts", "worker"}}
	for _, r := range page.Rows {
		t.Rows = append(t.Rows, panel.Row{Actions: actionsOfFailed(r.ID), Values: []panel.Value{
			panel.Name(r.ID).To(theFailed, r.ID), aName(r.Task), aTime(r.At), panel.Badge(r.Kind),
			failure(r.Error), panel.Count(uint64(max(r.Attempts, 0))), word(r.Instance)}})
	}
	return t
}

func (s *source) failedTask(ctx context.Context, id string) (v panel.View, err error) {
	page, err := s.pool.Failed(ctx, cluster.FailedFilter{IDs: []string{id}}, 0, 1)
	if err != nil {
		return v, err
	}
	if len(page.Rows) == 0 {
		return v, panel.ErrNotFound
	}
	r := page.Rows[0]
	var f facts
	f.add("task", aName(r.Task))
	if r.Series != "" {
		f.add("series", aSeries(r.Task, r.Series))
		f.add("run", panel.Count(r.Number))
	}
	f.add("failed", aTime(r.At))
	f.add("how", panel.Badge(r.Kind))
	f.add("attempts", panel.Count(uint64(max(r.Attempts, 0))))
	f.add("last worker", word(r.Instance))
	f.add("planned first", aTime(r.Planned))
	f.add("ran in place of", word(r.RedriveOf))
	f.add("payload", panel.Name(strconv.Itoa(len(r.Payload))+" bytes"))
	return panel.View{Title: id, Facts: f, Actions: actionsOfFailed(id),
		Texts: append([]panel.Text{{Title: "Error", Body: r.Error}}, s.payload(string(r.Payload))...)}, nil
}

func actionsOfFailed(id string) []panel.Action {
	at := panel.Ref{List: theFailed, ID: id}
	return []panel.Action{{Ref: at, Verb: "redrive", Label: "Run again", Vanishes: true},
		{Ref: at, Verb: "discard", Label: "Discard", Vanishes: true,
			Confirm: "It is removed for good, with its payload."}}
}

// actionsOfAll are those for all failed tasks of a name: as many as the viewer has seen.
func actionsOfAll(task string, n uint64) []panel.Action {
	at := panel.Ref{List: theNames, ID: task}
	version := strconv.FormatUint(n, 10)
	return []panel.Action{
		{Ref: at, Verb: "redrive", Label: "Run all again", Version: version,
			Confirm: fmt.Sprintf("Each of the %d that have failed runs again, at once.", n)},
		{Ref: at, Verb: "discard", Label: "Discard all", Version: version,
			Confirm: fmt.Sprintf("All %d are removed for good, with their payloads.", n)}}
}
