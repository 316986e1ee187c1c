// Package cell is the life of one task without its result type: a state word, those who wait for
// it, and the context of its runs. A future, a task, a promise and an executor's queue entry are
// all views of a Cell, so that a submitted task is one allocation.
package cell

import (
	"context"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/delay"
)

// Phase is where a cell stands.
type Phase uint32

// The order matters: everything from Succeeded on is settled.
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

	body = 1 << 3 // a body of the task is in progress, which a settled phase does not end
	live = 1 << 4 // the context of that run has not ended
	seen = 1 << 5 // that context has been asked for a signal, so no other run may reuse it
	full = 1 << 6 // the runner itself settled the cell, so its result is complete
	gone = 1 << 7 // the host itself cancelled the cell, for the reason in its plan
	bare = 1 << 8 // the body has been forgotten
)

// Cell is settled at most once, whatever races for it, by one transition of its state word:
//
//	Pending -> Running              Begin
//	Pending -> Failed               Fail: a promise that is not kept
//	Pending -> Cancelled            Cancel, by a caller; Drop, by the host
//	Running -> Pending              Reset: the run succeeded and is not the last
//	Running -> Succeeded, Failed    Finish, by the runner; Fail, by a time-out
//	Running -> Cancelled            Cancel, Drop; the body may go on, its outcome is dropped
//
// The word also tells whether a body is in progress: Begin sets the flag, and Reset or Finish,
// which the runner calls exactly once for every Begin, clears it.
//
// The zero Cell is pending.
type Cell struct {
	state atomic.Uint32

	// Place is the executor's: where the cell stands in its queue, 0 when out of it. Its lock guards
	// it.
	Place int32

	ext atomic.Pointer[extension] // what only some cells need

	// Plan is set before the cell is shared and does not change. Nil means a task that is run by
	// hand, in the context given to Enter.
	Plan *Plan

	// The executor's own; its lock guards them.
	_       [0]atomic.Uint64 // aligns Order on 32-bit processors, see setRunner
	Order   uint64           // sequence number
	When    int64            // trigger time of the next run, or of the one in progress
	Started int64            // start of the run in progress

	Body func(ctx context.Context) error // set before the cell is shared; the executor drops it at the end
}

// SetIndex makes a *Cell a node of an indexed heap.
func (c *Cell) SetIndex(i int) { c.Place = int32(i) + 1 }

// Seq makes a *Cell a node of an indexed heap.
func (c *Cell) Seq() uint64 { return c.Order }

// Phase returns the present phase.
func (c *Cell) Phase() Phase { return phaseOf(c.state.Load()) }

// Full reports whether the cell was settled by its runner, so that what the run produced is complete.
func (c *Cell) Full() bool { return c.state.Load()&full != 0 }

// Begin starts a run and reports whether it may: false when the cell is running or settled. The
// caller becomes the runner. It must call [Cell.Enter], then [Cell.Exit], then Finish or Reset.
func (c *Cell) Begin() bool {
	for {
		s := c.state.Load()
		if phaseOf(s) != Pending {
			return false
		}
		next := s&seen | uint32(Running) | body
		if s&seen == 0 {
			next |= live // otherwise a shadow will be
		}
		if c.state.CompareAndSwap(s, next) {
			return true
		}
	}
}

// Finish ends the last run: with nil it settles the cell as succeeded, else as failed. It reports
// false if the cell was settled before, by a cancellation or a time-out.
func (c *Cell) Finish(err error) (settled bool) {
	if err == nil {
		settled = c.leaveBody(Succeeded)
	} else {
		e := c.extend()
		e.mu.Lock()
		if settled = c.leaveBody(Failed); settled {
			e.err = err
		}
		e.mu.Unlock()
	}
	delay.At(delay.CellSettled)
	c.wake()
	return settled
}

// Reset ends a run that is to be followed by another and makes the cell pending again. It reports
// false, and the run has not ended, if the cell has been settled meanwhile: the runner then calls
// Finish. Reset wakes nobody, so it may be called under a lock.
func (c *Cell) Reset() bool {
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

// leaveBody clears the body flag and moves a cell that is still running to the phase next.
func (c *Cell) leaveBody(next Phase) (wasRunning bool) {
	for {
		s := c.state.Load()
		to := s &^ (body | live)
		if wasRunning = phaseOf(s) == Running; wasRunning {
			to = s&seen | uint32(next) | full
		}
		if c.state.CompareAndSwap(s, to) {
			return wasRunning
		}
	}
}

// Strip reports, once, that no body will be called or is in progress any more, so that the caller
// may forget it.
func (c *Cell) Strip() bool {
	// Once stopped, a cell stays so.
	return stopped(c.state.Load()) && c.state.Or(bare)&bare == 0
}

// Fail settles a pending or running cell as failed, without ending a body in progress.
func (c *Cell) Fail(err error) bool {
	_, ok := c.settle(uint32(Failed), err)
	return ok
}

// Cancel settles the cell as cancelled, with err as the error of its future, and tells the host of
// its plan. A nil err stands for the plain cancellation. With interrupt the context of a body in
// progress ends with cause, also when the cell had been settled before without that. It reports
// whether this call settled the cell.
func (c *Cell) Cancel(err, cause error, interrupt bool) bool {
	before, ok := c.settle(uint32(Cancelled), err)
	delay.At(delay.CellCancelled)
	if interrupt && before&body != 0 {
		c.Interrupt(cause)
	}
	if ok && c.Plan != nil && c.Plan.Host != nil {
		c.Plan.Host.Cancelled(c, phaseOf(before) == Running)
	}
	return ok
}

// Drop settles the cell as cancelled on behalf of its host, which is not told, with the error
// Dropped of its plan. It reports whether this call settled the cell.
func (c *Cell) Drop() bool {
	_, ok := c.settle(uint32(Cancelled)|gone, nil)
	return ok
}

// Discard is Drop with the given error.
func (c *Cell) Discard(err error) bool {
	_, ok := c.settle(uint32(Cancelled), err)
	return ok
}

// Unseen reports whether nobody has asked the context of a run for a signal, so that the cell may be
// used for a task that has nothing to do with the last.
func (c *Cell) Unseen() bool { return c.state.Load()&seen == 0 && c.ext.Load() == nil }

// settle moves a cell that is not settled to the phase in next, adding the flags there to those it
// has, and returns the state word it found.
func (c *Cell) settle(next uint32, err error) (before uint32, ok bool) {
	if before, ok = c.decide(next, err); ok {
		delay.At(delay.CellSettled)
		c.wake()
	}
	return before, ok
}

// decide is settle that leaves it to the caller to tell those who wait.
func (c *Cell) decide(next uint32, err error) (before uint32, ok bool) {
	var e *extension
	if err != nil && !c.Phase().Settled() {
		e = c.extend()
		e.mu.Lock()
	}
	for {
		before = c.state.Load()
		if phaseOf(before).Settled() {
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
