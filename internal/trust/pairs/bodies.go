package pairs

import (
	"context"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// bodies are the ways in which a body goes on. A task has a list of them, one for each run.
var bodies = []*definition{
	{
		Feature: Feature{Name: "body succeeds"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			return nil
		},
	},
	{
		Feature: Feature{Name: "body fails"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			return errBoom
		},
	},
	{
		Feature: Feature{Name: "body skips"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			return errNotLeader
		},
	},
	{
		Feature: Feature{Name: "body panics"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			panic(errBoom)
		},
	},
	{
		Feature: Feature{Name: "body calls Goexit"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			runtime.Goexit()
			return nil
		},
	},
	{
		Feature: Feature{Name: "body is deaf"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			time.Sleep(ms * time.Duration(12+mix(b.salt)%10))
			return nil
		},
	},
	{
		Feature: Feature{Name: "body blocks"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			limit := time.NewTimer(ms * time.Duration(15+mix(b.salt)%30))
			defer limit.Stop()
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-limit.C:
				return nil
			}
		},
	},
	{
		Feature: Feature{Name: "body waits for a task"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			l.waitForChild(ctx, r, b)
			return nil
		},
	},
	{
		Feature: Feature{Name: "body submits a task"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			c := l.child(r, b)
			l.submit(c)
			b.work(ctx, r.t)
			return nil
		},
	},
	{
		Feature: Feature{Name: "body gives a command"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			l.giveCommand(ctx, r, b.salt)
			b.work(ctx, r.t)
			return nil
		},
	},
	{
		Feature: Feature{Name: "body closes the executor"},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			l.closeInside(ctx)
			b.work(ctx, r.t)
			return nil
		},
	},
	{
		Feature: Feature{Name: "Permanent", API: []string{"retry.Permanent"}, ways: optionWays},
		shape:   func(d *draft, t *task, _ *use) { d.include(byName["Retry"], t) },
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			return retry.Permanent(errBoom)
		},
	},
	{
		Feature: Feature{
			Name: "RetryAfter", API: []string{"retry.After"}, ways: optionWays,
		},
		shape: func(d *draft, t *task, _ *use) { d.include(byName["Retry"], t) },
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			b.after = ms * time.Duration(1+mix(b.salt)%20)
			return retry.After(errBoom, b.after)
		},
	},
	{
		Feature: Feature{
			Name: "NextIn", API: []string{"executor.NextIn"}, hosts: timed, ways: seriesWays,
		},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			b.work(ctx, r.t)
			d := ms * time.Duration(mix(b.salt)%25)
			if executor.NextIn(ctx, d) {
				b.nextIn, b.after = true, d
			}
			return nil
		},
	},
	{
		Feature: Feature{
			Name: "HandleFrom", API: []string{"executor.HandleFrom"}, ways: futureWays,
		},
		body: func(l *life, r *record, b *bodyRun, ctx context.Context) error {
			if h, ok := executor.HandleFrom(ctx); ok {
				switch mix(b.salt) % 5 {
				case 0:
					h.Trigger()
				case 1:
					l.give(byName["Pause"], r, h.Pause)
				case 2:
					l.resets(r, 7*ms, h.Reset)
				case 3:
					h.Status()
				case 4:
					l.give(byName["Cancel"], r, h.Cancel)
				}
			}
			b.work(ctx, r.t)
			return nil
		},
	},
}
