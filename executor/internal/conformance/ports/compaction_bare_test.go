package ports_test

import (
	"context"
	"fmt"
	"time"
)

func bareCompaction(compact compaction) service {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	guarded := func() (merged int, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
		}()
		return compact(ctx)
	}
	go func() {
		defer close(stopped)
		timer := time.NewTimer(0)
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
			if merged, err := guarded(); err != nil {
				timer.Reset(afterTrouble)
			} else {
				timer.Reset(wait(merged))
			}
		}
	}()
	return service{stop: func() { cancel(); <-stopped }}
}
