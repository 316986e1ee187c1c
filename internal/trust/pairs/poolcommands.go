package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor/rejection"
)

// poolCommands are given to an executor.
var poolCommands = []*definition{
	{
		Feature: Feature{Name: "Pool.Pause", API: []string{"Pool.Pause"}, hosts: pools},
		shape:   func(d *draft, t *task, u *use) { d.command("Pool.Resume", nil, 10, 60) },
		command: func(l *life, _ *record, u *use) {
			l.course.pauses(l.now(), -1)
			l.host.pool.Pause()
		},
		observed: markPaused,
	},
	{
		Feature: Feature{Name: "Pool.PauseUntil", API: []string{"Pool.PauseUntil"}, hosts: pools},
		command: func(l *life, _ *record, u *use) {
			until := l.now() + ms*time.Duration(1+u.pick(0, 40))
			l.course.pauses(l.now(), until)
			l.host.pool.PauseUntil(l.at(until))
		},
		observed: markPaused,
	},
	{
		Feature: Feature{Name: "Pool.Resume", API: []string{"Pool.Resume"}, hosts: pools},
		shape:   func(d *draft, t *task, u *use) { d.commandBefore("Pool.Pause", 20) },
		command: func(l *life, _ *record, u *use) {
			l.course.resumed(l.now()) // what it lets begin may do so before it returns
			if l.host.pool.Resume() {
				l.marks.moment(u.Feature)
			}
		},
	},
	{
		Feature: Feature{
			Name: "Pool.Drain", ender: true, API: []string{"Pool.Drain"}, hosts: pools,
		},
		shape: func(d *draft, t *task, u *use) {
			if d.about("HandOff") { // then only what is in a lane waits
				d.ahead(t)
				return
			}
			d.crowdDuring(t)
		},
		command: func(l *life, _ *record, u *use) {
			drained := l.host.pool.Drain()
			for _, p := range drained {
				l.marks.named(u.Feature, p.Name)
			}
			if len(drained) > 0 {
				l.marks.moment(u.Feature)
			}
		},
	},
	sized("SetCoreSize", pools, func(l *life, u *use) bool {
		return l.host.pool.SetCoreSize(u.pick(0,
			4)) == nil
	}),
	sized("SetMaximumSize", plain, func(l *life, u *use) bool {
		return l.host.pool.SetMaximumSize(l.size+u.pick(0, 4)) == nil
	}),
	sized("SetKeepAlive", pools, func(l *life, u *use) bool {
		return l.host.pool.SetKeepAlive(ms*time.Duration(u.pick(0, 8))) == nil
	}),
	sized("SetCoreTimeout", pools, func(l *life, u *use) bool {
		return l.host.pool.SetCoreTimeout(u.pick(0, 2) == 0) == nil
	}),
	{
		Feature: Feature{
			Name: "SetRejectionPolicy", API: []string{"Pool.SetRejectionPolicy"}, hosts: pools,
		},
		command: func(l *life, _ *record, u *use) {
			f := allPolicies[u.pick(0, len(allPolicies))]
			if l.host.pool.SetRejectionPolicy(l.policyOf(f)) == nil {
				l.marks.moment(u.Feature)
			}
		},
	},
	{
		Feature: Feature{
			Name: "PrestartWorkers", API: []string{"Pool.PrestartWorkers", "Pool.PrestartWorker"},
			hosts: pools,
		},
		command: func(l *life, _ *record, u *use) {
			started := 0
			if u.pick(0, 2) == 0 {
				started = l.host.pool.PrestartWorkers()
			} else if l.host.pool.PrestartWorker() {
				started = 1
			}
			if started > 0 {
				l.marks.moment(u.Feature)
			}
		},
		shape: func(d *draft, t *task, u *use) {
			d.size = max(d.size, 3)
			d.commandAt("PrestartWorkers", t.at+ms)
		},
	},
	{
		Feature: Feature{
			Name:     "AfterShutdown",
			API:      []string{"Pool.AfterShutdown", "Loop.AfterShutdown", "Serial.AfterShutdown"},
			callback: true,
		},
		shape: func(d *draft, t *task, u *use) {
			if f := d.other(u.Name); f != nil && f.ender && f.kind == aCommand {
				d.ends = append(d.ends, byName["Shutdown"]) // which lets tasks go on
			}
			d.endDuring(t)
		},
		command: func(l *life, _ *record, u *use) {
			told := func() {
				l.marks.moment(u.Feature)
				l.called(u.Feature, "")
			}
			if l.host.loop != nil {
				l.host.loop.AfterShutdown(told)
			} else {
				l.host.pool.AfterShutdown(told)
			}
		},
	},
	{
		Feature: Feature{
			Name: "AwaitTermination",
			API: []string{"Pool.AwaitTermination", "Loop.AwaitTermination",
				"Pool.Terminated", "Loop.Terminated"},
		},
		command: func(l *life, _ *record, u *use) {
			limit := ms * time.Duration(1+u.pick(0, 100))
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			from := l.now()
			err := l.host.executor.AwaitTermination(ctx)
			if l.now() > from+limit {
				l.found.late("AwaitTermination of %v took %v", limit, l.now()-from)
			}
			if err == nil && !closed(l.host.executor.Terminated()) {
				l.found.early("AwaitTermination returns before the end")
			}
			l.marks.span(u.Feature, from, l.now())
		},
	},
	{
		Feature: Feature{
			Name: "SetContinuePeriodicAfterShutdown", hosts: scheduled, ways: seriesWays,
			API: []string{"ScheduledPool.SetContinuePeriodicAfterShutdown",
				"ScheduledPool.ContinuePeriodicAfterShutdown"},
		},
		shape: func(d *draft, t *task, u *use) { d.endBy("Shutdown", t) },
		command: func(l *life, _ *record,
			u *use) {
			l.course.letSeriesGoOn()
			l.host.sched.SetContinuePeriodicAfterShutdown(true)
		},
		observed: func(l *life, u *use) { // a later Close may have set it to false again
			if !l.course.goesOn {
				return
			}
			for _, r := range l.journal.records {
				if r.t.way.way&seriesWays != 0 && r.begunAfter(l.course.shutFrom) {
					l.marks.task(u.Feature, r)
				}
			}
		},
	},
	{
		Feature: Feature{
			Name: "SetExecuteDelayedAfterShutdown", hosts: scheduled,
			ways: delayedWays &^ seriesWays,
			API: []string{"ScheduledPool.SetExecuteDelayedAfterShutdown",
				"ScheduledPool.ExecuteDelayedAfterShutdown"},
		},
		shape: func(d *draft, t *task, u *use) { d.endBy("Shutdown", t) },
		command: func(l *life, _ *record, u *use) {
			l.host.sched.SetExecuteDelayedAfterShutdown(u.pick(0,
				2) == 0)
		},
		observed: func(l *life, u *use) {
			if l.course.shutFrom < 0 {
				return
			}
			for _, r := range l.journal.records {
				if r.t.way.way&delayedWays != 0 && r.acceptedAt() <= l.course.shutFrom &&
					r.t.at+r.t.delay > l.course.shutFrom {
					l.marks.task(u.Feature, r)
				}
			}
		},
	},
}

