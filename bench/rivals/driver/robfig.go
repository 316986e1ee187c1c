package driver

import (
	"time"

	"github.com/robfig/cron/v3"
)

func robfigCron() System {
	return System{
		Name: "robfig", Title: "robfig/cron v3",
		About: "a Schedule of its own, as those of cron lines know no less than a second; a goroutine for each run",
		can:   repeats | tells, drops: true, open: func() session { return openRobfig() },
		serve: func() session { return openRobfig(cron.WithChain(hooked, cron.Recover(cron.DiscardLogger))) },
	}
}

// hooked is a chain's link that does nothing after each run.
func hooked(j cron.Job) cron.Job {
	return cron.FuncJob(func() {
		j.Run()
		nothing()
	})
}

func openRobfig(opts ...cron.Option) session {
	c := cron.New(opts...)
	return session{
		every: func(first, period time.Duration, f func()) {
			c.Schedule(grid{time.Now().Add(first), period}, cron.FuncJob(f))
		},
		start:    c.Start,
		shutdown: func([]stopper) { <-c.Stop().Done() },
	}
}

// grid is a schedule: a time, and all that follow in steps of a period.
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
