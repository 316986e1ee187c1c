package pairs

import (
	"context"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

type opts = []executor.Option

var poolOptions = []*Feature{
	{
		Name: "AfterRun", API: []string{"executor.AfterRun"}, hosts: pools, callback: true,
		option: func(l *life, u *use) opts {
			return opts{executor.AfterRun(func(_ context.Context, run executor.Run, _ error) {
				l.called(u.Feature, run.Name)
			})}
		},
	},
	{
		Name: "AfterTermination", API: []string{"executor.AfterTermination"}, hosts: pools,
		callback: true,
		option: func(l *life, u *use) opts {
			return opts{executor.AfterTermination(func() {
				l.marks.whole(u.Feature)
				l.called(u.Feature, "")
			})}
		},
	},
	{
		Name: "BaseContext", API: []string{"executor.BaseContext"},
		option: func(l *life, u *use) opts {
			return opts{executor.BaseContext(context.WithValue(context.Background(), baseKey{}, 1))}
		},
	},
	{
		Name: "BeforeRun", API: []string{"executor.BeforeRun"}, hosts: pools, callback: true,
		option: func(l *life, u *use) opts {
			return opts{executor.BeforeRun(func(_ context.Context, run executor.Run) {
				l.called(u.Feature, run.Name)
			})}
		},
	},
	{
		Name: "CoreTimeout", API: []string{"executor.CoreTimeout", "Pool.SetCoreTimeout"},
		hosts: pools,
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
		Name: "Decorate", API: []string{"executor.Decorate"}, hosts: pools, callback: true,
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
		Name: "Defaults", API: []string{"executor.Defaults"}, ways: optionWays,
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
		Name: "ErrorHandler", API: []string{"executor.ErrorHandler"}, callback: true,
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
		Name: "ExplainLate", API: []string{"Config.ExplainLate"},
		shape: func(d *draft, t *task, u *use) { d.crowdDuring(t) },
		option: func(l *life, u *use) opts {
			return opts{executor.Watch(insight.Config{
				ExplainLate: max(insight.Any, ms*time.Duration(u.pick(0, 3))),
			})}
		},
		observed: func(l *life, u *use) {
			if l.host.executor.Insight().Measurements().Reasons.Total > 0 {
				l.journal.eachLate(ms*2, func(r *record, b *bodyRun) { l.marks.task(u.Feature, r) })
			}
		},
	},
	{
		Name: "GrowFirst", API: []string{"executor.GrowFirst"}, hosts: plain,
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
		Name: "KeepAlive", API: []string{"executor.KeepAlive", "Pool.SetKeepAlive"}, hosts: pools,
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
		Name: "History", API: []string{"Config.History"},
		option: func(l *life, u *use) opts { return opts{executor.Watch(insight.Config{History: true})} },
		observed: func(l *life, u *use) {
			if l.gauges.final.history != nil && len(l.gauges.final.history.Seconds) > 0 {
				l.marks.whole(u.Feature)
			}
		},
	},
	{
		Name: "Logger", API: []string{"executor.Logger"}, callback: true,
		shape: func(d *draft, t *task, u *use) {
			d.addBody(t, d.oneOf("body panics", "body calls Goexit"))
			d.without("ErrorHandler")
		},
		option: func(l *life, u *use) opts {
			return opts{executor.Logger(slog.New(&logHandler{l: l, feature: u.Feature}))}
		},
	},
	{
		Name: "MaximumSize", API: []string{"executor.MaximumSize", "Pool.SetMaximumSize"},
		hosts: plain, // a scheduled pool does not grow by itself
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
		Name: "Measure", API: []string{"executor.Watch"},
		option: func(l *life, u *use) opts { return opts{executor.Watch(insight.Config{})} },
		observed: func(l *life, u *use) {
			all := l.host.executor.Insight().Measurements()
			unnamed := all.Took.Count() // that are measured among all, and have no name
			for _, t := range all.Tasks {
				if t.Took.Count() > 0 && t.Name != "" {
					unnamed -= t.Took.Count()
					l.marks.named(u.Feature, t.Name)
				}
			}
			if unnamed > 0 {
				l.marks.unnamed(u.Feature)
			}
		},
	},
	{
		Name: "Name of the executor", API: []string{"executor.Name"},
		option: func(l *life, u *use) opts { return opts{executor.Name("executor")} },
		observed: func(l *life, u *use) {
			if l.gauges.final.stats.Name == "executor" {
				l.marks.whole(u.Feature)
			}
		},
	},
	{
		Name: "OnHealth", API: []string{"Config.OnHealth"}, callback: true,
		shape: func(d *draft, t *task, u *use) {
			if t.way.way&bulkWays != 0 { // whose tasks have no options: another is not well
				t.takes = max(t.takes, d.between(10, 25))
				t = d.newTask(byName["Submit"], t.at)
				t.unnamed, t.takes = false, 3*ms
			}
			d.include(byName["Expect"], t)
			d.addBody(t, d.oneOf("body fails", "body panics"))
		},
		option: func(l *life, u *use) opts {
			return opts{executor.Watch(insight.Config{
				OnHealth: func(h insight.Health) { l.called(u.Feature, "") },
			})}
		},
	},
	{
		Name: "OnLate", callback: true, API: []string{
			"Config.OnLate", "Config.OnLateAfter", "Config.OnLateInterval",
		},
		shape: func(d *draft, t *task, u *use) { d.crowdDuring(t) },
		option: func(l *life, u *use) opts {
			return opts{executor.Watch(insight.Config{
				OnLate:         func(late insight.LateRun) { l.called(u.Feature, late.Name) },
				OnLateAfter:    ms * time.Duration(u.pick(0, 3)),
				OnLateInterval: ms,
			})}
		},
	},
	{
		Name: "PendingLimit", API: []string{"executor.PendingLimit"}, hosts: pools,
		shape: crowded,
		option: func(l *life, u *use) opts {
			return opts{executor.PendingLimit(1 + u.pick(0, 3))}
		},
		observed: markFull,
	},
	{
		Name: "Pace", API: []string{"executor.Pace"}, hosts: pools,
		shape: func(d *draft, t *task, u *use) { d.companions(t, 3) },
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
		Name: "Record", API: []string{"Config.Record"}, callback: true,
		option: func(l *life, u *use) opts {
			return opts{executor.Watch(insight.Config{Record: &tape{l: l, feature: u.Feature}})}
		},
		observed: func(l *life, u *use) {
			unnamed := false
			for _, t := range l.gauges.recording().Tasks {
				if t.Name != "" && len(t.Runs) > 0 {
					l.marks.named(u.Feature, t.Name)
				}
				unnamed = unnamed || t.Name == "" && len(t.Runs) > 0
			}
			if unnamed {
				l.marks.unnamed(u.Feature)
			}
		},
	},
	{
		Name: "Slack", API: []string{"executor.Slack"}, hosts: timed, ways: delayedWays,
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
