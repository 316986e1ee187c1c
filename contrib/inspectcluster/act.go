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
	switch c.List {
	case theFailed:
		done, err = s.failedSet(ctx, c.Verb, cluster.FailedFilter{IDs: []string{c.ID}})
	case theNames:
		done, err = s.allOf(ctx, c)
	case theTasks:
		done, err = s.cancel(ctx, c)
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

// failedSet runs failed tasks again, or discards them.
func (s *source) failedSet(ctx context.Context, verb string, which cluster.FailedFilter) (bool, error) {
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
		e := cluster.AuditEntry{Verb: verb, Task: which.Task, Detail: numbered(uint64(n), "task", "tasks")}
		if len(which.IDs) == 1 {
			e.ID = which.IDs[0]
		}
		s.note(ctx, e)
	}
	return n > 0, err
}

// allOf is failedSet for all of a name, if these are no others than the viewer has seen.
func (s *source) allOf(ctx context.Context, c panel.Command) (bool, error) {
	which := cluster.FailedFilter{Task: c.ID}
	page, err := s.pool.Failed(ctx, which, 0, 1)
	if err != nil {
		return false, err
	}
	if strconv.FormatUint(page.Total, 10) != c.Version {
		return false, fmt.Errorf("%w: %d have failed by now", panel.ErrStale, page.Total)
	}
	return s.failedSet(ctx, c.Verb, which)
}

func (s *source) cancel(ctx context.Context, c panel.Command) (bool, error) {
	if c.Verb != "cancel" || c.ID == "" {
		return false, panel.ErrNotFound
	}
	prevented, err := s.pool.CancelTask(ctx, c.ID)
	if err == nil && prevented {
		s.note(ctx, cluster.AuditEntry{Verb: "cancel", ID: c.ID})
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

// note puts into the audit what was done. If that fails the pool logs it, and what was done stands.
func (s *source) note(ctx context.Context, e cluster.AuditEntry) {
	by := "from the page"
	if s.opts.By != nil {
		by += " by " + s.opts.By(ctx)
	}
	if e.Detail != "" {
		by = e.Detail + " " + by
	}
	e.Detail = by
	_ = s.pool.Note(ctx, e)
}
