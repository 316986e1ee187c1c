package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

const showcaseTitle = "The life of a task, on a scheduled pool of two workers:\n\n"

// step is one thing shown, and what came of it.
type step struct {
	Call       string        `json:"call"`
	Outcome    string        `json:"outcome"`
	About      string        `json:"about"`
	Elapsed    time.Duration `json:"elapsedNs"`
	AsPromised bool          `json:"asPromised"`
}

func (s step) line() string {
	return fmt.Sprintf("  %-14s  %-34s  %s\n", s.Call, s.Outcome, s.About)
}

// asPromised returns an error that names the steps that did not go as the library promises.
func asPromised(steps []step) error {
	var wrong []string
	for _, s := range steps {
		if !s.AsPromised {
			wrong = append(wrong, fmt.Sprintf("%s: %s", s.Call, s.Outcome))
		}
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("not as promised: %s", strings.Join(wrong, "; "))
}

// guide walks through the steps.
type guide struct {
	pool *executor.ScheduledPool
	show func(step) error
	late *executor.ScheduledFuture[struct{}] // due in an hour
}

// showcase shows the steps one after the other. When ctx ends it returns its error, promptly, with
// the pool closed.
func showcase(ctx context.Context, show func(step) error) error {
	g := &guide{pool: executor.NewScheduledPool(2, executor.Name("tour")), show: show}
	defer g.pool.AwaitTermination(context.Background())
	defer g.pool.ShutdownNow()
	// GetTimeout knows no context; a pool that is shut down settles what it waits for.
	defer context.AfterFunc(ctx, func() { g.pool.ShutdownNow() })()
	for _, next := range []func(context.Context) error{
		g.typed, g.impatient, g.cancelled, g.panicking, g.alive, g.shutdown,
	} {
		err := next(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *guide) typed(ctx context.Context) error {
	start := time.Now()
	f, err := executor.Schedule(g.pool, 300*time.Millisecond, func(context.Context) (int, error) {
		return 6 * 7, nil
	})
	if err != nil {
		return err
	}
	v, err := f.Get(ctx)
	if err != nil {
		return err
	}
	took := time.Since(start)
	return g.show(step{"Schedule, Get", fmt.Sprintf("%d after %v", v, roughly(took)),
		"a task returns a typed value; Get waits for it", took, v == 42})
}

func (g *guide) impatient(context.Context) (err error) {
	start := time.Now()
	g.late, err = g.pool.Schedule(time.Hour, func(context.Context) error { return nil })
	if err != nil {
		return err
	}
	_, err = g.late.GetTimeout(200 * time.Millisecond)
	took, state, timedOut := time.Since(start), g.late.State(), errors.Is(err, future.ErrTimeout)
	outcome := fmt.Sprintf("%v, task %v", err, state)
	if timedOut {
		outcome = fmt.Sprintf("timed out, task %v", state) // the error names pool and wait: too wide
	}
	return g.show(step{"GetTimeout", outcome, "the wait is over, the task is not", took,
		timedOut && state == future.Pending})
}

func (g *guide) cancelled(ctx context.Context) error {
	start := time.Now()
	did := g.late.Cancel()
	_, err := g.late.Get(ctx)
	state, queued := g.late.State(), g.pool.Stats().Queued
	return g.show(step{"Cancel", fmt.Sprintf("%v, %d left queued", err, queued),
		"it will not run, and is gone from memory", time.Since(start),
		did && errors.Is(err, future.ErrCancelled) && state == future.Cancelled && queued == 0})
}

func (g *guide) panicking(ctx context.Context) error {
	start := time.Now()
	f, err := g.pool.Submit(func(context.Context) error { panic("boom") })
	if err != nil {
		return err
	}
	_, err = f.Get(ctx)
	p, ok := errors.AsType[*future.PanicError](err)
	outcome := fmt.Sprint(err)
	if ok {
		outcome = fmt.Sprintf("PanicError: %q, with its stack", p.Value)
	}
	return g.show(step{"panic", outcome, "a panic ends in its own future ...", time.Since(start),
		ok && p.Value == "boom" && len(p.Stack) > 0})
}

func (g *guide) alive(ctx context.Context) error {
	start := time.Now()
	f, err := executor.Submit(g.pool, func(context.Context) (string, error) { return "at work", nil })
	if err != nil {
		return err
	}
	v, err := f.Get(ctx)
	if err != nil {
		return err
	}
	state := g.pool.Stats().State
	return g.show(step{"Submit, Get", fmt.Sprintf("%s, pool %s", v, state),
		"... and the pool lives on", time.Since(start), v == "at work" && state == "running"})
}
