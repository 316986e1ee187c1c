package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// waysIn are the ways to submit a task.
var waysIn = []*Feature{
	{
		Name: "Execute", API: []string{"Pool.Execute", "Loop.Execute"}, way: wExecute,
		submit: func(l *life, r *record, opts taskOpts) {
			l.answer(r, nil, l.host.executor.Execute(l.bodyOf(r), opts...))
		},
	},
	{
		Name: "Submit", way: wSubmit,
		API: []string{"Pool.Submit", "Loop.Submit", "executor.Submit", "eventloop.Submit"},
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
		Name: "SubmitContext", API: []string{"Pool.SubmitContext", "executor.SubmitContext"},
		way: wSubmitContext,
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
		Name: "Schedule", hosts: timed, way: wSchedule,
		API: []string{"ScheduledPool.Schedule", "Loop.Schedule", "executor.Schedule",
			"eventloop.Schedule"},
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
		Name: "ScheduleAt", API: []string{"ScheduledPool.ScheduleAt", "Loop.ScheduleAt"},
		hosts: timed, way: wScheduleAt,
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.timed().ScheduleAt(l.at(r.t.at+r.t.delay), l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Name: "ExecuteAfter", API: []string{"ScheduledPool.ExecuteAfter", "Loop.ExecuteAfter"},
		hosts: timed, way: wExecuteAfter,
		submit: func(l *life, r *record, opts taskOpts) {
			l.answer(r, nil, l.host.timed().ExecuteAfter(r.t.delay, l.bodyOf(r), opts...))
		},
	},
	{
		Name: "Every", API: []string{"ScheduledPool.Every", "Loop.Every"},
		hosts: timed, way: wEvery,
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.timed().Every(r.t.period, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Name: "AtFixedRate", API: []string{"ScheduledPool.AtFixedRate", "Loop.AtFixedRate"},
		hosts: timed, way: wRate,
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.timed().AtFixedRate(r.t.delay, r.t.period, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Name: "WithFixedDelay", API: []string{"ScheduledPool.WithFixedDelay",
			"Loop.WithFixedDelay"},
		hosts: timed, way: wDelay,
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.timed().WithFixedDelay(r.t.delay, r.t.period, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Name: "On", API: []string{"ScheduledPool.On", "Loop.On"}, hosts: timed, way: wOn,
		callback: true,
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
		Name: "Apply", API: []string{"ScheduledPool.Apply"}, hosts: scheduled, way: wApply,
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
		Name: "Serial.Submit", API: []string{"Serial.Submit", "Serial.Execute",
			"serial.New"},
		hosts: pools, way: wSerial,
		submit: func(l *life, r *record, opts taskOpts) {
			if r.t.way.pick(0, 4) == 0 {
				l.answer(r, nil, l.host.serial(r).Execute(l.bodyOf(r), opts...))
				return
			}
			f, err := l.host.serial(r).Submit(l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Name: "Serial.SubmitContext", API: []string{"Serial.SubmitContext"}, hosts: pools,
		way: wSerialContext,
		submit: func(l *life, r *record, opts taskOpts) {
			ctx, cancel := limited(r)
			defer cancel()
			f, err := l.host.serial(r).SubmitContext(ctx, l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Name: "Serial.Schedule", API: []string{"Serial.Schedule"}, hosts: scheduled,
		way: wSerialSchedule,
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.serial(r).Schedule(r.t.delay, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Name: "Keyed.Submit", hosts: pools, way: wKeyed,
		API: []string{"Keyed.Submit", "Keyed.Execute", "serial.NewKeyed"},
		submit: func(l *life, r *record, opts taskOpts) {
			if r.t.way.pick(0, 4) == 0 {
				l.answer(r, nil, l.host.keyed.Execute(r.t.lane, l.bodyOf(r), opts...))
				return
			}
			f, err := l.host.keyed.Submit(r.t.lane, l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Name: "Keyed.SubmitContext", API: []string{"Keyed.SubmitContext"}, hosts: pools,
		way: wKeyedContext,
		submit: func(l *life, r *record, opts taskOpts) {
			ctx, cancel := limited(r)
			defer cancel()
			f, err := l.host.keyed.SubmitContext(ctx, r.t.lane, l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Name: "Keyed.Schedule", API: []string{"Keyed.Schedule"}, hosts: scheduled,
		way: wKeyedSchedule,
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.keyed.Schedule(r.t.lane, r.t.delay, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Name: "Keyed.For", API: []string{"Keyed.For"}, hosts: pools, way: wFor,
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.keyed.For(r.t.lane).Submit(l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Name: "Group.Go", API: []string{"Group.Go", "bulk.NewGroup"}, way: wGo,
		submit: func(l *life, r *record, opts taskOpts) {
			l.answer(r, nil, l.host.group.Go(l.bodyOf(r), opts...))
		},
	},
	{
		Name: "Group.TryGo", API: []string{"Group.TryGo"}, way: wTryGo,
		submit: func(l *life, r *record, opts taskOpts) {
			l.answer(r, nil, l.host.group.TryGo(l.bodyOf(r), opts...))
		},
	},
	{
		Name: "CompletionService.Submit", way: wCompletion,
		API: []string{"CompletionService.Submit", "CompletionService.SubmitTo",
			"bulk.NewCompletionService"},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.service.Submit(l.function(r), opts...)
			l.answerWith(r, f, err)
		},
	},
	{
		Name: "CompletionService.SubmitContext", API: []string{"CompletionService.SubmitContext"},
		way: wCompletionContext,
		submit: func(l *life, r *record, opts taskOpts) {
			ctx, cancel := limited(r)
			defer cancel()
			f, err := l.host.service.SubmitContext(ctx, l.function(r), opts...)
			l.answerWith(r, f, err)
		},
	},
	{
		Name: "InvokeAll", API: []string{"executor.InvokeAll"}, way: wInvokeAll,
		submit: func(l *life, r *record, _ taskOpts) {
			l.bulk(r, func(ctx context.Context) error {
				fs, err := executor.InvokeAll(ctx, l.host.executor, l.functions(r, 2)...)
				for _, f := range fs {
					if f != nil && !f.State().Settled() {
						l.found.stuck("InvokeAll returns a future that is not settled")
					}
				}
				return err
			})
		},
	},
	{
		Name: "InvokeAny", API: []string{"executor.InvokeAny"}, way: wInvokeAny,
		submit: func(l *life, r *record, _ taskOpts) {
			l.bulk(r, func(ctx context.Context) error {
				_, err := executor.InvokeAny(ctx, l.host.executor, l.functions(r, 2)...)
				return err
			})
		},
	},
	{
		Name: "InvokeAnyHedged", API: []string{"bulk.InvokeAnyHedged"}, way: wHedged,
		submit: func(l *life, r *record, _ taskOpts) {
			l.bulk(r, func(ctx context.Context) error {
				_, err := bulk.InvokeAnyHedged(ctx, l.host.executor,
					ms*time.Duration(r.t.way.pick(2, 6)), l.functions(r, 2)...)
				return err
			})
		},
	},
	{
		Name: "Map", API: []string{"bulk.Map"}, way: wMap,
		submit: func(l *life, r *record, _ taskOpts) {
			l.bulk(r, func(ctx context.Context) error {
				_, err := bulk.Map(ctx, l.host.executor, []int{1, 2, 3},
					func(ctx context.Context, _ int) (int, error) { return 0, l.bodyOf(r)(ctx) })
				return err
			})
		},
	},
	{
		Name: "Turn", hosts: loop, way: wTurn,
		API: []string{"Loop.Turn", "Turn.Submit", "Turn.Execute", "Turn.Schedule",
			"Turn.ExecuteAfter",
			"Turn.ScheduleAt", "Turn.Cancel", "Loop.InLoop"},
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
