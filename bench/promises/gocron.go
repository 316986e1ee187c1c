package main

import (
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/google/uuid"
)

func goCron() system {
	return system{
		name: "gocron",
		about: "go-co-op/gocron: WithSingletonMode for a series; WithLimitConcurrentJobs " +
			"only for one worker, as series break more with it; both with LimitModeWait; one-time jobs; " +
			"WithIntervalFromCompletion for a fixed delay; AfterJobRunsWithPanic",
		says: documents{later: drops},
		open: openGoCron,
	}
}

func openGoCron(workers, bound int) (facility, error) {
	if bound > 0 {
		return facility{}, unable(lacks["bound"])
	}
	ignore := gocron.AfterJobRunsWithPanic(func(uuid.UUID, string, any) {})
	opts := []gocron.SchedulerOption{
		gocron.WithStopTimeout(time.Second),
		gocron.WithGlobalJobOptions(gocron.WithEventListeners(ignore)),
	}
	if workers == 1 {
		opts = append(opts, gocron.WithLimitConcurrentJobs(1, gocron.LimitModeWait))
	}
	s, err := gocron.NewScheduler(opts...)
	if err != nil {
		return facility{}, err
	}
	s.Start()
	add := func(d gocron.JobDefinition, task func(), opts ...gocron.JobOption) (handle, error) {
		j, err := s.NewJob(d, gocron.NewTask(task), opts...)
		if err != nil {
			return handle{}, err
		}
		return handle{cancel: func() answer { return yesIf(s.RemoveJob(j.ID()) == nil) }}, nil
	}
	type options = []gocron.JobOption
	repeat := func(first, period time.Duration, task func(), opts options) (handle, error) {
		opts = append(opts, gocron.WithStartAt(gocron.WithStartDateTime(time.Now().Add(first))),
			gocron.WithSingletonMode(gocron.LimitModeWait))
		return add(gocron.DurationJob(period), task, opts...)
	}
	shutdown := func() { // without the wait for runs
		waitFor(100*time.Millisecond, func() { _ = s.Shutdown() })
	}
	return facility{
		execute: func(task func()) (handle, error) {
			return add(gocron.OneTimeJob(gocron.OneTimeJobStartImmediately()), task)
		},
		after: func(d time.Duration, task func()) (handle, error) {
			return add(gocron.OneTimeJob(gocron.OneTimeJobStartDateTime(time.Now().Add(d))), task)
		},
		rate: func(first, period time.Duration, task func()) (handle, error) {
			return repeat(first, period, task, nil)
		},
		delay: func(first, delay time.Duration, task func()) (handle, error) {
			return repeat(first, delay, task, options{gocron.WithIntervalFromCompletion()})
		},
		count:    func() int { return len(s.Jobs()) },
		shutdown: shutdown,
		now:      shutdown,
	}, nil
}
