package main

import (
	"fmt"
	"time"

	cron "github.com/netresearch/go-cron"
)

func netresearchCron() system {
	return system{
		name: "go-cron",
		about: "netresearch/go-cron: @every with WithMinEveryInterval(0), ScheduleOnceJob, WithMaxEntries; the chain is " +
			"Recover, DelayIfStillRunning",
		says: documents{later: drops},
		open: openNetresearch,
	}
}

func openNetresearch(_, bound int) (facility, error) {
	chain := cron.WithChain(cron.Recover(cron.DiscardLogger), cron.DelayIfStillRunning(cron.DiscardLogger))
	opts := []cron.Option{chain, cron.WithMinEveryInterval(0), cron.WithLogger(cron.DiscardLogger)}
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
			return entry(c.AddFunc(fmt.Sprint("@every ", period), task))
		},
		count:    func() int { return len(c.Entries()) },
		shutdown: stop,
		now:      stop,
	}, nil
}
