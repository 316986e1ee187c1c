package engine

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
)

// Host is a Pool as its cells see it: what futures and contexts ask their executor for.
type Host Pool

func (h *Host) pool() *Pool { return (*Pool)(h) }

// Cancelled takes a task that has just been cancelled out of the queue at once. A task between two
// runs is not there; the worker that holds it then finds it settled, because "may it run again" and
// "queue it" are one step under the lock.
//
// A cancelled task is counted by whoever takes it out of the queue: here, or where it was to be
// started or handed back.
func (h *Host) Cancelled(c *cell.Cell, running bool) (tell func()) {
	p := h.pool()
	delay.At(delay.CancelledQueued)
	p.mu.Lock()
	removed := true
	switch {
	case p.waiting.queue.Remove(c):
		p.vacatedLocked(c)
	case p.waiting.endDeferLocked(c):
		p.vacatedLocked(c)
	// A task held back takes room in a bounded queue, too.
	case p.waiting.heldBack > 0 && p.waiting.removeHeldBackLocked(c):
		p.Crew.notifyLocked(unread)
	default:
		removed = false
	}
	if removed {
		c.Body = nil
		p.Door.leaveLocked(c)
	} else {
		p.runs.CancellerCameLocked()
	}
	// During a run it is counted here, as its end will not count again; Ends is true once only.
	handedBack := running && !planOf(c).Ends()
	if removed || running && !handedBack {
		p.counts.cancelled++
	}
	if !p.plain && p.Crew.surplusLocked() && p.waiting.waitingLocked() == 0 {
		// A worker above the core size may lead, waiting for this task. Nothing keeps it now.
		p.Crew.lot.CallLeader()
	}
	p.runs.CancelledLocked(&planOf(c).Plan)
	p.runs.RecheckShortageLocked()
	// It may have been the last task of a pool that is draining.
	tell = p.runs.TellsCancelledLocked(c, &planOf(c).Plan, handedBack)
	ended := p.Life.emptiedLocked()
	p.mu.Unlock()
	p.Life.finish(ended)
	return tell
}

// Dismissed forgets that c, which has been cancelled after that, has failed.
func (h *Host) Dismissed(c *cell.Cell) { h.pool().runs.Dismiss(&planOf(c).Plan) }

// Expired settles or reports a run that has exceeded its timeout.
func (h *Host) Expired(c *cell.Cell) { h.pool().runs.Expired(c, &planOf(c).Plan) }

// Subject names the task and the pool, for errors.
func (h *Host) Subject(c *cell.Cell) string {
	return h.pool().runs.Subject(planOf(c).Name).String()
}

// Delay is that of the task's ScheduledFuture.
func (h *Host) Delay(c *cell.Cell) time.Duration { return h.pool().runs.Delay(c, &planOf(c).Plan) }

// Next is that of the task's ScheduledFuture. A task is in the queue exactly while a run is
// planned.
func (h *Host) Next(c *cell.Cell) (time.Time, bool) {
	p := h.pool()
	p.mu.Lock()
	defer p.mu.Unlock()
	return h.NextLocked(c)
}

// NextLocked is Next for a caller who holds the lock.
func (h *Host) NextLocked(c *cell.Cell) (time.Time, bool) {
	p := h.pool()
	if c.Place == 0 || c.Phase().Settled() || planOf(c).DueAt(c) == clock.Never {
		return time.Time{}, false
	}
	return p.runs.NextLocked(c, &planOf(c).Plan), true
}

// HasHandle reports whether c is a task by itself: not one of Execute without options.
func (h *Host) HasHandle(c *cell.Cell) bool { return planOf(c) != h.pool().Door.executed }

// Plan leads from a task to what its future asks.
func (h *Host) Plan(c *cell.Cell) (*run.Owner, *run.Plan) { return &h.pool().runs, &planOf(c).Plan }

// Periodic is that of the task's ScheduledFuture.
func (h *Host) Periodic(c *cell.Cell) bool { return planOf(c).Periodic() }

// Runs is that of the task's ScheduledFuture.
func (h *Host) Runs(c *cell.Cell) uint64 { return h.pool().runs.Runs(c, &planOf(c).Plan) }

// Describe returns the run of c that is in progress.
func (h *Host) Describe(c *cell.Cell) run.Info {
	p := h.pool()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Views.askLocked(c)
}

// vacatedLocked uses the room that c, which was cancelled, has left in the queue. Removing a task
// needs no call of a worker by itself: at worst the leader wakes up once for nothing.
func (p *Pool) vacatedLocked(c *cell.Cell) {
	pl := planOf(c)
	p.unexpectLocked(c)
	s := pl.strand
	if s != nil {
		p.advanceLocked(s)
	}
	if s != nil || p.Door.blockedSubmitters.list.Len() > 0 {
		p.Crew.notifyLocked(unread)
	}
}

// Waiting returns the tasks that wait, and maybe others.
func (h *Host) Waiting() []*cell.Cell { return h.pool().Views.Live() }

// Host returns p as its cells see it.
func (p *Pool) Host() *Host { return (*Host)(p) }
