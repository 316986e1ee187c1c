package engine

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// Overview: a task that leaves its place either waits again, for another time, its next run or its
// next attempt; or it leaves the pool, which forgets it then, and its name. That is because it has
// ended by its run, was cancelled, or is dropped: each is counted once, under the lock, and the
// future is settled without it.

// RequeueLocked moves a waiting task to another time, as if it had just been submitted for that. It
// reports false if the task has left the queue. While the pool drops what is not yet due, nothing
// may be put off.
func (h *Host) RequeueLocked(c *cell.Cell, when, now int64) (moved bool, then func()) {
	p, pl := (*Pool)(h), planOf(c)
	if p.Life.stage == draining && !pl.Periodic() && when > now && !p.executeDelayed.Load() {
		return false, nil
	}
	if !p.waiting.takeLocked(c) {
		return false, nil
	}
	p.waiting.setTimeLocked(c, when)
	p.waiting.queueLocked(c)
	if when <= now {
		p.Crew.urgent = max(p.Crew.urgent, when)
	}
	if when <= now || c.Started < 0 || c.Place <= 1 { // of a shard the place is not known here
		p.Crew.notifyLocked(now)
	}
	p.loans.helpAnewLocked(c)
	return true, nil
}

// leaveLocked is called when c, whose plan is pl, leaves the pool: it is forgotten, and so is its
// name, unless that is handed on.
func (d *Door) leaveLocked(c *cell.Cell, pl *plan) {
	if !pl.Unique && pl.Period == 0 {
		return // neither its name nor its series is known
	}
	p := d.pool
	p.runs.StrikeLocked(&pl.Plan)
	if !pl.Unique || d.names.live.entries[pl.Name] != c {
		return
	}
	heir := pl.heir
	if heir == nil || heir.Phase().Settled() {
		d.names.live.remove(pl.Name)
		return
	}
	d.names.live.remove(pl.Name)
	d.names.take(heir, planOf(heir))
	now := p.clock.Now()
	series := &planOf(heir).Series
	series.Release(now)
	(*Host)(p).RequeueLocked(heir, series.Due(), now)
	p.runs.LimitLocked(heir, &planOf(heir).Plan)
}

// Cancelled takes a task that has just been cancelled out of the queue at once. A task between two
// runs is not there; the worker that holds it then finds it settled, because "may it run again" and
// "queue it" are one step under the lock.
//
// A cancelled task is counted by whoever takes it out of the queue: here, or where it was to be
// started or handed back.
func (h *Host) Cancelled(c *cell.Cell, running bool) (tell func()) {
	p, pl := (*Pool)(h), planOf(c)
	delay.At(delay.CancelledQueued)
	// Where nobody else has to know, the lock of its shard will do.
	alone := !running && !p.runs.Observed && (pl.Name == "" || !p.runs.HeedsEnds())
	if alone && p.waiting.shards.Withdraw(c) {
		return nil
	}
	p.mu.Lock()
	removed := true
	switch {
	case p.waiting.queue.Remove(c) || p.waiting.endDeferLocked(c):
		if pl.strand != nil || pl.expected || p.Door.blockedSubmitters.list.Len() > 0 {
			p.vacatedLocked(c)
		}
	// A task held back takes room in a bounded queue, too.
	case p.waiting.heldBack > 0 && p.waiting.removeHeldBackLocked(c):
		p.Crew.notifyLocked(unread)
	default:
		removed = false
	}
	if removed {
		c.Body = nil
		p.Door.leaveLocked(c, pl)
	} else {
		p.runs.CancellerCameLocked()
	}
	// During a run it is counted here, as its end will not count again; Ends is true once only.
	handedBack := running && !pl.Ends()
	if removed || running && !handedBack {
		p.counts.cancelled++
	}
	if !p.plain && p.Crew.surplusLocked() && p.waiting.waitingLocked() == 0 {
		// A worker above the core size may lead, waiting for this task. Nothing keeps it now.
		p.Crew.lot.CallLeader()
	}
	p.runs.CancelledLocked(&pl.Plan)
	p.runs.RecheckShortageLocked()
	// It may have been the last task of a pool that is draining.
	tell = p.runs.TellsCancelledLocked(c, &pl.Plan, handedBack)
	ended := p.Life.emptiedLocked()
	p.mu.Unlock()
	if ended {
		p.Life.finish(ended)
	}
	return tell
}

