package pairs

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// watchOptions have the executor watched: measured, explained, recorded.
var watchOptions = []*definition{
	{
		Feature: Feature{Name: "ExplainLate", API: []string{"Config.ExplainLate"}},
		shape:   func(d *draft, t *task, u *use) { d.crowdDuring(t) },
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
		Feature: Feature{Name: "History", API: []string{"Config.History"}},
		option: func(l *life, u *use) opts {
			return opts{executor.Watch(insight.Config{History: true})}
		},
		observed: func(l *life, u *use) {
			if l.gauges.final.history != nil && len(l.gauges.final.history.Seconds) > 0 {
				l.marks.whole(u.Feature)
			}
		},
	},
	{
		Feature: Feature{Name: "Measure", API: []string{"executor.Watch"}},
		option:  func(l *life, u *use) opts { return opts{executor.Watch(insight.Config{})} },
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
		Feature: Feature{Name: "OnHealth", API: []string{"Config.OnHealth"}, callback: true},
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
		Feature: Feature{
			Name: "OnLate", callback: true,
			API: []string{"Config.OnLate", "Config.OnLateAfter", "Config.OnLateInterval"},
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
		Feature: Feature{Name: "Record", API: []string{"Config.Record"}, callback: true},
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
}
