package main

import (
	"time"

	"github.com/robfig/cron/v3"
)

func robfigCron() system {
	return system{
		name: "robfig",
		about: "robfig/cron: Schedules of its own, as its lines know no less than a second; the " +
			"chain is Recover, DelayIfStillRunning",
		says: documents{later: drops},
		open: openRobfig,
	}
}

func openRobfig(_, bound int) (facility, error) {
	if bound > 0 {
		return facility{}, unable(lacks["bound"])
	}
	log := cron.DiscardLogger
	c := cron.New(cron.WithChain(cron.Recover(log), cron.DelayIfStillRunning(log)))
	c.Start()
	add := func(s cron.Schedule, task func()) (handle, error) {
		id := c.Schedule(s, cron.FuncJob(task))
		return handle{cancel: func() answer { c.Remove(id); return silent }}, nil
	}
	stop := func() { c.Stop() }
	return facility{
		after: func(d time.Duration, task func()) (handle, error) {
			return add(once(time.Now().Add(d)), task)
		},
		rate: func(first, period time.Duration, task func()) (handle, error) {
			return add(grid{time.Now().Add(first), period}, task)
		},
		count:    func() int { return len(c.Entries()) },
		shutdown: stop,
		now:      stop,
	}, nil
}

// grid is the schedule of a time, and of all that follow in steps of a period.
type grid struct {
	first  time.Time
	period time.Duration
}

// Next returns the first time of the grid after t.
func (g grid) Next(t time.Time) time.Time {
	if t.Before(g.first) {
		return g.first
	}
	return g.first.Add((t.Sub(g.first)/g.period + 1) * g.period)
}
