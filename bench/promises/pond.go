package main

import (
	"time"

	"github.com/alitto/pond/v2"
)

func pondPool() system {
	return system{
		name: "pond",
		about: "alitto/pond: TrySubmit; WithQueueSize for a bound; Stop, awaited for a moment, to shut " +
			"down; Done and Wait of a task",
		says: documents{due: runs},
		open: openPond,
	}
}

func openPond(workers, bound int) (facility, error) {
	var opts []pond.Option
	if bound > 0 {
		opts = append(opts, pond.WithQueueSize(bound))
	}
	p := pond.NewPool(workers, opts...)
	return facility{
		execute: func(task func()) (handle, error) {
			t, ok := p.TrySubmit(task)
			if !ok {
				return handle{}, t.Wait()
			}
			return pondHandle(t), nil
		},
		count: func() int { return int(p.WaitingTasks()) },
		shutdown: func() { // it is complete a moment after Stop
			waitFor(50*time.Millisecond, func() { _ = p.Stop().Wait() })
		},
	}, nil
}

func pondHandle(t pond.Task) handle {
	return handle{get: func(limit time.Duration) string {
		select {
		case <-t.Done():
			if t.Wait() != nil {
				return "failed"
			}
			return "value"
		case <-time.After(limit):
			return "late"
		}
	}}
}
