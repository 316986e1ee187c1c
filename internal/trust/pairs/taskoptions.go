package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// taskOptions are those of all tasks. Those of series are in a list of their own.
var taskOptions = []*definition{
	{
		Feature: Feature{
			Name: "BeginWithin", API: []string{"executor.BeginWithin"}, ways: optionWays,
		},
		shape: func(d *draft, t *task, _ *use) { d.crowdDuring(t) },
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.BeginWithin(within(u))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if r.expired() {
					l.marks.task(u.Feature, r)
				}
				for _, b := range r.bodies {
					if b.began > b.due {
						l.marks.task(u.Feature, r)
					}
				}
			})
		},
	},
	{
		Feature: Feature{
			Name: "Expect",
			API:  []string{"executor.Expect", "insight.SuccessWithin", "insight.StartWithin"},
			ways: optionWays,
		},
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.Expect(
				insight.SuccessWithin(ms*time.Duration(5+u.pick(0, 60))),
				insight.StartWithin(ms*time.Duration(1+u.pick(1, 5)), 0.5),
			)}
		},
		observed: func(l *life, u *use) {
			l.gauges.each(func(_, s *sample) {
				for _, t := range s.health.Tasks {
					l.marks.named(u.Feature, t.Name)
				}
			})
		},
	},
	{
		Feature: Feature{Name: "Name of a task", API: []string{"executor.Name"}, ways: optionWays},
		task:    func(l *life, t *task, u *use) taskOpts { return nil }, // named in life.optionsOf
		shape:   func(d *draft, t *task, u *use) { t.unnamed = false },
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if len(r.bodies) > 0 && r.bodies[0].run.Name == r.t.name() {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Feature: Feature{
			Name: "Priority", API: []string{"executor.Priority"}, hosts: plain, ways: optionWays,
		},
		shape: func(d *draft, t *task, u *use) {
			if !d.has("Queue.Bounded") && !d.has("CustomQueue") {
				d.include(byName["PriorityFIFO"], t)
			}
			d.crowdAt(t.at)
			d.crowdAt(t.at)
		},
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.Priority(u.pick(0, 5) - 2)}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				for _, b := range r.bodies {
					if b.began > b.due {
						l.marks.task(u.Feature, r)
					}
				}
			})
		},
	},
	{
		Feature: Feature{Name: "Retry", API: []string{"executor.Retry"}, ways: optionWays},
		shape:   func(d *draft, t *task, _ *use) { d.addBody(t, "body fails") },
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.Retry(2+u.pick(0, 2), backoff(u))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				for _, b := range r.bodies {
					if b.run.Attempt > 1 {
						l.marks.task(u.Feature, r)
					}
				}
			})
		},
	},
	{
		Feature: Feature{Name: "Timeout", API: []string{"executor.Timeout"}, ways: optionWays},
		shape: func(d *draft, t *task, _ *use) {
			d.addBody(t, d.oneOf("body is deaf", "body blocks"))
		},
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.Timeout(timeout(u))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				for _, b := range r.bodies {
					if b.timedOut {
						l.marks.task(u.Feature, r)
					}
				}
			})
		},
	},
	{
		Feature: Feature{
			Name: "Unique", API: []string{"executor.Unique", "Pool.Lookup"}, hosts: pools,
			ways: optionWays &^ jobWays,
		},
		shape: func(d *draft, t *task, _ *use) { t.unnamed = false },
		task:  func(l *life, t *task, u *use) taskOpts { return taskOpts{executor.Unique()} },
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if r.sawUnique {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Feature: Feature{
			Name: "WallClock", API: []string{"executor.WallClock"}, hosts: timed, ways: wScheduleAt,
		},
		shape: func(d *draft, t *task, _ *use) { t.delay = max(t.delay, 3*ms) },
		task:  func(l *life, t *task, u *use) taskOpts { return taskOpts{executor.WallClock()} },
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if len(r.bodies) > 0 && r.bodies[0].began > r.submitted {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Feature: Feature{
			Name: "WithContext", ender: true, API: []string{"executor.WithContext"},
			ways: optionWays,
		},
		task: func(l *life, t *task, u *use) taskOpts {
			ctx, cancel := context.WithCancelCause(context.Background())
			r := l.journal.of(t)
			l.defers(func() { cancel(nil) })
			time.AfterFunc(ms*time.Duration(1+u.pick(0, 60)), func() {
				if l.journal.stillOpen(r) {
					l.marks.task(byName["WithContext"], r)
					l.journal.losesContext(r)
				}
				cancel(errCaller)
			})
			return taskOpts{executor.WithContext(ctx)}
		},
	},
	{
		Feature: Feature{
			Name: "WithValues", API: []string{"executor.WithValues"}, ways: optionWays,
		},
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.WithValues(context.WithValue(context.Background(), valueKey{},
				1))}
		},
	},
}
