package tool

import (
	"context"
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/cluster"
)

// failedTasks says which of the failed tasks are meant.
type failedTasks struct {
	IDs  []string `arg:"" optional:"" name:"id" help:"The IDs of the tasks."`
	Task string   `short:"t" help:"All of the task of this name."`
	All  bool     `help:"All that have failed."`
	Dry  bool     `name:"dry-run" help:"Only list what it would be."`
}

func (f *failedTasks) filter() (cluster.FailedFilter, error) {
	if len(f.IDs) == 0 && f.Task == "" && !f.All {
		return cluster.FailedFilter{}, fmt.Errorf("%w: which? Give IDs, --task or --all", errWrongUse)
	}
	if f.All && (f.Task != "" || len(f.IDs) > 0) {
		return cluster.FailedFilter{}, fmt.Errorf("%w: --all goes with no other choice", errWrongUse)
	}
	return cluster.FailedFilter{Task: f.Task, IDs: f.IDs, All: f.All}, nil
}

// chosen says what was chosen, for the audit.
func (f *failedTasks) entry(verb string, n int) cluster.AuditEntry {
	e := cluster.AuditEntry{Verb: verb, Task: f.Task, Detail: fmt.Sprintf("%d tasks", n)}
	if len(f.IDs) == 1 {
		e.ID = f.IDs[0]
	}
	return e
}

type (
	redriveCommand struct{ failedTasks }
	discardCommand struct{ failedTasks }
)

func (c *redriveCommand) Run(ctx context.Context, t *tool) error {
	which, err := c.filter()
	if err != nil {
		return err
	}
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		if c.Dry {
			return t.listFailed(ctx, p, which, 0, 1000)
		}
		done, err := p.Redrive(ctx, which)
		done = append([]cluster.Redriven{}, done...) // JSON has a list, not null
		if len(done) == 0 && err == nil && c.Task != "" {
			err = fmt.Errorf("%w: nothing has failed of task %q", errNotThere, c.Task)
		}
		if len(done) > 0 {
			t.did(ctx, p, c.entry("redrive", len(done)))
		}
		if len(done) == 0 && err != nil {
			return err
		}
		return errors.Join(err, t.write(done, func() error { return t.showRedriven(done) }))
	})
}

func (t *tool) showRedriven(done []cluster.Redriven) error {
	rows := t.table("TASK", "FAILED", "RUNS AGAIN AS")
	for _, r := range done {
		rows.row(r.Task, r.ID, r.New)
	}
	return rows.end()
}

func (c *discardCommand) Run(ctx context.Context, t *tool) error {
	which, err := c.filter()
	if err != nil {
		return err
	}
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		if c.Dry {
			return t.listFailed(ctx, p, which, 0, 1000)
		}
		n, err := p.Discard(ctx, which)
		if n == 0 && err == nil && c.Task != "" {
			err = fmt.Errorf("%w: nothing has failed of task %q", errNotThere, c.Task)
		}
		if n > 0 {
			t.did(ctx, p, c.entry("discard", n))
		}
		if n == 0 && err != nil {
			return err
		}
		return errors.Join(err, t.write(map[string]int{"discarded": n}, func() error {
			_, err := fmt.Fprintf(t.out, "%d discarded\n", n)
			return err
		}))
	})
}

// listFailed lists a page of the failed set.
func (t *tool) listFailed(
	ctx context.Context, p *cluster.Pool, which cluster.FailedFilter, after uint64, limit int,
) error {
	page, err := p.Failed(ctx, which, after, limit)
	if err != nil {
		return err
	}
	return t.write(page, func() error {
		rows := t.table("TASK", "ID", "KIND", "AT", "ATTEMPTS", "BY", "ERROR")
		for _, f := range page.Rows {
			rows.row(f.Task, f.ID, f.Kind, f.At, f.Attempts, f.Instance, f.Error)
		}
		return t.endPage(rows, page.Next)
	})
}