// sized is a command that sets the size of a pool, or how long its workers stay.
func sized(name string, on hosts, set func(l *life, u *use) bool) *definition {
	d := &definition{Feature: Feature{Name: name, API: []string{"Pool." + name}, hosts: on}}
	d.command = func(l *life, _ *record, u *use) {
		if set(l, u) {
			l.course.resized()
			l.marks.moment(u.Feature)
		}
	}
	return d
}

// markPaused marks the tasks that were due while the executor was paused, and did not begin before
// its end; and the executor for the time of a pause that has put off a task.
func markPaused(l *life, u *use) {
	for _, p := range l.course.paused {
		effective := false
		for _, r := range l.journal.records {
			if r.putOffBy(p) {
				l.marks.task(u.Feature, r)
				effective = true
			}
		}
		if effective {
			l.marks.span(u.Feature, p.from, p.to)
		}
	}
}

// putOffBy reports whether the task was due in a pause, and did not begin before the end of the
// pause, or never.
func (r *record) putOffBy(p span) bool {
	for _, b := range r.bodies {
		if b.due < p.to && b.began >= p.to && b.began > p.from && b.began > b.due {
			return true
		}
	}
	_, until := r.span()
	since := max(p.from, r.submitted+r.t.delay)
	return len(r.bodies) == 0 && r.accepted() && since < p.to && since < until
}

// policyOf returns the policy that a feature stands for, which marks the task that it is asked
// about, and the executor, which has no room then.
func (l *life) policyOf(f *Feature) rejection.Policy {
	inner := definitionOf(f).policy(l, f)
	return func(r *rejection.Task) error {
		l.marks.named(f, r.Name())
		l.marks.moment(f)
		return inner(r)
	}
}
