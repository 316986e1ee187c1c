package cell

import "github.com/punctual-go/punctual/internal/delay"

// Watcher is a call to make once a cell is settled, or another cell to settle then.
type Watcher struct {
	notify     func()
	from, to   *Cell // set by PassOn; nil for Watch
	prev, next *Watcher
	watching   bool
}

// Watchers is a list of them in order of registration. The lock of the extension guards it.
type Watchers struct{ first, last *Watcher }

// Watch calls notify once the cell is settled: on the goroutine that settles it, or here and now if
// it is settled already. No lock is held. notify must return soon, and must not wait.
func (c *Cell) Watch(notify func()) *Watcher { return c.watch(&Watcher{notify: notify}) }

// PassOn settles another cell, to, when c fails or is cancelled: in the same way, with the same
// error. If c succeeds, PassOn calls succeeded. Cells that pass on to each other may form a chain
// of any length: whoever settles the first goes from one to the next in a loop, so the stack does
// not grow.
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
	if !pending { // without the lock
		w.call().Notify()
	}
	return w
}

// Unwatch removes a watcher, and reports whether it did so before the watcher was called.
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

func (ws *Watchers) add(w *Watcher) {
	w.watching = true
	w.prev = ws.last
	if ws.last != nil {
		ws.last.next = w
	} else {
		ws.first = w
	}
	ws.last = w
}

func (ws *Watchers) remove(w *Watcher) {
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

// take removes all watchers and returns them. None of them can be removed by Unwatch any more.
func (ws *Watchers) take() Watchers {
	for w := ws.first; w != nil; w = w.next {
		w.watching = false
	}
	taken := *ws
	*ws = Watchers{}
	return taken
}

// Any reports whether there are any.
func (ws Watchers) Any() bool { return ws.first != nil }

// Notify calls all watchers, which have been taken. If one settles another cell, the watchers of
// that come next, as they would in a recursive call.
func (ws Watchers) Notify() {
	left := ws.first
	if left == nil {
		return
	}
	defer func() { // one that calls Goexit keeps no other from being called
		if left != nil {
			Watchers{first: left}.Notify()
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

// call does what is to be done now that the cell is settled, and returns the watchers to be
// notified in turn.
func (w *Watcher) call() (next Watchers) {
	if w.to == nil || w.from.Phase() == Succeeded {
		w.notify()
		return next
	}
	if _, ok := w.to.decide(uint32(w.from.Phase()), w.from.Err()); ok {
		delay.At(delay.CellSettled)
		next = w.to.Release()
	}
	return next
}
