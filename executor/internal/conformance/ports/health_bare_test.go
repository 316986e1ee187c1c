package ports_test

import (
	"context"
	"time"
)

func bareHealth(probe func(context.Context) error) service {
	ctx, cancel := context.WithCancel(context.Background())
	demanded := make(chan struct{}, 1)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		wait := usualWait
		timer := time.NewTimer(0)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-demanded:
			case <-timer.C:
			}
			if ctx.Err() != nil { // select takes any of those that are ready
				return
			}
			err := probe(ctx)
			if wait = min(2*wait, mostWait); err != nil {
				wait = leastWait
			}
			timer.Reset(wait)
		}
	}()
	return service{
		demand: func() {
			select {
			case demanded <- struct{}{}:
			default: // one is enough
			}
		},
		stop: func() { cancel(); <-stopped },
	}
}
