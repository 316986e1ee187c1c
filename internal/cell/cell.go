// Package cell is the life of one task without its result type: a state word, those who wait for
// it, and the context of its runs. Futures, tasks, promises and the queue entries of executors are
// all views of a Cell, which is why a submitted task is one allocation.
package cell

import (
	"context"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/delay"
)

// Phase is the part of a cell's state that its future shows.
type Phase uint32

// The order matters: every phase from Succeeded on is settled.
const (
	Pending Phase = iota
	Running
	Succeeded
	Failed
	Cancelled
)

// Settled reports whether the phase is final.
func (p Phase) Settled() bool { return p >= Succeeded }

// The state word holds the phase in its low bits and these flags above.
const (
	phaseMask = 7

	body = 1 << 3 // a body is in progress; a settled phase does not end that
	live = 1 << 4 // the context of that run has not ended
	seen = 1 << 5 // that context was asked for a signal, so no other run may reuse it
	full = 1 << 6 // the runner itself settled the cell, so its result is complete
	gone = 1 << 7 // the host itself cancelled the cell, for the reason in its plan
	bare = 1 << 8 // the body has been dropped
	once = 1 << 9 // a body has begun, now or before
)

// word is the state of a cell. Its transitions are in the comment of Cell.
type word struct{ atomic.Uint32 }

func (w *word) wasSeen() bool { return w.Load()&seen != 0 }

// Cell is settled at most once, whoever tries to, by one transition of its state word:
//
//	Pending -> Running              Begin
//	Pending -> Failed               Fail, for a promise
//	Pending -> Cancelled            Cancel, by a caller; Drop, by the host
//	Running -> Pending              Reset: the run succeeded and is not the last
//	Running -> Succeeded, Failed    Finish, by the runner; Fail, by a timeout
//	Running -> Cancelled            Cancel, Drop; the body may go on, its outcome is dropped
//
// The word also says whether a body is in progress. Begin sets that flag. For every Begin the
// runner calls exactly one of Reset and Finish, which clears it; if Reset fails, Finish must
// follow.
//
// A cell that needs an error, a channel, a watcher or a context of its own gets an extension. Most
// cells never do: they cost the state word and what the executor keeps in them.
//
// The zero Cell is pending.
type Cell struct {
	state word

	// Place belongs to the executor: where the cell is in a queue, or 0. The executor's lock guards
	// it.
	Place int32

	ext atomic.Pointer[extension] // what few cells need

	// Plan is set before the cell is shared, and does not change. Nil means a task that is run by
	// hand, in the context given to Enter.
	Plan *Plan

	// These belong to the executor, whose lock guards them.
	_       [0]atomic.Uint64 // aligns Order on 32-bit processors; see setRunner
	Order   uint64           // sequence number; 0 until the executor has accepted it
	When    int64            // trigger time of the next run, or of the one in progress
	Started int64            // start of the run in progress; before the first, the executor's own

	// Body is set before the cell is shared. The executor drops it at the end.
	Body func(ctx context.Context) error
}

// SetIndex makes a *Cell a node of package heap. Places in a heap begin at 1; a cell that leaves it
// has place 0.
func (c *Cell) SetIndex(i int) { c.Place = int32(i) + 1 }

// Seq makes a *Cell a node of package heap.
func (c *Cell) Seq() uint64 { return c.Order }

// Phase returns the phase at this moment.
func (c *Cell) Phase() Phase { return phaseOf(c.state.Load()) }

// Full reports whether the cell was settled by its runner, so that the result of the run is
// complete.
func (c *Cell) Full() bool { return c.state.Load()&full != 0 }

// Begin starts a run and reports true, or reports false if the cell is running or settled. The
// caller becomes the runner. It must call [Cell.Enter], then [Cell.Exit], then [Cell.Finish] or
// [Cell.Reset].
func (c *Cell) Begin() bool {
	for {
		s := c.state.Load()
		if phaseOf(s) != Pending {
			return false
		}
		// A context that was seen stays seen: whoever keeps it may ask again during this run.
		next := s&seen | uint32(Running) | body | once
		if s&seen == 0 {
			next |= live // otherwise a shadow will be live in its place
		}
		if c.state.CompareAndSwap(s, next) {
			return true
		}
	}
}

// Finish ends the last run. It settles the cell: as succeeded if err is nil, else as failed. It
// reports false if the cell was settled before, by a cancellation or a timeout; the run has ended
// all the same.
func (c *Cell) Finish(err error) (settled bool) {
	settled = c.FinishQuietly(err)
	delay.At(delay.CellSettled)
	c.Wake()
	return settled
}

// Quietly in the name of a method means that nobody is woken: the caller must call [Cell.Wake]. As
// that calls those who watch, who may end the goroutine, the caller can first note what it has to.

// FinishQuietly is [Cell.Finish] without the waking.
func (c *Cell) FinishQuietly(err error) (settled bool) {
	if err == nil {
		settled = c.state.leaveBody(Succeeded)
	} else {
		// The error is written under the lock under which the phase becomes final, so whoever sees
		// the phase finds the error.
		e := c.extend()
		e.mu.Lock()
		if settled = c.state.leaveBody(Failed); settled {
			e.err = err
		}
		e.mu.Unlock()
	}
	return settled
}

// Reset ends a run that another is to follow, and makes the cell pending again. It reports false if
// the cell has been settled meanwhile; then the run has not ended, and the runner calls Finish.
// Reset wakes nobody, so it may be called under a lock.
func (c *Cell) Reset() bool {
	for {
		s := c.state.Load()
		if phaseOf(s) != Running {
			return false
		}
		if c.state.CompareAndSwap(s, s&(seen|once)|uint32(Pending)) {
			return true
		}
	}
}

