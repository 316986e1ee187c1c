package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

type taskOpts = []executor.TaskOption

// taskOptions are those of tasks, and what a body may return or call to change its own course.
var taskOptions = []*Feature{
	{
		Name: "SlowDown", API: []string{"executor.SlowDown"}, hosts: timed, ways: periodWays,
		shape: func(d *draft, t *task, _ *use) {
			t.period = min(t.period, d.between(8, 14))
			d.addBody(t, "body fails")
		},
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.SlowDown(2, max(t.period, 4*t.period*time.Duration(u.pick(0,
				3))))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				for i, b := range r.bodies[min(1, len(r.bodies)):] {
					if r.bodies[i].failed() && b.due > r.bodies[i].due+r.t.period &&
						b.began > r.bodies[i].ended {
						l.marks.task(u.Feature, r)
					}
				}
			})
		},
	},
	{
		Name: "BeginWithin", API: []string{"executor.BeginWithin"}, ways: optionWays,
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
		Name: "CatchUp", API: []string{"executor.CatchUp"}, hosts: timed, ways: rateWays,
		shape: func(d *draft, t *task, _ *use) { d.crowdDuring(t) },
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.CatchUp(catchUp(t, u))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				for _, b := range r.bodies {
					if b.run.Missed > 0 || b.began >= b.due+r.t.period {
						l.marks.task(u.Feature, r)
					}
				}
			})
		},
	},
	{
		Name: "DelayBy", API: []string{"executor.DelayBy"}, hosts: timed, ways: seriesWays,
		callback: true,
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.DelayBy(func(executor.LastRun) (time.Duration, bool) {
				l.called(u.Feature, t.name())
				return ms * time.Duration(1+u.pick(0, 12)), true
			})}
		},
	},
	{
		Name: "Expect", API: []string{"executor.Expect", "insight.SuccessWithin",
			"insight.StartWithin"},
		ways: optionWays,
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
		Name: "From", API: []string{"executor.From"}, hosts: timed, ways: seriesWays,
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.From(l.at(from(t,
				u)))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if len(r.bodies) > 0 && r.bodies[0].due >= from(r.t, u) {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Name: "Jitter", API: []string{"executor.Jitter"}, hosts: timed, ways: delayedWays,
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.Jitter(jitter(u))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				for _, b := range r.bodies {
					if b.due%ms != 0 {
						l.marks.task(u.Feature, r)
					}
				}
			})
		},
	},
	{
		Name: "MaxRuns", ender: true, API: []string{"executor.MaxRuns"}, hosts: timed,
		ways: seriesWays,
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.MaxRuns(maxRuns(u))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if r.planned() == maxRuns(u) {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Name: "Name of a task", API: []string{"executor.Name"}, ways: optionWays,
		task:  func(l *life, t *task, u *use) taskOpts { return nil }, // named in life.optionsOf
		shape: func(d *draft, t *task, u *use) { t.unnamed = false },
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if len(r.bodies) > 0 && r.bodies[0].run.Name == r.t.name() {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Name: "FailurePolicy", API: []string{"executor.FailurePolicy"}, hosts: timed,
		ways: seriesWays,
		shape: func(d *draft, t *task, _ *use) {
			d.addBody(t, d.oneOf("body fails", "body panics", "body calls Goexit"))
		},
		task: func(l *life, t *task,
			u *use) taskOpts {
			return taskOpts{executor.FailurePolicy(onError(u))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				for _, b := range r.bodies {
					if b.failed() {
						l.marks.task(u.Feature, r)
					}
				}
			})
		},
	},
	{
		Name: "PauseAfter", API: []string{"executor.PauseAfter"}, hosts: timed, ways: seriesWays,
		shape: func(d *draft, t *task, _ *use) {
			t.bodies = []*Feature{byName["body fails"]}
			if f := d.other("PauseAfter"); f != nil && (f.ender || f.body != nil) {
				d.command("Resume", t, 10, 60) // so that it comes to that as well
			}
		},
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.PauseAfter(1 + u.pick(0, 2))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if r.sawPaused {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Name: "Priority", API: []string{"executor.Priority"}, hosts: plain, ways: optionWays,
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
		Name: "Retry", API: []string{"executor.Retry"}, ways: optionWays,
		shape: func(d *draft, t *task, _ *use) { d.addBody(t, "body fails") },
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
		Name: "Timeout", API: []string{"executor.Timeout"}, ways: optionWays,
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
		Name: "Unique", API: []string{"executor.Unique", "Pool.Lookup"}, hosts: pools,
		ways:  optionWays &^ jobWays,
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
		Name: "Until", ender: true, API: []string{"executor.Until"}, hosts: timed, ways: seriesWays,
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.Until(l.at(until(t, u)))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if len(r.bodies) > 0 && r.lastDue()+r.t.period >= until(r.t, u) {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Name: "WallClock", API: []string{"executor.WallClock"}, hosts: timed, ways: wScheduleAt,
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
		Name: "WithContext", ender: true, API: []string{"executor.WithContext"}, ways: optionWays,
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
		Name: "WithValues", API: []string{"executor.WithValues"}, ways: optionWays,
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.WithValues(context.WithValue(context.Background(), valueKey{},
				1))}
		},
	},
}
