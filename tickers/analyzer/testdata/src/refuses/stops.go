package refuses

import (
	"context"
	"time"
)

func returned(ctx context.Context) (stop func()) {
	t := time.NewTicker(time.Second)
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
	return func() { t.Stop() }
}

func outside(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
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
	work()
}

func conditional(ctx context.Context, off bool) {
	// want +6 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second)
		if off {
			t.Stop()
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				work()
			}
		}
	}()
	// want +3 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second)
		for {
			select {
			case <-ctx.Done():
				if off {
					t.Stop()
				}
				return
			case <-t.C:
				work()
			}
		}
	}()
}

func shared(ctx context.Context) {
	t := time.NewTicker(time.Second)
	for range 4 {
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
}
