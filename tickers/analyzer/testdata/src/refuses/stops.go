package refuses

import (
	"context"
	"time"
)

func returned(ctx context.Context) (stop func()) {
	t := time.NewTicker(time.Second)
	go func() {
		for { // want `ad-hoc ticker`
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
	go func() {
		for { // want `ad-hoc ticker`
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
	go func() {
		t := time.NewTicker(time.Second)
		if off {
			t.Stop()
		}
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
		t := time.NewTicker(time.Second)
		for { // want `ad-hoc ticker`
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
		go func() {
			for { // want `ad-hoc ticker`
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
