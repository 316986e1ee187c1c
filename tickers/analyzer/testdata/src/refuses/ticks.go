package refuses

import (
	"context"
	"time"
)

func used(ctx context.Context) {
	t := time.NewTicker(time.Second)
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-t.C:
				print(now.String())
			}
		}
	}()
	// want +3 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second)
		for {
			now := <-t.C
			print(now.String())
		}
	}()
}

func inTurns(ctx context.Context) {
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			case <-time.After(time.Minute):
				work()
			}
		}
	}()
}

func inPieces(ctx context.Context) {
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
			work()
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			if ctx.Err() != nil {
				return
			}
			work()
			time.Sleep(time.Second)
		}
	}()
}
