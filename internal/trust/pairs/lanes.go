package pairs

import (
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/serial"
)

// laneOptions are those of serial executors. All lanes of a program have them.
var laneOptions = []*definition{
	{
		Feature: Feature{Name: "Gap", API: []string{"serial.Gap"}, hosts: pools, ways: laneWays},
		shape:   func(d *draft, t *task, u *use) { d.neighbours(t, 2) },
		lane:    func(l *life, u *use) serial.Option { return serial.Gap(gap(u)) },
		observed: func(l *life, u *use) {
			for _, lane := range lanes {
				for _, s := range l.journal.starts(lane) {
					l.marks.putOff(u.Feature, lane, s.b.ended, s.b.ended+gap(u))
				}
			}
		},
	},
	{
		Feature: Feature{
			Name: "Pace of a lane", API: []string{"executor.Pace"}, hosts: pools, ways: laneWays,
		},
		shape: func(d *draft, t *task, u *use) { d.neighbours(t, 2) },
		lane: func(l *life, u *use) serial.Option {
			n, per := pace(u)
			return executor.Pace(n, per)
		},
		observed: func(l *life, u *use) {
			n, per := pace(u)
			for _, lane := range lanes {
				l.marks.paced(u.Feature, lane, n, per)
			}
		},
	},
}
