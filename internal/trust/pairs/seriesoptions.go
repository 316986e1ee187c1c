package pairs

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/state"
)

// seriesOptions are those that say when a task runs again, and until when.
var seriesOptions = []*definition{
	{
		Feature: Feature{
			Name: "SlowDown", API: []string{"executor.SlowDown"}, hosts: timed, ways: periodWays,
		},
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
		Feature: Feature{
			Name: "CatchUp", API: []string{"executor.CatchUp"}, hosts: timed, ways: rateWays,
		},
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
		Feature: Feature{
			Name: "DelayBy", API: []string{"executor.DelayBy"}, hosts: timed, ways: seriesWays,
			callback: true,
		},
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{executor.DelayBy(func(executor.LastRun) (time.Duration, bool) {
				l.called(u.Feature, t.name())
				return ms * time.Duration(1+u.pick(0, 12)), true
			})}
		},
	},
	{
		Feature: Feature{
			Name: "From", API: []string{"executor.From"}, hosts: timed, ways: seriesWays,
		},
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
		Feature: Feature{
			Name: "Since", API: []string{"state.Since"}, hosts: timed, ways: seriesWays, group: "past",
		},
		task: func(l *life, t *task, u *use) taskOpts {
			return taskOpts{state.Since(l.at(since(t, u)), window(u))}
		},
		observed: func(l *life, u *use) {
			l.journal.eachUsing(u.Feature, func(r *record, u *use) {
				if len(r.bodies) > 0 && r.bodies[0].due < r.submitted {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
	{
		Feature: Feature{
			Name: "SinceLast", API: []string{"Book.SinceLast", "state.New"}, hosts: scheduled,
			ways: seriesWays &^ wApply, group: "past", callback: true,
		},
		shape: func(d *draft, t *task, _ *use) { t.unnamed = false },
		task: func(l *life, t *task, u *use) taskOpts {
			s := &shelf{life: l, use: u, name: t.name(), nextIn: t.asksForNext()}
			s.run.Slot = l.at(since(t, u))
			s.run.Ended = s.run.Slot
			book := state.New(s, state.Config{BeforeRun: u.pick(2, 2) == 0})
			return taskOpts{executor.Name(t.name()), book.SinceLast(window(u))}
		},
	},
	{
		Feature: Feature{
			Name: "Jitter", API: []string{"executor.Jitter"}, hosts: timed, ways: delayedWays,
		},
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
		Feature: Feature{
			Name: "MaxRuns", ender: true, API: []string{"executor.MaxRuns"}, hosts: timed,
			ways: seriesWays,
		},
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
		Feature: Feature{
			Name: "FailurePolicy", API: []string{"executor.FailurePolicy"}, hosts: timed,
			ways: seriesWays,
		},
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
		Feature: Feature{
			Name: "PauseAfter", API: []string{"executor.PauseAfter"}, hosts: timed,
			ways: seriesWays,
		},
		shape: func(d *draft, t *task, _ *use) {
			t.bodies = []*Feature{byName["body fails"]}
			if f := d.other("PauseAfter"); f != nil && (f.ender || f.kind == aBody) {
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
		Feature: Feature{
			Name: "Until", ender: true, API: []string{"executor.Until"}, hosts: timed,
			ways: seriesWays,
		},
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
}