// Revoke is Reset for a run whose body has not been called, and which was the first: it is as if
// the cell had never begun.
func (c *Cell) Revoke() bool {
	for {
		s := c.state.Load()
		if phaseOf(s) != Running {
			return false
		}
		if c.state.CompareAndSwap(s, s&seen|uint32(Pending)) {
			return true
		}
	}
}

// leaveBody clears the body flag, and moves a cell that is still running to the phase next.
func (w *word) leaveBody(next Phase) (wasRunning bool) {
	for {
		s := w.Load()
		to := s &^ (body | live)
		if wasRunning = phaseOf(s) == Running; wasRunning {
			to = s&seen | uint32(next) | full
		}
		if w.CompareAndSwap(s, to) {
			return wasRunning
		}
	}
}

// Strip reports true, once, when no body will begin and none is in progress, so that the caller may
// drop what the body needs.
func (c *Cell) Strip() bool {
	// A stopped cell stays stopped, so the two steps need not be one.
	return stopped(c.state.Load()) && c.state.Or(bare)&bare == 0
}

// Fail settles a pending or running cell as failed. It does not end a body in progress.
func (c *Cell) Fail(err error) bool {
	ok := c.FailQuietly(err)
	if ok {
		delay.At(delay.CellSettled)
		c.Wake()
	}
	return ok
}

// FailQuietly is [Cell.Fail] without the waking.
func (c *Cell) FailQuietly(err error) bool {
	_, ok := c.decide(uint32(Failed), err)
	return ok
}

// Cancel settles the cell as cancelled, with err as the error of its future, and tells its host. A
// nil err means a plain cancellation, for which nothing is allocated. With interrupt, the context
// of a body in progress ends with cause, even if an earlier call without interrupt has settled the
// cell. Cancel reports whether this call settled the cell.
func (c *Cell) Cancel(err, cause error, interrupt bool) bool {
	before, ok := c.decide(uint32(Cancelled), err)
	delay.At(delay.CellCancelled)
	if interrupt && before&body != 0 {
		c.interruptAndTell(before, ok, cause)
	} else {
		c.tellHost(before, ok)
	}
	return ok
}

// interruptAndTell ends the context of the body, and tells the host, also if a context of the
// user's ends the goroutine.
func (c *Cell) interruptAndTell(before uint32, settled bool, cause error) {
	defer c.tellHost(before, settled)
	c.Interrupt(cause)
}

// tellHost tells the host of a cancellation, and whether it has settled the cell, whose state was
// before. The host counts on it: it does not end before all have come whose tasks it finds
// cancelled. It takes the cell away; only then those hear of it who wait, those who watch, and those
// whom the host knows: whatever these do, what is cancelled is gone.
func (c *Cell) tellHost(before uint32, settled bool) {
	if !settled {
		if phaseOf(before) == Failed {
			c.Plan.dismissed(c)
		}
		return
	}
	var tell func()
	if c.Plan != nil && c.Plan.Host != nil {
		tell = c.Plan.Host.Cancelled(c, phaseOf(before) == Running)
	}
	delay.At(delay.CellSettled)
	if tell != nil {
		c.wakeAndTell(tell)
		return
	}
	c.Wake()
}

// wakeAndTell calls tell last, also if one of those who watch ends the goroutine.
func (c *Cell) wakeAndTell(tell func()) {
	defer tell()
	c.Wake()
}

// Withdraw settles the cell as cancelled if it has never begun, and tells its host. It reports
// whether this call did so.
func (c *Cell) Withdraw() bool {
	for {
		s := c.state.Load()
		if phaseOf(s) != Pending || s&once != 0 {
			return false
		}
		if c.state.CompareAndSwap(s, s|uint32(Cancelled)) {
			break
		}
	}
	c.tellHost(uint32(Pending), true)
	return true
}

// DropQuietly settles the cell as cancelled on behalf of its host, with the error Dropped of its
// plan. The host is not told. DropQuietly reports whether this call settled the cell.
func (c *Cell) DropQuietly() bool {
	_, ok := c.decide(uint32(Cancelled)|gone, nil)
	return ok
}

// DiscardQuietly is [Cell.DropQuietly] with an error of its own.
func (c *Cell) DiscardQuietly(err error) bool {
	_, ok := c.decide(uint32(Cancelled), err)
	return ok
}

// Unseen reports whether nobody has asked the context of a run for a signal, so that the cell may
// serve for another task.
func (c *Cell) Unseen() bool { return c.state.Load()&seen == 0 && c.ext.Load() == nil }

// decide moves a cell that is not settled to the phase in next, and adds the flags in next to its
// flags. It returns the state word that it found, and leaves the waking to the caller.
func (c *Cell) decide(next uint32, err error) (before uint32, ok bool) {
	// As in Finish, whoever sees the phase must find the error. A cell that has ended already gets
	// no extension.
	var e *extension
	if err != nil && !c.Phase().Settled() {
		e = c.extend()
		e.mu.Lock()
	}
	for {
		before = c.state.Load()
		if phaseOf(before) >= Succeeded {
			break
		}
		if ok = c.state.CompareAndSwap(before, before&^phaseMask|next); ok {
			break
		}
	}
	if e != nil {
		if ok {
			e.err = err
		}
		e.mu.Unlock()
	}
	return before, ok
}

func phaseOf(s uint32) Phase { return Phase(s & phaseMask) }
