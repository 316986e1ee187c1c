package tool

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/punctual-go/punctual/cluster"
)

// showCommand shows all of one.
type showCommand struct {
	Task   showTask   `cmd:"" help:"A task, by its ID."`
	Series showSeries `cmd:"" help:"A series: its next times, and its last runs."`
	Failed showFailed `cmd:"" help:"A task that has failed for good, with its payload."`
}

type showFailed struct {
	ID string `arg:"" help:"The ID of the task."`
}

func (c *showFailed) Run(ctx context.Context, t *tool) error {
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		page, err := p.Failed(ctx, cluster.FailedFilter{IDs: []string{c.ID}}, 0, 1)
		if err != nil {
			return err
		}
		if len(page.Rows) == 0 {
			return fmt.Errorf("%w: %s is not in the failed set", errNotThere, c.ID)
		}
		f := page.Rows[0]
		return t.write(f, func() error {
			return t.facts("task", f.Task, "id", f.ID, "series", f.Series, "run", nonZero(int(f.Number)),
				"kind", f.Kind, "error", f.Error, "attempts", f.Attempts, "by", f.Instance, "planned",
				f.Planned, "at", f.At, "redrive of", f.RedriveOf, "payload", string(f.Payload))
		})
	})
}

type showTask struct {
	ID string `arg:"" help:"The ID of the task: of its future, or of Run."`
}

func (c *showTask) Run(ctx context.Context, t *tool) error {
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		d, err := p.Task(ctx, c.ID)
		if err != nil {
			return err
		}
		return t.write(d, func() error {
			return t.facts("task", d.Task, "id", d.ID, "state", d.State, "outcome", d.Outcome,
				"error", d.Error, "due", d.Due, "stored", d.Stored, "attempt", nonZero(d.Attempt),
				"worker", d.Worker, "since", d.Since, "payload", d.Payload)
		})
	})
}

type showSeries struct{ seriesName }

func (c *showSeries) Run(ctx context.Context, t *tool) error {
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		d, err := p.SeriesDetail(ctx, c.Task, c.Series)
		if err != nil {
			return err
		}
		return t.write(d, func() error { return t.showSeries(d) })
	})
}

func (t *tool) showSeries(d cluster.SeriesDetail) error {
	err := t.facts("task", d.Task, "series", d.Series, "state", d.State, "cadence", cadence(d.SeriesRow),
		"catch-up", d.CatchUp, "run", nonZero(int(d.Number)), "missed", nonZero(int(d.Missed)),
		"worker", d.Worker, "since", d.Since)
	if err != nil {
		return err
	}
	fmt.Fprintln(t.out, "\nnext")
	for _, at := range d.Upcoming {
		fmt.Fprintln(t.out, " ", text(at))
	}
	fmt.Fprintln(t.out)
	rows := t.table("RUN", "SCHEDULED", "BEGAN", "TOOK", "BY", "ATTEMPT", "OUTCOME", "ERROR")
	for _, r := range d.Ran {
		rows.row(r.Number, r.Scheduled, r.Began, r.Took, r.Instance, r.Attempt, r.Outcome, r.Error)
	}
	return rows.end()
}

// facts writes pairs of a name and a value, without those that are empty.
func (t *tool) facts(pairs ...any) error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for i := 0; i < len(pairs); i += 2 {
		if value := cleaned(text(pairs[i+1]), longestError); value != "" {
			fmt.Fprintf(w, "%s\t%s\n", pairs[i], value)
		}
	}
	return w.Flush()
}

func nonZero(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
