package driver

import (
	"slices"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// System is one that is measured.
type System struct {
	Name  string // on the command line
	Title string // in tables
	About string // how it is used, in a clause

	can     ability
	without []string // kinds that its abilities would allow, but not its nature

	// drops says that a run which cannot start before the next is due is dropped.
	drops bool

	// most is how many tasks may wait at once; 0 means any number. With more a round would take ten
	// seconds and longer.
	most int64

	open func() session

	// serve opens the system as services have it: somebody is told of failures, and of the end of
	// each run. Nil if the system has nothing of the kind.
	serve func() session

	// bound opens the system so that only so many tasks may wait, and who submits more is held up.
	// Nil if the system has no such bound.
	bound func(capacity int) session
}

// ability is what a system can do.
type ability uint8

const (
	submits   ability = 1 << iota // session.execute, ask and fan
	schedules                     // session.after
	repeats                       // session.every
	serves                        // System.serve, for tasks and series
	tells                         // System.serve, for series
	opens                         // schedules, and may be opened a hundred times
	bounds                        // System.bound
)

// Systems returns the systems, in the order of their families: this module's, the standard
// library's, pools, cron libraries, others, and what is a measure for them and no more.
func Systems() []System {
	return slices.Concat(
		punctual(), standard(),
		[]System{antsPool(), pondPool(), workerPool(), concPool(), errGroup()},
		[]System{goCron(), robfigCron(), goQuartz(), goZero()}, floors(),
	)
}

// Kinds returns the kinds of work that the system can do, in the order of package workload.
func (s System) Kinds() []string {
	var names []string
	for _, k := range kinds() {
		if s.does(k) {
			names = append(names, k.name)
		}
	}
	return names
}

func (s System) does(k kind) bool {
	return s.can&k.needs != 0 && !slices.Contains(s.without, k.name)
}

// refuse returns an error if the work is too much for the system.
func (s System) refuse(k kind, sizes workload.Params) error {
	if s.most > 0 && sizes[k.waiting] > s.most {
		return tooMuch{s.Title, s.most}
	}
	return nil
}
