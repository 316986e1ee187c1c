package cluster

import (
	"context"
	"sync"
)

// window bounds how many runs of a task a process takes: those that run, and as many that are due,
// so that the next is at hand but no more is kept from other processes. Runs whose time has not
// come do not count, up to mostHeld.
type window struct {
	limit int

	mu    sync.Mutex
	held  int           // all
	taken int           // those that are due
	freed chan struct{} // has a token if something was given since somebody found no room
}

func newWindow(limit int) *window { return &window{limit: limit, freed: make(chan struct{}, 1)} }

// mostHeld is how many runs of a task a process holds in their last wait: enough for 25,000 a second.
const mostHeld = 8192

func (w *window) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held++
}

func (w *window) take() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken++
}

func (w *window) give(taken bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held--
	if taken {
		w.taken--
	}
	select {
	case w.freed <- struct{}{}:
	default:
	}
}

// room waits until there is room, and tells how much; 0 if ctx has ended.
func (w *window) room(ctx context.Context) int {
	for ctx.Err() == nil {
		w.mu.Lock()
		room := min(w.limit-w.taken, mostHeld-w.held)
		w.mu.Unlock()
		if room > 0 {
			return room
		}
		select {
		case <-w.freed:
		case <-ctx.Done():
		}
	}
	return 0
}
