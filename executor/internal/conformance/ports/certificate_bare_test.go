package ports_test

import (
	"context"
	"time"
)

func bareCertificate(issue issuing) service {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		timer := time.NewTimer(0)
		defer timer.Stop()
		wait := firstWait
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			if ctx.Err() != nil {
				return
			}
			life, err := issue(ctx)
			if err != nil {
				timer.Reset(wait)
				wait = min(2*wait, longestWait)
				continue
			}
			wait = firstWait
			timer.Reset(life * 2 / 3)
		}
	}()
	return service{stop: func() { cancel(); <-stopped }}
}
