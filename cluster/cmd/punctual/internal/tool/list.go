package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
)

// listCommand lists.
type listCommand struct {
	What  string `arg:"" default:"names" enum:"names,tasks,series,failed,workers,pools,audit" help:"What to list: ${enum}."`
	Task  string `short:"t" help:"Only of the task of this name."`
	State string `help:"Only in this state: waiting, backoff, due, held; series also paused."`
	Limit int    `default:"100" help:"How many rows, up to 1,000."`
	After uint64 `help:"Go on behind a page: the number that it has ended with."`
}

func (c *listCommand) Run(ctx context.Context, t *tool) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.What == "pools" {
		return t.connected(ctx, t.listPools)
	}
	lists := map[string]func(context.Context, *tool, *cluster.Pool) error{
		"names": c.names, "tasks": c.tasks, "series": c.series, "failed": c.failed,
		"workers": c.workers, "audit": c.audit,
	}
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		return lists[c.What](ctx, t, p)
	})
}

// check refuses what a list has no use for, rather than ignore it.
func (c *listCommand) check() error {
	rows := c.What == "tasks" || c.What == "series"
	switch {
	case c.Limit < 1:
		return fmt.Errorf("%w: --limit %d; a list has a row at least", errWrongUse, c.Limit)
	case c.State != "" && !rows:
		return fmt.Errorf("%w: --state is for tasks and series", errWrongUse)
	case c.After > 0 && !rows && c.What != "failed":
		return fmt.Errorf("%w: --after is for tasks, series and failed", errWrongUse)
	case c.Task != "" && !rows && c.What != "failed":
		return fmt.Errorf("%w: --task is for tasks, series and failed", errWrongUse)
	}
	return nil
}

func (c *listCommand) query() cluster.Query {
	return cluster.Query{Task: c.Task, State: cluster.State(c.State), After: c.After, Limit: c.Limit}
}

func (t *tool) listPools(ctx context.Context, nc *nats.Conn) error {
	pools, err := cluster.Pools(ctx, nc)
	if err != nil {
		return err
	}
	return t.write(pools, func() error {
		rows := t.table("POOL")
		for _, name := range pools {
			rows.row(name)
		}
		return rows.end()
	})
}

func (c *listCommand) names(ctx context.Context, t *tool, p *cluster.Pool) error {
	names, err := p.Tasks(ctx)
	if err != nil {
		return err
	}
	return t.write(names, func() error {
		rows := t.table("TASK", "WAITING", "DUE", "HELD", "OLDEST DUE", "SERVED BY")
		for _, n := range names {
			served := fmt.Sprint(n.Workers)
			if n.Workers == 0 {
				served = "nobody"
			}
			rows.row(n.Task, n.Waiting, n.Due, n.Held, n.Age, served)
		}
		return rows.end()
	})
}

func (c *listCommand) tasks(ctx context.Context, t *tool, p *cluster.Pool) error {
	page, err := p.List(ctx, c.query())
	if err != nil {
		return err
	}
	return t.write(page, func() error {
		rows := t.table("TASK", "ID", "STATE", "DUE", "STORED", "ATTEMPT", "WORKER", "ERROR")
		for _, r := range page.Rows {
			rows.row(r.Task, r.ID, r.State, r.Due, r.Stored, r.Attempt, r.Worker, r.Error)
		}
		return t.endPage(rows, page.Next)
	})
}

func (c *listCommand) series(ctx context.Context, t *tool, p *cluster.Pool) error {
	page, err := p.Series(ctx, c.query())
	if err != nil {
		return err
	}
	return t.write(page, func() error {
		rows := t.table("TASK", "SERIES", "STATE", "NEXT", "CADENCE", "LAST", "OUTCOME", "WORKER", "ERROR")
		for _, r := range page.Rows {
			last := cluster.RanRow{}
			if r.Last != nil {
				last = *r.Last
			}
			rows.row(r.Task, r.Series, r.State, r.Due, cadence(r), last.Began, last.Outcome, r.Worker,
				last.Error)
		}
		return t.endPage(rows, page.Next)
	})
}

func (c *listCommand) failed(ctx context.Context, t *tool, p *cluster.Pool) error {
	return t.listFailed(ctx, p, cluster.FailedFilter{Task: c.Task, All: c.Task == ""}, c.After, c.Limit)
}

// cadence says how the times of a series follow each other.
func cadence(r cluster.SeriesRow) string {
	switch {
	case r.Kind == "rate":
		return "every " + roughly(r.Every)
	case r.Kind == "delay":
		return roughly(r.Every) + " after each"
	case r.Calendar != "":
		return r.Calendar
	}
	return r.Kind
}

func (c *listCommand) workers(ctx context.Context, t *tool, p *cluster.Pool) error {
	workers, err := p.Workers(ctx)
	if err != nil {
		return err
	}
	return t.write(workers, func() error {
		rows := t.table("INSTANCE", "VERSION", "SINCE", "LAST SEEN", "BUSY", "TASKS", "RUNNING")
		for _, w := range workers {
			var running []string
			for _, r := range w.Running {
				running = append(running, strings.TrimSpace(r.Task+" "+r.Series))
			}
			rows.row(w.Instance, w.Version, w.Since, ago(w.Told), fmt.Sprintf("%d of %d", w.Busy, w.Size),
				strings.Join(w.Tasks, ", "), strings.Join(running, ", "))
		}
		return rows.end()
	})
}

func (c *listCommand) audit(ctx context.Context, t *tool, p *cluster.Pool) error {
	entries, err := p.Audit(ctx, c.Limit)
	if err != nil {
		return err
	}
	entries = append([]cluster.AuditEntry{}, entries...) // JSON has a list, not null
	return t.write(entries, func() error {
		rows := t.table("AT", "BY", "WHAT", "TASK", "SERIES", "ID", "DETAIL")
		for _, e := range entries {
			rows.row(e.At, e.By, e.Verb, e.Task, e.Series, e.ID, e.Detail)
		}
		return rows.end()
	})
}

// endPage ends a table, and says how to go on.
func (t *tool) endPage(rows table, next uint64) error {
	err := rows.end()
	if next > 0 && err == nil {
		_, err = fmt.Fprintf(t.out, "There is more: --after %d\n", next)
	}
	return err
}

func ago(at time.Time) string { return text(time.Since(at).Round(time.Second)) + " ago" }
