package cell

import "github.com/punctual-go/punctual/internal/delay"

// Watcher is a call to be made once a cell is settled, or another cell to be settled for it.
type Watcher struct {
	notify     func()
	from, to   *Cell // of PassOn; nil for Watch
	prev, next *Watcher
	watching   bool
}

// watchers is a list of them, the first to come first. The lock of the extension guards it.
type watchers struct{ first, last *Watcher }

// Watch has notify called once, by whoever settles the cell, or here and now if it is settled
// already. No lock is held. Notify must return soon, and not wait.
func (c *Cell) Watch(notify func()) *Watcher { return c.watch(&Watcher{notify: notify}) }

// PassOn is Watch that settles another cell when c has failed or been cancelled: likewise, with the
// same error. Succeeded is called if c has succeeded. A chain of cells that pass on to each other
// may be of any length: whoever settles the first goes from one to the next, and needs no more stack
// for that.
func (c *Cell) PassOn(to *Cell, succeeded func()) *Watcher {
	return c.watch(&Watcher{notify: succeeded, from: c, to: to})
}

func (c *Cell) watch(w *Watcher) *Watcher {
	e := c.extend()
	e.mu.Lock()
	pending := !settled(c.state.Load())
	if pending {
		e.watchers.add(w)
	}
	e.mu.Unlock()
	if !pending {
		w.call().notify()
	}
	return w
}

// Unwatch takes back a Watch that is of no interest any more. It reports whether it has come in time.
func (c *Cell) Unwatch(w *Watcher) bool {
	e := c.extend()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !w.watching {
		return false
	}
	e.watchers.remove(w)
	return true
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

// notify calls all, after they have been taken. Those of a cell that is settled by that come next,
// as if they were called from inside.
func (ws watchers) notify() {
	left := ws.first
	defer func() { // one that calls Goexit keeps no other from being called
		if left != nil {
			watchers{first: left}.notify()
		}
	}()
	for left != nil {
		w, rest := left, left.next
		w.next, left = nil, rest
		if next := w.call(); next.first != nil {
			next.last.next = rest
			left = next.first
		}
	}
}

// call does what is to be done now that the cell is settled, and returns who is to be notified of
// that in turn.
func (w *Watcher) call() (next watchers) {
	if w.to == nil || w.from.Phase() == Succeeded {
		w.notify()
		return next
	}
	if _, ok := w.to.decide(uint32(w.from.Phase()), w.from.Err()); ok {
		delay.At(delay.CellSettled)
		next = w.to.release()
	}
	return next
}
