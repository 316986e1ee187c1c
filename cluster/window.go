package cluster

import (
	"context"
	"slices"
	"sync"
	"time"
)

// window bounds what this process takes from the server: what its workers run, and a small head
// start, so that the next run is at hand when one of them comes free. All else is left to other
// processes. There is one for all tasks, as they share the workers.
//
// The goroutines that fetch share it, one for each task:
//
//	quiet -> busy     its queue had something at the last look
//	busy  -> quiet    it had less than was asked for
//
// A busy task asks for a share of the room there is, which is reserved until the answer has come. A
// quiet one asks for a single run, and waits for it long; that reserves nothing, as it would keep
// the room from the others for nothing. So a process can hold as many runs beyond its window as
// there are tasks whose queues were empty; what it cannot begin it gives back, see keepsWaiting.
//
// A process that has given one back, as no worker came free for it, has no head start until one
// does: it could be the first to ask for what it has just given back.
//
// Runs whose time has not come count up to mostHeld only.
type window struct {
	workers int
	made    time.Time

	mu       sync.Mutex
	held     int  // all
	taken    int  // those that are due
	reserved int  // what was asked for and has not come
	crowded  bool // one was given back since a worker last began another
	pace     pace
	waiting  []chan int // of those that ask, in the order in which they came; each receives once
}

// mostHeld is how many runs a process holds in their last wait: enough for 25,000 a second.
const mostHeld = 8192

func newWindow(workers int) *window { return &window{workers: workers, made: time.Now()} }

func (w *window) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held++
}

// take counts a run that is due.
func (w *window) take() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken++
}

// leave counts a run no more as one that is due, as it waits again.
func (w *window) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken--
	w.grantLocked()
}

// crowd says that a run is given back for want of a worker.
func (w *window) crowd() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.crowded = true
}

// begin counts a run that a worker has begun.
func (w *window) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.crowded = false
	w.pace.count(time.Since(w.made))
	w.grantLocked()
}

func (w *window) give(taken bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held--
	if taken {
		w.taken--
	}
	w.grantLocked()
}

// room waits until there is room for a task, and tells for how much to ask the server; 0 if ctx has
// ended. What a busy task asks for is reserved, until it is returned.
func (w *window) room(ctx context.Context, busy bool) int {
	turn := make(chan int, 1)
	w.mu.Lock()
	w.waiting = append(w.waiting, turn)
	w.grantLocked()
	w.mu.Unlock()
	select {
	case n := <-turn:
		if !busy { // any room will do
			w.unreserve(n)
			return min(n, 1)
		}
		return n
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.waiting, turn); i >= 0 {
		w.waiting = slices.Delete(w.waiting, i, i+1)
	} else {
		w.reserved -= <-turn
		w.grantLocked()
	}
	return 0
}

// unreserve returns what was reserved and has come, or will not come.
func (w *window) unreserve(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reserved -= n
	w.grantLocked()
}

// grantLocked lets those ask that wait for it, as far as there is room: each for its share.
func (w *window) grantLocked() {
	for len(w.waiting) > 0 {
		limit := w.workers
		if !w.crowded {
			limit += w.pace.headStart(time.Since(w.made), w.workers)
		}
		room := min(limit-w.taken, mostHeld-w.held) - w.reserved
		if room <= 0 {
			return
		}
		n := (room + len(w.waiting) - 1) / len(w.waiting)
		w.reserved += n
		w.waiting[0] <- n
		w.waiting = slices.Delete(w.waiting, 0, 1)
	}
}

// pace tells how many runs have lately begun in a tenth of a second. If there are many they are
// short, and the workers would wait for the server between two of them; if there are few, what
// is taken ahead waits here for long, and others could run it.
type pace struct {
	since        time.Duration // when the present interval began
	last, lately int           // begun in the interval before it, and in it
}

const paceInterval = 100 * time.Millisecond

func (p *pace) count(now time.Duration) {
	p.turn(now)
	p.lately++
}

func (p *pace) turn(now time.Duration) {
	switch passed := now - p.since; {
	case passed >= 2*paceInterval:
		p.since, p.last, p.lately = now, 0, 0
	case passed >= paceInterval:
		p.since, p.last, p.lately = p.since+paceInterval, p.lately, 0
	}
}

// headStart is how many runs to have at hand beyond those that run: one at least, and at most as
// many as there are workers.
func (p *pace) headStart(now time.Duration, workers int) int {
	p.turn(now)
	return min(max(p.last, p.lately, 1), workers)
}
