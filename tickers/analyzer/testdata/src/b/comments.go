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