// depart takes the extra run out of its pool, and gives its place away.
func (g *extraRun) depart() {
	p := g.pool
	delay.At(delay.ExtraRunLeaves)
	p.mu.Lock()
	p.loans.waits.unserve(g.await)
	switch {
	case g.Aside != 0:
		p.counts.busy++ // it has taken no place that it could give back
	case !g.helps && g.outer == nil:
		p.loans.waits.callers-- // its place was its own, and is nobody's from here on
	}
	refused := g.accountLocked()
	if refused != nil {
		p.runs.SettlesLocked()
	}
	p.runners.leave(&g.execution)
	delete(p.loans.extraRuns, g)
	if g.helps {
		p.loans.waits.endHelp(g.await)
	}
	if g.await != nil {
		p.loans.helpLocked(g.await) // what it waits for may come next in a serial executor
	}
	p.loans.freedLocked()
	p.Crew.notifyLocked(unread)
	ended := p.Life.emptiedLocked()
	p.mu.Unlock()
	p.Life.finish(ended)
	// Settling calls those who wait, so it must not happen under the lock; and it comes last, as
	// they may end the goroutine.
	if refused != nil {
		defer p.runs.EndSettling()
		p.Life.endSeries(refused)
	}
}

// endSeries settles a series that would have gone on, but was cancelled during its run, or whose
// pool has been shut down.
func (lf *Life) endSeries(c *cell.Cell) {
	p := lf.pool
	p.runs.Refuse(c, &planOf(c).Plan, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.counts.returned++
	})
}

// Drain drops everything that waits, and returns it in the order of its times.
func (lf *Life) Drain() []Pending {
	drained := lf.takeWaiting()
	// Without the lock: settling calls those who wait.
	return lf.dropAll(drained, func(c *cell.Cell) (run.Dropped, bool) {
		err := lf.pool.runs.Refusal(nameOf(c), "task was drained", ErrDrained)
		return lf.pool.runs.Discard(c, &planOf(c).Plan, future.CancelledError(err))
	})
}

// takeWaiting removes all tasks from the queue and from behind others, and lets those in who wait
// for the room. The caller must settle the tasks, which the pool does not end before.
func (lf *Life) takeWaiting() []*cell.Cell {
	p := lf.pool
	p.mu.Lock()
	defer p.mu.Unlock() // even if a user's WorkQueue panics
	waiting := p.waiting.emptyLocked()
	lf.vacateLocked(waiting)
	p.runs.SettlesLocked()
	if !p.plain && p.Crew.surplusLocked() {
		p.Crew.lot.CallLeader() // above the core size, it may wait for what will not come
	}
	p.Crew.notifyLocked(unread)
	return waiting
}

// settle ends what sweepLocked has begun. It interrupts the given active tasks, settles the futures
// of the swept ones, and returns those that nobody has cancelled at the same moment.
func (lf *Life) settle(swept []*cell.Cell, active ...*cell.Cell) []Pending {
	for _, c := range active {
		// Without the lock: an ending context calls the functions that wait for it.
		c.Interrupt(ErrShutdown)
	}
	return lf.dropAll(swept, func(c *cell.Cell) (run.Dropped, bool) {
		return lf.pool.runs.Drop(c, &planOf(c).Plan)
	})
}

// dropAll settles tasks that have left the queue, each by drop, and returns those that nobody has
// cancelled at the same moment. The caller has called SettlesLocked for it. Who is to be told of
// that may do what it likes, so all are settled and counted first.
func (lf *Life) dropAll(
	swept []*cell.Cell, drop func(c *cell.Cell) (run.Dropped, bool),
) []Pending {
	p := lf.pool
	delay.At(delay.TasksSwept)
	dropped := make([]Pending, 0, len(swept))
	var untold []run.Dropped
	var settled []*cell.Cell // of a group
	for group := range cell.Ahead(swept) {
		settled = settled[:0]
		for _, c := range group {
			d, ok := drop(c)
			if !ok {
				c.Body = nil
				continue
			}
			settled = append(settled, c)
			if p.runs.Tells(d) {
				untold = append(untold, d)
			}
		}
		p.mu.Lock()
		for _, c := range group {
			p.Door.leaveLocked(c, planOf(c))
		}
		found := len(group) - len(settled) // cancelled by their futures, just now
		p.counts.returned += uint64(len(settled))
		p.counts.cancelled += uint64(found)
		p.runs.FoundCancelledLocked(found)
		p.mu.Unlock()
		// Only now, as until it was settled a series obeyed commands, with the lock held.
		for _, c := range settled {
			dropped = append(dropped, p.Views.pendingOfLocked(c))
			c.Body = nil
		}
	}
	p.runs.TellAll(untold)
	return dropped
}

// drop settles a task that is not, or no longer, in the queue. The caller has called SettlesLocked,
// which keeps the pool from ending before that.
func (lf *Life) drop(c *cell.Cell) {
	p := lf.pool
	err := future.CancelledError(p.Door.refusal(nameOf(c), ErrSaturated))
	pl := planOf(c)
	d, dropped := p.runs.Discard(c, &pl.Plan, err)
	c.Body = nil
	p.mu.Lock()
	p.Door.leaveLocked(c, pl)
	var untold []run.Dropped
	if dropped {
		p.counts.returned++
		untold = append(untold, d)
	} else {
		p.counts.cancelled++ // by its future, at the same moment
		p.runs.FoundCancelledLocked(1)
	}
	p.mu.Unlock()
	p.runs.TellAll(untold)
}
