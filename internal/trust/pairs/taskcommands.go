package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// taskCommands are given to a task, by its future or its handle.
var taskCommands = []*definition{
	{
		Feature: Feature{
			Name: "Cancel", ender: true, API: []string{"Future.Cancel", "Handle.Cancel"},
			ways: futureWays, ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			f := l.journal.outcomeOf(r)
			if h, ok := l.handle(r); ok && (f == nil || u.pick(0, 2) == 0) {
				l.give(u.Feature, r, h.Cancel)
			} else if f != nil {
				l.give(u.Feature, r, f.Cancel)
			}
		},
	},
	{
		Feature: Feature{
			Name: "CancelCause", ender: true, API: []string{"Future.CancelCause"},
			ways: ownFutureWays, ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			if f := l.journal.outcomeOf(r); f != nil {
				l.give(u.Feature, r, func() bool { return f.CancelCause(errCaller) })
			}
		},
	},
	{
		Feature: Feature{
			Name: "Stop", ender: true, API: []string{"Future.Stop", "Handle.Stop"},
			ways: futureWays, ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			f := l.journal.outcomeOf(r)
			if h, ok := l.handle(r); ok && (f == nil || u.pick(0, 2) == 0) {
				l.give(u.Feature, r, h.Stop)
			} else if f != nil {
				l.give(u.Feature, r, f.Stop)
			}
		},
	},
	{
		Feature: Feature{
			Name: "Withdraw", ender: true, API: []string{"Future.Withdraw"}, ways: ownFutureWays,
			ofTask: true,
		},
		shape: func(d *draft, t *task, u *use) {
			if d.about("HandOff") { // then only what is in a lane waits
				d.ahead(t)
				return
			}
			d.crowdAt(t.at)
		},
		command: func(l *life, r *record, u *use) {
			if f := l.journal.outcomeOf(r); f != nil {
				l.give(u.Feature, r, f.Withdraw)
			}
		},
	},
	{
		Feature: Feature{
			Name: "Pause", API: []string{"Handle.Pause"}, hosts: timed, ways: seriesWays,
			ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			if h, ok := l.handle(r); ok {
				l.give(u.Feature, r, h.Pause)
			}
		},
	},
	{
		Feature: Feature{
			Name: "Resume", API: []string{"Handle.Resume"}, hosts: timed, ways: seriesWays,
			ofTask: true,
		},
		shape: func(d *draft, t *task, u *use) { d.include(byName["Pause"], t) },
		command: func(l *life, r *record, u *use) {
			if h, ok := l.handle(r); ok {
				l.give(u.Feature, r, h.Resume)
			}
		},
	},
	{
		Feature: Feature{
			Name: "Trigger", API: []string{"Handle.Trigger"}, hosts: timed, ways: seriesWays,
			ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			if h, ok := l.handle(r); ok {
				l.give(u.Feature, r, h.Trigger)
			}
		},
	},
	{
		Feature: Feature{
			Name: "Reset", API: []string{"Handle.Reset"}, hosts: timed, ways: movedWays,
			ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			if h, ok := l.handle(r); ok {
				d := ms * time.Duration(u.pick(0, 30))
				if l.resets(r, d, h.Reset) {
					l.marks.task(u.Feature, r)
				}
			}
		},
	},
	{
		Feature: Feature{
			Name: "SetPeriod", API: []string{"Handle.SetPeriod"}, hosts: timed, ways: periodWays,
			ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			if h, ok := l.handle(r); ok {
				l.give(u.Feature, r, func() bool {
					return h.SetPeriod(ms*time.Duration(8+u.pick(0, 30))) == nil
				})
			}
		},
	},
	{
		Feature: Feature{
			Name: "Apply again", API: []string{"ScheduledPool.Plan", "ScheduledPool.ApplyPlan"},
			hosts: scheduled, ways: wApply, ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			if r.job.Task == nil {
				return
			}
			switch u.pick(0, 6) {
			case 3:
				r.job.Paused = !r.job.Paused
			case 4:
				r.job.Disabled = !r.job.Disabled
			case 0:
				r.job.Version += "'"
			case 1:
				if !r.t.backsOff() { // for no longer than it does now, which may be a period
					if r.t.ticks() {
						r.job.Every += 5 * ms
					} else {
						r.job.Rate += 5 * ms
					}
				}
			case 2: // another option
				r.job.Options = append(r.job.Options[:len(r.job.Options):len(r.job.Options)],
					executor.MaxRuns(50+u.pick(1, 50)))
			}
			l.apply(r, u.pick(0, 4) > 0)
			l.marks.task(u.Feature, r)
		},
	},
	{
		Feature: Feature{
			Name: "Restart", API: []string{"ScheduledPool.Restart"}, hosts: scheduled, ways: wApply,
			ofTask: true,
		},
		shape: func(d *draft, t *task, u *use) { d.include(byName["Cancel"], t) },
		command: func(l *life, r *record, u *use) {
			if l.restarts(r) {
				l.marks.task(u.Feature, r)
			}
		},
	},
	{
		Feature: Feature{
			Name: "AfterSettled", API: []string{"future.AfterSettled"}, ways: ownFutureWays,
			ofTask: true, callback: true,
		},
		command: func(l *life, r *record, u *use) {
			told := func(future.Result[struct{}]) {
				l.called(u.Feature,
					r.t.name())
				l.marks.task(u.Feature, r)
			}
			plain, typed := l.journal.futuresOf(r)
			if plain != nil {
				future.AfterSettled(plain, told)
			}
			if typed != nil {
				future.AfterSettled(typed,
					func(future.Result[int]) { told(future.Result[struct{}]{}) })
			}
		},
	},
	{
		Feature: Feature{
			Name: "Then", API: []string{"future.Then"}, ways: ownFutureWays, ofTask: true,
			callback: true,
		},
		command: func(l *life, r *record, u *use) {
			plain, typed := l.journal.futuresOf(r)
			if plain != nil {
				then(l, u.Feature, r, plain)
			}
			if typed != nil {
				then(l, u.Feature, r, typed)
			}
		},
	},
	{
		Feature: Feature{
			Name: "Get",
			API: []string{"Future.Get", "Future.GetTimeout", "future.All", "future.Any",
				"future.Completed"},
			ways: ownFutureWays, ofTask: true,
		},
		command: func(l *life, r *record, u *use) {
			plain, typed := l.journal.futuresOf(r)
			switch {
			case plain != nil:
				get(l, u, r, plain)
			case typed != nil:
				get(l, u, r, typed)
			}
		},
	},
}

// get waits for the future of a task for some time, in one of many ways.
func get[V any](l *life, u *use, r *record, f *future.Future[V]) {
	limit := ms * time.Duration(1+u.pick(1, 80))
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	from := l.now()
	switch u.pick(0, 4) {
	case 0:
		_, _ = f.Get(ctx)
	case 1:
		_, _ = f.GetTimeout(limit)
	case 2:
		_, _ = future.All(ctx, f)
	case 3:
		for range future.Completed(ctx, f) {
		}
	}
	if l.now() > from+limit {
		l.found.late("a wait of %v took %v", limit, l.now()-from)
	}
	l.marks.task(u.Feature, r)
}

// then derives a future from that of a task. It has an effect when it is settled.
func then[V any](l *life, f *Feature, r *record, of *future.Future[V]) {
	derived := future.Then(of, func(V) (int, error) {
		l.called(f, r.t.name())
		return 0, nil
	})
	future.AfterSettled(derived, func(future.Result[int]) { l.marks.task(f, r) })
}
