package ports_test

import (
	"context"
	"errors"
	"time"
)

func bareLease(renew renewal) service {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		due, renewed := time.Now().Add(ttl/3), time.Now()
		timer := time.NewTimer(ttl / 3)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			if ctx.Err() != nil {
				return
			}
			began := time.Now()
			err := renew(ctx)
			now := time.Now()
			switch {
			case errors.Is(err, errLost):
				return
			case err == nil:
				renewed = began
				for !due.After(now) { // a Ticker would keep one tick of those missed
					due = due.Add(ttl / 3)
				}
				timer.Reset(due.Sub(now))
			default:
				timer.Reset(againWait)
			}
			if !now.Add(againWait).Before(renewed.Add(ttl)) {
				return
			}
		}
	}()
	return service{ended: over, stop: func() { cancel(); <-over }}
}
