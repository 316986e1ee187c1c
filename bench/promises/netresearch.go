package main

import (
	"time"

	cron "github.com/netresearch/go-cron"
)

func netresearchCron() system {
	return system{
		name: "go-cron",
		about: "netresearch/go-cron: Schedules of its own, as its lines keep a grid of whole " +
			"seconds; ScheduleOnceJob, WithMaxEntries; the chain is Recover, DelayIfStillRunning",
		says: documents{later: drops},
		open: openNetresearch,
	}
}

func openNetresearch(_, bound int) (facility, error) {
	log := cron.DiscardLogger
	opts := []cron.Option{
		cron.WithLogger(log), cron.WithChain(cron.Recover(log), cron.DelayIfStillRunning(log)),
	}
	if bound > 0 {
		opts = append(opts, cron.WithMaxEntries(bound))
	}
	c := cron.New(opts...)
	c.Start()
	entry := func(id cron.EntryID, err error) (handle, error) {
		return handle{cancel: func() answer { c.Remove(id); return silent }}, err
	}
	stop := func() { c.Stop() }
	return facility{
		after: func(d time.Duration, task func()) (handle, error) {
			return entry(c.ScheduleOnceJob(once(time.Now().Add(d)), cron.FuncJob(task)))
		},
		rate: func(first, period time.Duration, task func()) (handle, error) {
			return entry(c.ScheduleJob(grid{time.Now().Add(first), period}, cron.FuncJob(task)))
		},
		count:    func() int { return len(c.Entries()) },
		shutdown: stop,
		now:      stop,
	}, nil
}
