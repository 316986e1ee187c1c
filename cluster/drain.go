package cluster

import "time"

// drain ends what this process holds: what has not begun at once, the rest when it is through, or
// the grace is over. If the pool is lost no outcome can be stored, so all of it ends at once.
func (w *worker) drain() {
	w.mu.Lock()
	w.ended = true
	if w.count == 0 {
		w.closeEmpty()
	}
	w.mu.Unlock()
	for _, h := range w.leases.all() {
		h.withdraw(errGivenBack)
		if w.pool.part.open() != nil {
			h.end(ErrLost)
		}
	}
	select {
	case <-w.empty:
	case <-time.After(w.pool.grace):
		for _, h := range w.leases.all() {
			h.end(errGivenBack)
		}
		select {
		case <-w.empty:
		case <-time.After(time.Second): // bodies that do not look at their contexts
		}
	}
}

// flush waits for acknowledgements that are on their way, for what is left of the grace, or a
// second. In a network that swallows all the connection can be blocked in a write for long, and
// then its own timeout does not count.
func (w *worker) flush(left time.Duration) {
	most := min(max(left, time.Second), 5*time.Second)
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		_ = w.pool.nc.FlushTimeout(most)
	}()
	select {
	case <-flushed:
	case <-time.After(most):
	}
}
