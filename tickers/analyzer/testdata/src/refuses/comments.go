package refuses

import (
	"context"
	"time"
)

func lost(ctx context.Context) {
	go func() {
		// a slow ticker
		t := time.NewTicker(time.Second)
		for { // want `ad-hoc ticker`
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				work()
			}
		}
	}()
	go func() {
		t := time.NewTicker(time.Second) // each second
		defer work()
		for { // want `ad-hoc ticker`
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				work()
			}
		}
	}()
	t := time.NewTicker(time.Second) // outside
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				work()
			}
		}
	}()
}
