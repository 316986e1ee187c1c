package engine

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/parking"
)

// Overview: a worker takes, runs, completes and accounts, again and again. For bare tasks, of which
// nobody can ask anything, there are two short cuts: the first saves the lock, the second an
// allocation.
//
//	batch     a row of them leaves the queue at once, and workers claim from it one by one; a
//	          claim is one atomic add
//	own cell  they run in a cell of the worker's own, one after another, as long as nobody
//	          asks a context for a signal
//
// What a worker has claimed is counted when it next takes the lock; until then Stats gets the
// number from the batches. Whatever needs all workers at the lock calls recallLocked first.

// launchLocked starts a goroutine for the worker. The lot expects it, so that nobody else is called
// or started for the same task in the meantime.
func (w *worker) launchLocked() {
	w.arrived = false
	w.pool.Crew.lot.Expect()
	go w.loop()
}

// loop is the goroutine of the worker.
func (w *worker) loop() {
	defer w.replace()
	w.pool.unlabel() // a new goroutine has the labels of the one that started it
	w.pool.runners.enter(&w.execution)
	delay.At(delay.WorkerStarted)
	for w.begun || w.take() {
		w.begun = false
		w.run()
		delay.At(delay.RunReturned)
		w.complete()
	}
	w.gone = true
}

// replace is where the goroutine ends: because the worker has gone, or by a Goexit of a task or a
// callback. In the latter case it completes the task, if that is not done, and gives the worker
// another goroutine.
func (w *worker) replace() {
	if v := recover(); v != nil {
		panic(v) // of a user's WorkQueue, under the lock: there is no way on
	}
	if w.gone {
		w.pool.runners.leave(&w.execution)
		return
	}
	defer func() {
		w.pool.runners.leave(&w.execution)
		w.pool.mu.Lock()
		defer w.pool.mu.Unlock()
		if w.batch != nil {
			w.leaveLocked()
		}
		w.launchLocked()
		w.pool.Door.blockedSubmitters.admitLocked(w.pool, 0)
	}()
	if w.Task != nil {
		w.complete()
		if w.own != nil {
			w.endOwnCell()
		}
	}
}

// take accounts for the last task and waits for the next. It reports false if there is none for
// this worker, which is then no longer in the pool. Accounting and taking share one hold of the
// lock.
func (w *worker) take() bool {
	if w.batch != nil && w.claimNext() {
		return true
	}
	p := w.pool
	now := unread
	// Whether the next task keeps its start is not known yet, but most tasks are like the one
	// before. The clock is read here to keep that out of the lock.
	if !w.bare || p.watched.Load() {
		now = p.clock.Now()
	}
	delay.At(delay.RunConcluded)
	p.mu.Lock()
	if !w.arrived {
		w.arrived = true
		p.Crew.lot.Arrive()
	}
	if w.Task != nil {
		w.learnLocked(now)
		refused := w.accountLocked()
		if ws := &p.loans.waits; ws.denied.Len()+len(ws.resumes) > 0 { // a place is waited for
			p.loans.freedLocked()
		}
		// Settling calls those who wait, so it must not happen under the lock. If one of them ends
		// the goroutine, another takes: all is accounted for.
		if refused != nil {
			p.mu.Unlock()
			p.Life.endSeries(refused)
			p.mu.Lock()
		}
	}
	if w.batch != nil {
		w.leaveLocked()
	}
	if w.watching {
		w.watching = false
		p.Crew.lot.Back(w.watch)
	}
	found := w.nextLocked(now)
	ended := !found && w.retireLocked()
	p.mu.Unlock()
	if found {
		return true
	}
	delay.At(delay.WorkerRetired)
	p.Life.finish(ended)
	return false
}

// nextLocked waits for the next task, and starts it. It reports false if the worker is to go. It
// releases the lock while it waits.
func (w *worker) nextLocked(now int64) bool {
	p := w.pool
	idle := false
	for {
		head, due, dealt := p.headLocked()
		inLine := due // whatever the time is
		if !due && head != parking.Nothing {
			if now < head {
				now = p.clock.Now()
			}
			due = head <= now
		}
		// While too many runs are active a worker takes nothing; freedLocked calls it when a place
		// is free. Under HandOff it does take the task: nothing may wait there, so it was accepted
		// for a worker that is free.
		overdrawn := due && p.loans.waits.helping > 0 && p.loans.overdrawnLocked()
		if overdrawn && p.Crew.capacity() > 0 || p.Crew.pause.on {
			head, due = parking.Nothing, false
		}
		switch {
		// It goes at the end of the pool; above the core size, if its keep-alive has run out and
		// nothing is due; and above the ceiling even if something is, which the others then take.
		case p.Life.stage != running && p.Life.overLocked(),
			idle && p.Crew.surplusLocked() && !due,
			due && len(p.Crew.workers) > max(p.Crew.core, 1) &&
				len(p.Crew.workers) > p.Crew.ceilingLocked():
			if w.own != nil {
				w.endOwnCell()
			}
			return false
		case due:
			c := w.popLocked(dealt, inLine, now)
			if w.batch != nil {
				// The reading is for one task: it would be too early for those claimed later
				// without the lock.
				now = unread
			}
			// Nobody asks when a bare task started, unless somebody has done so before.
			if now == unread && (!w.bare || p.watched.Load()) {
				now = p.clock.Now()
			}
			w.Meant = p.Crew.lot.Meant()
			if c != nil && (!planOf(c).expected || p.joinLocked(c)) && w.startLocked(c, now) {
				w.handOverLocked(now)
				return true
			}
		// This worker is free from here on, which is room for one submitter; its task is then the
		// head.
		case !p.Crew.pause.on && p.Door.blockedSubmitters.list.Len() > 0 &&
			p.Door.blockedSubmitters.admitLocked(p, 1):
		default:
			at := p.Crew.lot.Space(head, p.Crew.slack)
			// Parking would take longer than what is left to wait.
			if head != parking.Nothing && at == head {
				if woke, ok := p.Crew.lot.Spin(head, now); ok {
					now = woke
					continue
				}
			}
			if w.own != nil {
				w.endOwnCell()
			}
			if head == parking.Nothing {
				p.Door.forgetTimesLocked()
			}
			idle = p.Crew.lot.Park(w.place, at, now, nil, nil, w.patience())
			now = p.now()
			w.awake, w.lag = now, 0
			if at != parking.Nothing {
				w.lag = max(now-at, 0)
			}
		}
	}
}

