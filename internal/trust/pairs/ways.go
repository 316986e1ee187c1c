package pairs

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// waysIn are the ways to submit one task to a pool or a loop itself.
var waysIn = []*definition{
	{
		Feature: Feature{
			Name: "Execute", API: []string{"Pool.Execute", "Loop.Execute"}, way: wExecute,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			l.answer(r, nil, l.host.executor.Execute(l.bodyOf(r), opts...))
		},
	},
	{
		Feature: Feature{
			Name: "Submit", way: wSubmit,
			API: []string{"Pool.Submit", "Loop.Submit", "executor.Submit", "eventloop.Submit"},
		},
		submit: func(l *life, r *record, opts taskOpts) {
			if r.t.way.pick(0, 2) == 0 {
				f, err := l.host.executor.Submit(l.bodyOf(r), opts...)
				l.answer(r, f, err)
				return
			}
			f, err := executor.Submit(l.host.executor, l.function(r), opts...)
			l.answerWith(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "SubmitContext", API: []string{"Pool.SubmitContext", "executor.SubmitContext"},
			way: wSubmitContext,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			ctx, cancel := limited(r)
			defer cancel()
			if l.host.pool != nil && r.t.way.pick(0, 2) == 0 {
				f, err := l.host.pool.SubmitContext(ctx, l.bodyOf(r), opts...)
				l.answer(r, f, err)
				return
			}
			f, err := executor.SubmitContext(ctx, l.host.executor, l.function(r), opts...)
			l.answerWith(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "Schedule", hosts: timed, way: wSchedule,
			API: []string{"ScheduledPool.Schedule", "Loop.Schedule", "executor.Schedule",
				"eventloop.Schedule"},
		},
		submit: func(l *life, r *record, opts taskOpts) {
			switch {
			case r.t.way.pick(0, 2) == 0:
				f, err := l.host.timed().Schedule(r.t.delay, l.bodyOf(r), opts...)
				l.answerTimed(r, f, err)
			case l.host.loop != nil:
				f, err := eventloop.Schedule(l.host.loop, r.t.delay, l.function(r), opts...)
				l.answerTyped(r, f, err)
			default:
				f, err := executor.Schedule(l.host.sched, r.t.delay, l.function(r), opts...)
				l.answerTyped(r, f, err)
			}
		},
	},
	{
		Feature: Feature{
			Name: "ScheduleAt", API: []string{"ScheduledPool.ScheduleAt", "Loop.ScheduleAt"},
			hosts: timed, way: wScheduleAt,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.timed().ScheduleAt(l.at(r.t.at+r.t.delay), l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "ExecuteAfter", API: []string{"ScheduledPool.ExecuteAfter", "Loop.ExecuteAfter"},
			hosts: timed, way: wExecuteAfter,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			l.answer(r, nil, l.host.timed().ExecuteAfter(r.t.delay, l.bodyOf(r), opts...))
		},
	},
	{
		Feature: Feature{
			Name: "Every", API: []string{"ScheduledPool.Every", "Loop.Every"}, hosts: timed,
			way: wEvery,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.timed().Every(r.t.period, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "AtFixedRate", API: []string{"ScheduledPool.AtFixedRate", "Loop.AtFixedRate"},
			hosts: timed, way: wRate,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.timed().AtFixedRate(r.t.delay, r.t.period, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "WithFixedDelay",
			API:  []string{"ScheduledPool.WithFixedDelay", "Loop.WithFixedDelay"}, hosts: timed,
			way: wDelay,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.timed().WithFixedDelay(r.t.delay, r.t.period, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "On", API: []string{"ScheduledPool.On", "Loop.On"}, hosts: timed, way: wOn,
			callback: true,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			on := interface {
				On(executor.Calendar, executor.Task, ...executor.TaskOption) (
					*executor.ScheduledFuture[struct{}], error)
			}(l.host.sched)
			if l.host.loop != nil {
				on = l.host.loop
			}
			f, err := on.On(l.calendar(r), l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "Apply", API: []string{"ScheduledPool.Apply"}, hosts: scheduled, way: wApply,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			r.job = executor.Job{Name: r.t.name(), Task: l.bodyOf(r), Options: opts, Version: "1"}
			if r.t.ticks() {
				r.job.Every = r.t.period
			} else {
				r.job.Initial, r.job.Rate = r.t.delay, r.t.period
			}
			l.apply(r, true)
		},
	},
	{
		Feature: Feature{
			Name: "Turn", hosts: loop, way: wTurn,
			API: []string{"Loop.Turn", "Turn.Submit", "Turn.Execute", "Turn.Schedule",
				"Turn.ExecuteAfter", "Turn.ScheduleAt", "Turn.Cancel", "Loop.InLoop"},
		},
		submit: func(l *life, r *record, opts taskOpts) {
			err := l.host.loop.Execute(func(ctx context.Context) error {
				_ = l.extras.body(ctx)
				turn, ok := l.host.loop.Turn(ctx)
				if !ok || !l.host.loop.InLoop(ctx) {
					l.found.lost("a run of the loop has no turn")
					return nil
				}
				f, err := turn.Schedule(r.t.delay, l.bodyOf(r), opts...)
				l.answerTimed(r, f, err)
				return nil
			}, executor.Name("turn"))
			if err != nil {
				l.answer(r, nil, err)
				return
			}
			l.extras.add(1)
		},
	},
}
