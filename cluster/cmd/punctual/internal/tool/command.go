package tool

import (
	"context"
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/cluster"
)

// seriesName names a series.
type seriesName struct {
	Task   string `arg:"" help:"The name of its task."`
	Series string `arg:"" help:"Its name."`
}

type (
	pauseCommand   struct{ seriesName }
	resumeCommand  struct{ seriesName }
	triggerCommand struct{ seriesName }
)

func (c *pauseCommand) Run(ctx context.Context, t *tool) error {
	return c.command(ctx, t, "pause", (*cluster.Series[any]).Pause)
}

func (c *resumeCommand) Run(ctx context.Context, t *tool) error {
	return c.command(ctx, t, "resume", (*cluster.Series[any]).Resume)
}

func (c *triggerCommand) Run(ctx context.Context, t *tool) error {
	return c.command(ctx, t, "trigger", (*cluster.Series[any]).Trigger)
}

// notPaused is nil unless a series is: to trigger it is no wrong use, but it does not run.
func notPaused(ctx context.Context, p *cluster.Pool, n *seriesName) error {
	d, err := p.SeriesDetail(ctx, n.Task, n.Series)
	if err == nil && d.State == cluster.StatePaused {
		return fmt.Errorf("series %q of task %q is paused: resume it first", n.Series, n.Task)
	}
	return nil //nolint:nilerr // the command itself tells what is wrong
}

// command gives a series a command.
func (n *seriesName) command(
	ctx context.Context, t *tool, verb string, do func(*cluster.Series[any], context.Context) error,
) error {
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		if verb == "trigger" {
			if err := notPaused(ctx, p, n); err != nil {
				return err
			}
		}
		s, err := p.SeriesByName(n.Task, n.Series)
		if err == nil {
			err = do(s, ctx)
		}
		if err != nil {
			return err
		}
		t.say(cluster.AuditEntry{Verb: verb, Task: n.Task, Series: n.Series})
		return nil
	})
}

// cancelCommand cancels.
type cancelCommand struct {
	Task   cancelTasks  `cmd:"" help:"Cancel tasks, by their IDs."`
	Series cancelSeries `cmd:"" help:"End a series. A replica that declares it begins it anew."`
}

type cancelTasks struct {
	IDs []string `arg:"" name:"id" help:"The IDs of the tasks."`
}

// cancelled is what has become of a task that was to be cancelled.
type cancelled struct {
	ID        string `json:"id"`
	Prevented bool   `json:"prevented"` // it had no outcome, and is cancelled now
	Error     string `json:"error,omitempty"`
}

func (c *cancelTasks) Run(ctx context.Context, t *tool) error {
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		var list []cancelled
		var errs []error
		for _, id := range c.IDs {
			prevented, err := p.CancelTask(ctx, id)
			row := cancelled{ID: id, Prevented: prevented}
			if err != nil {
				row.Error = err.Error()
				errs = append(errs, fmt.Errorf("task %s: %w", id, err))
			}
			if prevented {
				t.did(ctx, p, cluster.AuditEntry{Verb: "cancel", ID: id})
			}
			list = append(list, row)
		}
		return errors.Join(t.write(list, func() error { return t.showCancelled(list) }),
			errors.Join(errs...))
	})
}

func (t *tool) showCancelled(list []cancelled) error {
	rows := t.table("ID", "CANCELLED", "WHY NOT")
	for _, c := range list {
		why := c.Error
		if !c.Prevented && why == "" {
			why = "it has ended already"
		}
		rows.row(c.ID, c.Prevented, why)
	}
	return rows.end()
}

type cancelSeries struct{ seriesName }

func (c *cancelSeries) Run(ctx context.Context, t *tool) error {
	return t.joined(ctx, func(ctx context.Context, p *cluster.Pool) error {
		// To cancel what is not there is no error in code, but here it is a wrong name.
		if _, err := p.SeriesDetail(ctx, c.Task, c.Series); err != nil {
			return err
		}
		s, err := p.SeriesByName(c.Task, c.Series)
		if err == nil {
			err = s.Cancel(ctx)
		}
		if err != nil {
			return err
		}
		t.say(cluster.AuditEntry{Verb: "cancel", Task: c.Task, Series: c.Series})
		return nil
	})
}
