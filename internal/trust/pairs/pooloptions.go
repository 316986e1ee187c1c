package pairs

import (
	"context"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// poolOptions are the options of an executor, but for those in lists of their own.
var poolOptions = []*definition{
	{
		Feature: Feature{
			Name: "AfterRun", API: []string{"executor.AfterRun"}, hosts: pools, callback: true,
		},
		option: func(l *life, u *use) opts {
			return opts{executor.AfterRun(func(_ context.Context, run executor.Run, _ error) {
				l.called(u.Feature, run.Name)
			})}
		},
	},
	{
		Feature: Feature{
			Name: "AfterTermination", API: []string{"executor.AfterTermination"}, hosts: pools,
			callback: true,
		},
		option: func(l *life, u *use) opts {
			return opts{executor.AfterTermination(func() {
				l.marks.whole(u.Feature)
				l.called(u.Feature, "")
			})}
		},
	},
	{
		Feature: Feature{Name: "BaseContext", API: []string{"executor.BaseContext"}},
		option: func(l *life, u *use) opts {
			return opts{executor.BaseContext(context.WithValue(context.Background(), baseKey{}, 1))}
		},
	},
	{
		Feature: Feature{
			Name: "BeforeRun", API: []string{"executor.BeforeRun"}, hosts: pools, callback: true,
		},
		option: func(l *life, u *use) opts {
			return opts{executor.BeforeRun(func(_ context.Context, run executor.Run) {
				l.called(u.Feature, run.Name)
			})}
		},
	},
	{
		Feature: Feature{
			Name: "CoreTimeout", API: []string{"executor.CoreTimeout", "Pool.SetCoreTimeout"},
			hosts: pools,
		},
		option: func(l *life, u *use) opts {
			return opts{executor.CoreTimeout()}
		},
		observed: func(l *life, u *use) { // a worker of the core has left again
			l.gauges.each(func(before, s *sample) {
				if s.stats.CoreTimeout && s.stats.Workers < before.stats.Workers &&
					s.stats.Workers < s.stats.Core {
					l.marks.span(u.Feature, before.at, s.at)
				}
			})
		},
	},
	{
		Feature: Feature{
			Name: "Decorate", API: []string{"executor.Decorate"}, hosts: pools, callback: true,
		},
		option: func(l *life, u *use) opts {
			return opts{executor.Decorate(func(t executor.Task) executor.Task {
				l.called(u.Feature, "")
				return func(ctx context.Context) error {
					run, _ := executor.RunFrom(ctx)
					l.marks.named(u.Feature, run.Name)
					return t(ctx)
				}
			})}
		},
	},
	{
		Feature: Feature{Name: "Defaults", API: []string{"executor.Defaults"}, ways: optionWays},
		shape: func(d *draft, t *task, _ *use) {
			d.addBody(t, d.oneOf("body is deaf", "body blocks"))
		},
		option: func(l *life, u *use) opts {
			return opts{executor.Defaults(executor.Timeout(timeout(u)))}
		},
		observed: func(l *life, u *use) { // a task without a timeout of its own has exceeded one
			for _, r := range l.journal.records {
				for _, b := range r.bodies {
					if b.timedOut && r.t.using(byName["Timeout"]) == nil {
						l.marks.task(u.Feature, r)
					}
				}
			}
		},
	},
	{
		Feature: Feature{
			Name: "ErrorHandler", API: []string{"executor.ErrorHandler"}, callback: true,
		},
		shape: func(d *draft, t *task, u *use) {
			if t.way.way&futureWays&^seriesWays != 0 { // whose errors only their futures have
				d.addBody(t, d.oneOf("body panics", "body calls Goexit"))
				return
			}
			d.addBody(t, d.oneOf("body fails", "body panics"))
		},
		option: func(l *life, u *use) opts {
			return opts{executor.ErrorHandler(func(_ context.Context, run executor.Run, err error) {
				l.journal.toldError(run.Name, err)
				l.called(u.Feature, run.Name)
			})}
		},
	},
	{
		Feature: Feature{Name: "GrowFirst", API: []string{"executor.GrowFirst"}, hosts: plain},
		shape: func(d *draft, t *task, u *use) {
			d.include(byName["MaximumSize"], t)
			d.crowdDuring(t)
		},
		option: func(l *life, u *use) opts { return opts{executor.GrowFirst()} },
		observed: func(l *life, u *use) {
			l.gauges.each(func(_, s *sample) {
				if s.stats.Workers > s.stats.Core {
					l.marks.span(u.Feature, s.at, s.at)
				}
			})
		},
	},
	{
		Feature: Feature{
			Name: "KeepAlive", API: []string{"executor.KeepAlive", "Pool.SetKeepAlive"},
			hosts: pools,
		},
		shape: func(d *draft, t *task, u *use) {
			if d.host == plain && !d.unbounded() { // else it does not grow beyond its core
				d.include(byName["MaximumSize"], t)
				d.crowdDuring(t)
			} else {
				d.include(byName["CoreTimeout"], t)
			}
		},
		option: func(l *life, u *use) opts {
			return opts{executor.KeepAlive(ms * time.Duration(1+u.pick(0, 4)))}
		},
		observed: func(l *life, u *use) {
			l.gauges.each(func(before, s *sample) {
				if s.stats.Workers < before.stats.Workers {
					l.marks.span(u.Feature, before.at, s.at)
				}
			})
		},
	},
	{
		Feature: Feature{Name: "Logger", API: []string{"executor.Logger"}, callback: true},
		shape: func(d *draft, t *task, u *use) {
			d.addBody(t, d.oneOf("body panics", "body calls Goexit"))
			d.without("ErrorHandler")
		},
		option: func(l *life, u *use) opts {
			return opts{executor.Logger(slog.New(&logHandler{l: l, feature: u.Feature}))}
		},
	},
	{
		Feature: Feature{
			Name: "MaximumSize", API: []string{"executor.MaximumSize", "Pool.SetMaximumSize"},
			hosts: plain, // a scheduled pool does not grow by itself
		},
		shape: func(d *draft, t *task, u *use) {
			switch {
			case d.unbounded():
				d.include(byName["GrowFirst"], t)
			case !d.aboutOf("queue") && !d.has("GrowFirst"):
				d.include(byName["BoundedFIFO"], t)
			}
			d.crowdDuring(t)
			d.crowdDuring(t)
		},
		option: func(l *life, u *use) opts {
			return opts{executor.MaximumSize(l.size + 1 + u.pick(0, 2))}
		},
		observed: func(l *life, u *use) {
			l.gauges.each(func(_, s *sample) {
				if s.stats.Workers > s.stats.Core {
					l.marks.span(u.Feature, s.at, s.at)
				}
			})
		},
	},
	{
		Feature: Feature{Name: "Name of the executor", API: []string{"executor.Name"}},
		option:  func(l *life, u *use) opts { return opts{executor.Name("executor")} },
		observed: func(l *life, u *use) {
			if l.gauges.final.stats.Name == "executor" {
				l.marks.whole(u.Feature)
			}
		},
	},
	{
		Feature: Feature{
			Name: "PendingLimit", API: []string{"executor.PendingLimit"}, hosts: pools,
		},
		shape: crowded,
		option: func(l *life, u *use) opts {
			return opts{executor.PendingLimit(1 + u.pick(0, 3))}
		},
		observed: markFull,
	},
	{
		Feature: Feature{Name: "Pace", API: []string{"executor.Pace"}, hosts: pools},
		shape:   func(d *draft, t *task, u *use) { d.companions(t, 3) },
		option: func(l *life, u *use) opts {
			n, per := pace(u)
			return opts{executor.Pace(n, per)}
		},
		observed: func(l *life, u *use) {
			n, per := pace(u)
			l.marks.paced(u.Feature, 0, n, per)
		},
	},
	{
		Feature: Feature{
			Name: "Slack", API: []string{"executor.Slack"}, hosts: timed, ways: delayedWays,
		},
		shape: func(d *draft, t *task, u *use) { d.companions(t, 4) },
		option: func(l *life, u *use) opts {
			return opts{executor.Slack(ms * time.Duration(1+u.pick(0, 4)))}
		},
		observed: func(l *life, u *use) {
			d := ms * time.Duration(1+u.pick(0, 4))
			l.journal.eachLate(0, func(r *record, b *bodyRun) {
				if b.began-b.due <= d && l.journal.busyAt(b.due) < l.size {
					l.marks.task(u.Feature, r)
				}
			})
		},
	},
}
