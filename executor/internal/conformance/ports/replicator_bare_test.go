package ports_test

import (
	"context"
	"time"
)

func bareReplicator(send replicate) service {
	ctx, cancel := context.WithCancel(context.Background())
	demanded := make(chan struct{}, 1)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		var starts []time.Time
		timer := time.NewTimer(initial)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-demanded:
				timer.Reset(0)
				continue
			case <-timer.C:
			}
			if ctx.Err() != nil {
				return
			}
			now := time.Now()
			if len(starts) == atMost {
				if free := starts[0].Add(span); now.Before(free) {
					timer.Reset(free.Sub(now))
					continue
				}
				starts = starts[1:]
			}
			starts = append(starts, now)
			_ = send(ctx)
			timer.Reset(interval)
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
