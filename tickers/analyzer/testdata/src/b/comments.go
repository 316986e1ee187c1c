package b

import (
	"context"
	"time"
)

func commented(ctx context.Context) {
	// starts the refresher
	// want +3 `ad-hoc ticker`
	go func() {
		defer refresh() // in the end
		for {
			select {
			case <-ctx.Done(): // the end
				// flush first
				refresh()
				// then leave
				return
			case <-time.After(period):
				// IMPORTANT: refresh everything
				refresh() /* now */
				// and nothing more
			}
		}
	}() // trailing
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			// TODO: nothing yet
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) { // each second
			print(`a
	b`)
		}
	}()
}

// Those that have no place any more stand above.
func moved(ctx context.Context) {
	// want +4 `ad-hoc ticker`
	go func() {
		// a slow ticker
		t := time.NewTicker(time.Second)
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				refresh()
			}
		}
	}()
	// want +4 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second) // each second
		defer refresh()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				refresh()
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
				refresh()
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
				refresh()
				// as long as another
			}
		}
	}()
}
