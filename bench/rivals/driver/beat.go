package driver

import (
	"sync/atomic"
	"time"
)

// beat is a task at a fixed rate that notes how late its runs are. Those of a system that does not
// wait for the end of the last run may overlap.
type beat struct {
	first  time.Time
	period time.Duration
	drops  bool // runs may be dropped
	window *window

	runs atomic.Int64
}

// run is what the system calls.
func (b *beat) run() { b.startAt(time.Now()) }

// startAt is a run that starts at the given time. It is held against the next time on the grid and,
// if runs may be dropped, against all up to now: for those without a run of their own it comes
// late. One that comes after all, when another has been taken for it, counts no more.
func (b *beat) startAt(now time.Time) {
	if !b.drops {
		b.window.note(b.planned(b.runs.Add(1)-1), now)
		return
	}
	k, next := int64(now.Sub(b.first)/b.period), b.runs.Load()
	if k < next {
		if b.planned(next).Sub(now) > b.period/10 {
			return
		}
		k = next // it is early
	}
	for last := b.runs.Swap(k + 1); last <= k; last++ {
		b.window.note(b.planned(last), now)
	}
}

// close notes the runs that should have started by the end of the window, and have not.
func (b *beat) close() {
	for k := b.runs.Load(); b.planned(k).Before(b.window.end); k++ {
		b.window.note(b.planned(k), b.window.end)
	}
}

// planned returns the time of run k.
func (b *beat) planned(k int64) time.Time { return b.first.Add(time.Duration(k) * b.period) }

// window is the time in which runs are planned whose lateness counts. It opens once all beats are
// armed.
type window struct {
	begin, end time.Time // set before it is open
	open       atomic.Bool

	early atomic.Int64 // runs before their time
	seen  atomic.Int64 // runs noted, or for which there was no room
	lates []atomic.Int64
}

// note notes a run.
func (w *window) note(planned, now time.Time) {
	if !w.open.Load() || planned.Before(w.begin) || !planned.Before(w.end) {
		return
	}
	late := int64(now.Sub(planned))
	if late < 0 {
		w.early.Add(1)
		late = 0
	}
	if i := w.seen.Add(1) - 1; i < int64(len(w.lates)) {
		w.lates[i].Store(late + 1) // 0 is one that is just being noted
	}
}
