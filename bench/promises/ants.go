package main

import (
	"io"
	"log"
	"time"

	"github.com/panjf2000/ants/v2"
)

func antsPool() system {
	return system{
		name: "ants",
		about: "panjf2000/ants: a submitter that waits for a worker is a goroutine; " +
			"WithMaxBlockingTasks for a bound; Release to shut down",
		open: openAnts,
	}
}

func openAnts(workers, bound int) (facility, error) {
	p, err := ants.NewPool(workers, ants.WithMaxBlockingTasks(bound),
		ants.WithLogger(log.New(io.Discard, "", 0)))
	if err != nil {
		return facility{}, err
	}
	return facility{
		execute: func(task func()) (handle, error) {
			var err error
			if !waitFor(20*time.Millisecond, func() { err = p.Submit(task) }) {
				return handle{}, nil
			}
			return handle{}, err
		},
		count:    p.Waiting,
		shutdown: p.Release,
		now:      p.Release,
	}, nil
}