// popLocked takes the head, which is due: from the batch if there is one, else from the queue, of
// which a row in the line may become a new batch. It returns nil if other workers have claimed all
// that was left of the batch.
func (w *worker) popLocked(dealt, inLine bool, now int64) *cell.Cell {
	ws := &w.pool.waiting
	if dealt || inLine && ws.dealLocked() {
		task, when := ws.batch.Claim()
		if task == nil {
			return nil
		}
		w.joinLocked(ws.batch)
		if !w.pool.watched.Load() { // the cell is to serve for others of the batch, which came later
			when = unread
		}
		return w.ownCellFor(task, when)
	}
	e := ws.queue.Pop(now)
	if e.Body != nil {
		return w.ownCellFor(e.Body, e.When)
	}
	w.bare = false
	if w.own != nil {
		w.endOwnCell()
	}
	return e.Cell
}

// ownCellFor has the worker's own cell serve for a bare task. That needs no allocation. The cell
// can go on serving as long as nobody has asked one of its contexts for a signal: until then nobody
// can tell its runs apart.
func (w *worker) ownCellFor(task Task, when int64) *cell.Cell {
	w.bare = true
	if w.own != nil && !w.own.Unseen() {
		w.endOwnCell()
	}
	if w.own != nil {
		w.own.Begin() // does nothing if it still serves since the task before
	}
	if w.own == nil || !w.own.Live() { // not live: a context was asked after its run had ended
		w.own = &cell.Cell{Plan: w.pool.Door.executed.Cells()}
		w.own.Begin()
	}
	w.own.Body, w.own.When = task, when
	return w.own
}

// endOwnCell ends the run of the worker's own cell, which may have served for many bare tasks
// in a row: to everybody else they are one run, as long as nobody has asked one of their contexts
// for a signal. The cell can then begin another.
func (w *worker) endOwnCell() {
	switch {
	case w.own.Phase() == cell.Pending:
	case w.spent:
		w.own, w.spent = nil, false
	case !w.own.Unseen():
		// Somebody has just asked the context of an earlier task for a signal. Ending what that has
		// made may call user code, which must not run under the lock.
		go w.own.Exit()
		w.own = nil
	default:
		w.own.Exit()
		w.own.Reset()
	}
}

// retireLocked takes the worker out of its pool, and reports whether the pool has come to its end
// with that. Whoever leaves passes the baton, see package parking: a call may have been meant for
// this worker.
func (w *worker) retireLocked() (ended bool) {
	p := w.pool
	delete(p.Crew.workers, w)
	p.Crew.carefulLocked()
	p.Crew.notifyLocked(unread)
	return p.Life.emptiedLocked()
}

// patience returns a channel that delivers when the keep-alive is over; nil if the worker need not
// go.
func (w *worker) patience() <-chan time.Time {
	if !w.pool.Crew.surplusLocked() {
		return nil
	}
	if w.limit == nil || !w.limit.Reset(w.pool.keepAlive.Load()) {
		// One that has fired may have left a tick, under GODEBUG=asynctimerchan=1.
		if w.limit != nil {
			w.limit.Stop()
		}
		w.limit = time.NewTimer(w.pool.keepAlive.Load())
	}
	return w.limit.C
}

// overLocked reports whether there is nothing left to do for a worker.
func (lf *Life) overLocked() bool {
	return lf.stage >= stopping ||
		lf.stage == draining && lf.pool.waiting.waitingLocked()+len(lf.pool.waiting.deferred) == 0
}

// MayRepeatLocked reports whether a task may be queued again, for its next run or attempt.
func (h *Host) MayRepeatLocked(pl *run.Plan) bool {
	switch {
	case h.Life.stage != draining:
		return h.Life.stage == running
	case pl.Periodic():
		return h.continuePeriodic.Load()
	}
	return h.executeDelayed.Load()
}

// forgetTimesLocked notes that no task goes by its time any more, so that bare tasks need none
// again. That is certain only if the queue is empty, and not only closed by a pause, and no run can
// still repeat, nor a strand advance.
func (d *Door) forgetTimesLocked() {
	p := d.pool
	idle := p.counts.busy+p.waiting.heldBack == 0 && !p.Crew.pause.on
	if idle && d.timed.Load() && (p.waiting.shards == nil || p.waiting.shards.CloseIfEmpty()) {
		d.timed.Store(false)
	}
}
