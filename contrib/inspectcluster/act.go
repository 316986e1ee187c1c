package inspectcluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
)

func (s *source) Act(ctx context.Context, c panel.Command) (done bool, err error) {
	if c.ID == "" { // nothing is done to a whole list
		return false, panel.ErrNotFound
	}
	by := "from the page"
	if s.opts.By != nil { // before anything is done, as it may panic
		by += " by " + s.opts.By(ctx)
	}
	switch c.List {
	case theFailed:
		done, err = s.failedSet(ctx, c.Verb, cluster.FailedFilter{IDs: []string{c.ID}}, by)
	case theNames:
		done, err = s.allOf(ctx, c, by)
	case theTasks:
		done, err = s.cancel(ctx, c, by)
	case theSeries:
		done, err = s.command(ctx, c)
	default:
		err = panel.ErrNotFound
	}
	if errors.Is(err, cluster.ErrGone) || errors.Is(err, cluster.ErrNoSeries) {
		return done, nil // another has been faster
	}
	return done, explained(err)
}

// failedSet runs failed tasks again, or discards them. If that cannot be noted in the audit the pool
// logs it, and what was done stands.
func (s *source) failedSet(
	ctx context.Context, verb string, which cluster.FailedFilter, by string,
) (bool, error) {
	n, err := 0, error(nil)
	switch verb {
	case "redrive":
		var again []cluster.Redriven
		again, err = s.pool.Redrive(ctx, which)
		n = len(again)
	case "discard":
		n, err = s.pool.Discard(ctx, which)
	default:
		return false, panel.ErrNotFound
	}
	if n > 0 {
		e := cluster.AuditEntry{Verb: verb, Task: which.Task,
			Detail: numbered(uint64(n), "task", "tasks") + " " + by}
		if len(which.IDs) == 1 {
			e.ID = which.IDs[0]
		}
		_ = s.pool.Note(ctx, e)
	}
	return n > 0, err
}

// allOf is failedSet for all of a name, if these are as many as the viewer has seen.
func (s *source) allOf(ctx context.Context, c panel.Command, by string) (bool, error) {
	which := cluster.FailedFilter{Task: c.ID}
	page, err := s.pool.Failed(ctx, which, 0, 1)
	if err != nil {
		return false, err
	}
	if strconv.FormatUint(page.Total, 10) != c.Version {
		return false, fmt.Errorf("%w: %d have failed by now", panel.ErrStale, page.Total)
	}
	return s.failedSet(ctx, c.Verb, which, by)
}

func (s *source) cancel(ctx context.Context, c panel.Command, by string) (bool, error) {
	if c.Verb != "cancel" || c.ID == "" {
		return false, panel.ErrNotFound
	}
	prevented, err := s.pool.CancelTask(ctx, c.ID)
	if err == nil && prevented {
		_ = s.pool.Note(ctx, cluster.AuditEntry{Verb: "cancel", ID: c.ID, Detail: by})
	}
	return prevented, err
}

// command gives one to a series.
func (s *source) command(ctx context.Context, c panel.Command) (bool, error) {
	task, name, err := seriesOf(c.ID)
	if err != nil {
		return false, err
	}
	series, err := s.pool.SeriesByName(task, name)
	if err != nil {
		return false, err
	}
	do := map[string]func(context.Context) error{"pause": series.Pause, "resume": series.Resume,
		"trigger": series.Trigger, "cancel": series.Cancel}[c.Verb]
	if do == nil {
		return false, panel.ErrNotFound
	}
	err = do(ctx)
	return err == nil, err
}
