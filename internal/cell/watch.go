package cell

// Watcher is a call to be made once a cell is settled.
type Watcher struct {
	notify     func()
	prev, next *Watcher
	watching   bool
}

// watchers is a list of them, the first to come first. The lock of the extension guards it.
type watchers struct{ first, last *Watcher }

// Watch has notify called once, by whoever settles the cell, or here and now if it is settled
// already. No lock is held. Notify must return soon, and not wait.
func (c *Cell) Watch(notify func()) *Watcher {
	w := &Watcher{notify: notify}
	e := c.extend()
	e.mu.Lock()
	pending := !settled(c.state.Load())
	if pending {
		e.watchers.add(w)
	}
	e.mu.Unlock()
	if !pending {
		notify()
	}
	return w
}

// Unwatch takes back a Watch that is of no interest any more.
func (c *Cell) Unwatch(w *Watcher) {
	e := c.extend()
	e.mu.Lock()
	defer e.mu.Unlock()
	if w.watching {
		e.watchers.remove(w)
	}
}

func (ws *watchers) add(w *Watcher) {
	w.watching = true
	w.prev = ws.last
	if ws.last != nil {
		ws.last.next = w
	} else {
		ws.first = w
	}
	ws.last = w
}

func (ws *watchers) remove(w *Watcher) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		ws.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		ws.last = w.prev
	}
	w.prev, w.next, w.watching = nil, nil, false
}

// take returns all, which are not watching any more.
func (ws *watchers) take() watchers {
	for w := ws.first; w != nil; w = w.next {
		w.watching = false
	}
	taken := *ws
	*ws = watchers{}
	return taken
}

// notify calls all, after they have been taken.
func (ws *watchers) notify() {
	for w := ws.first; w != nil; w = w.next {
		w.notify()
	}
}
