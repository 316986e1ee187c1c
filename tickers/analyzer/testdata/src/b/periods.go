package b

import (
	"context"
	"time"
)

type settings struct{ Every time.Duration }

// Others can set it, but it is read once, and where the fix reads it.
func (s *settings) loop(ctx context.Context) {
	defer refresh()
	t := time.NewTicker(s.Every)
	defer t.Stop()
	// want +1 `ad-hoc ticker`
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			refresh()
		}
	}
}

func (s *settings) late(ctx context.Context) {
	t := time.NewTicker(s.Every)
	defer t.Stop()
	refresh()
	// want +1 `ad-hoc ticker`
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			refresh()
		}
	}
}

func (s *settings) start(ctx context.Context) {
	go s.loop(ctx)
	go s.late(ctx)
	// want +4 `ad-hoc ticker`
	go func() { // it would be read earlier
		t := time.NewTicker(s.Every)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				refresh()
			}
		}
	}()
}

func started(ctx context.Context) {
	// want +4 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Minute)
		defer t.Stop()
		for {
			refresh()
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
		}
	}()
}
