package refuses

import (
	"context"
	"time"
)

func lost(ctx context.Context) {
	// want +4 `ad-hoc ticker`
	go func() {
		// a slow ticker
		t := time.NewTicker(time.Second)
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				work()
			}
		}
	}()
	// want +4 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second) // each second
		defer work()
		for {
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
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			// a
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
				// as long as another
			}
		}
	}()
}
