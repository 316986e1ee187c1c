package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/parking"
)

// worker runs the tasks of its pool, one at a time, on a goroutine of its own. When a task or a
// hook ends that goroutine by Goexit, another takes its place under the same worker, so the pool
// keeps its size.
//
//	started -> taking    its goroutine runs
//	started -> running   its goroutine runs, and it was started with a task
//	taking  -> parked    nothing is due
//	parked  -> taking    called, or the head is due
//	taking  -> taking    something is due in an instant: it yields
//	taking  -> running   a task is due
//	running -> taking    the task is settled, or about to be queued for its next run
//	running -> running   it has claimed the next of a batch
//	taking  -> gone      it is idle above the core size, or the pool is over
type worker struct {
	execution
	place *parking.Waiter
	limit *time.Timer // of the keep-alive; made on first use
	own   *cell.Cell  // of bare tasks; made on first use

	arrived bool // the lot need not expect it any more; the pool's lock guards it
	begun   bool // it was started with a task, which it has not run yet

	batch *runqueue.Batch // what it may claim from without the lock, which guards the field
	ran   uint64          // tasks claimed so that have ended, and that the pool has not counted; the worker's own
}

// startWorkerLocked adds a worker.
func (p *Pool) startWorkerLocked() { p.addWorkerLocked().launchLocked() }

func (p *Pool) addWorkerLocked() *worker {
	w := &worker{execution: p.newExecution(true), place: parking.NewWaiter()}
	p.workers[w] = struct{}{}
	p.counts.largest = max(p.counts.largest, len(p.workers))
	return w
}

// launchLocked gives the worker a goroutine.
func (w *worker) launchLocked() {
	w.arrived = false
	w.pool.lot.Expect()
	go w.loop()
}

// wantsBusyLocked reports whether there is to be another worker even after those that are idle, or on
// their way, have come.
func (p *Pool) wantsBusyLocked() bool {
	waiting := p.queue.Len() - p.lot.Idle() - p.lot.Coming()
	switch {
	case waiting <= 0:
		return false
	case len(p.workers) < max(p.core, 1):
		return true
	}
	full := p.capacity() != unbounded && waiting+p.heldBackInQueueLocked() > p.capacity()
	return (full || p.growFirst) && len(p.workers) < p.maximumSizeLocked()
}

// startBusyLocked starts a worker of a plain pool with the head of the queue for its first task, if
// there are more tasks than workers that are idle or on their way, and reports whether it did. So
// what is accepted for a worker of its own has that at once, as in the JDK. A pool with an inbox does
// without: there it would cost each submission the pool's lock.
func (p *Pool) startBusyLocked() bool {
	if !p.wantsBusyLocked() {
		return false
	}
	w := p.addWorkerLocked()
	if !w.startLocked(p.queue.Pop(unread).Cell, p.clock.Now()) {
		w.launchLocked()
		return true
	}
	w.arrived, w.begun = true, true
	go w.loop()
	return true
}

func (w *worker) loop() {
	defer w.replace()
	w.pool.unlabel() // a goroutine starts with the labels of the one that starts it
	w.pool.runners.enter(&w.execution)
	delay.At(delay.WorkerStarted)
	for w.begun || w.take() {
		w.begun = false
		w.run()
		delay.At(delay.RunReturned)
		w.complete()
	}
}

// replace completes the task of a goroutine that Goexit has ended, and has another go on.
func (w *worker) replace() {
	if v := recover(); v != nil {
		panic(v) // of a queue of the user's own, under the lock: there is no way on
	}
	if w.Task == nil {
		w.pool.runners.leave(&w.execution)
		return
	}
	defer func() {
		w.pool.runners.leave(&w.execution)
		w.pool.mu.Lock()
		defer w.pool.mu.Unlock()
		w.leaveLocked()
		w.launchLocked()
		w.pool.blockedSubmitters.admitLocked(w.pool, 0)
	}()
	w.complete()
	w.endOwnCellLocked()
}

// take waits for the next task, after accounting for the last, and reports whether there is one. If
// not the worker is no more.
func (w *worker) take() bool {
	if w.claimNext() {
		return true
	}
	p := w.pool
	now := unread
	if w.keepsStart() { // most often tasks of one kind come in a row
		now = p.clock.Now()
	}
	delay.At(delay.RunConcluded)
	p.mu.Lock()
	if !w.arrived {
		w.arrived = true
		p.lot.Arrive()
	}
	if w.Task != nil {
		if refused := w.accountLocked(); refused != nil {
			p.mu.Unlock()
			p.endSeries(refused)
			p.mu.Lock()
		}
		if p.waits.unsatisfied() {
			p.freedLocked()
		}
	}
	w.leaveLocked()
	found := w.nextLocked(now)
	ended := !found && w.retireLocked()
	p.mu.Unlock()
	if found {
		return true
	}
	delay.At(delay.WorkerRetired)
	p.finish(ended)
	return false
}

// nextLocked waits for the next task, and starts it. It reports false if the worker may go. It
// lets go of the lock while it waits.
func (w *worker) nextLocked(now int64) bool {
	p := w.pool
	idle, spins := false, 0
	for {
		head, due, dealt := p.headLocked()
		if !due && head != parking.Nothing {
			if now < head {
				now = p.clock.Now()
			}
			due = head <= now
		}
		if due && p.overdrawnLocked() && p.capacity() > 0 { // what is handed off is not to wait
			head, due = parking.Nothing, false // whoever frees a place tells
		}
		switch {
		case p.overLocked(), idle && p.surplusLocked() && !due, due && len(p.workers) > p.ceilingLocked():
			w.endOwnCellLocked()
			return false
		case due:
			c := w.popLocked(dealt, now)
			if w.batch != nil {
				now = unread // it would stand for all that are claimed after this one, too
			}
			if now == unread && w.keepsStart() {
				now = p.clock.Now()
			}
			if c != nil && w.startLocked(c, now) {
				p.notifyLocked(now)
				return true
			}
		case p.blockedSubmitters.admitLocked(p, 1):
			// Somebody waited for this worker to become free.
		case head != parking.Nothing && head-now < parking.Cost && spins < maxSpins:
			spins++
			p.lot.Yield()
		default:
			w.endOwnCellLocked()
			p.forgetTimesLocked(head)
			idle = p.lot.Park(w.place, head, now, nil, nil, w.patience())
			now, spins = unread, 0
		}
	}
}

// maxSpins is how often a worker yields at most in place of one Park: in a bubble time stands still meanwhile.
const maxSpins = 256

// keepsStart reports whether the start of the next run is to be known. Nobody keeps that of a bare task,
// unless somebody has asked for it before.
func (w *worker) keepsStart() bool { return !w.bare || w.pool.watched.Load() }

// next takes the head, which is due. It returns nil if it has been dealt, and others have claimed
// it.
func (w *worker) popLocked(dealt bool, now int64) *cell.Cell {
	e := w.drawLocked(dealt, now)
	switch {
	case e.Empty():
		return nil
	case e.Cell != nil:
		w.bare = false
		w.endOwnCellLocked()
		return e.Cell
	}
	w.bare = true
	if w.own != nil && !w.own.Unseen() {
		w.endOwnCellLocked()
	}
	if w.own != nil {
		w.own.Begin() // unless it has, for the task before
	}
	if w.own == nil || !w.own.Live() { // the latter if a context was asked after it had ended
		w.own = &cell.Cell{Plan: w.pool.executed.Cells()}
		w.own.Begin()
	}
	w.own.Body, w.own.When = e.Body, e.When
	return w.own
}

// drawLocked takes the next task from the batch, or else from the queue, of which more may be dealt.
func (w *worker) drawLocked(dealt bool, now int64) (e runqueue.Entry) {
	p := w.pool
	if !dealt && !p.dealLocked() {
		return p.queue.Pop(now)
	}
	if e.Body = p.batch.Claim(); e.Body != nil {
		w.joinLocked(p.batch)
	}
	return e
}

// endOwnCellLocked ends what has served for the bare tasks that have run last. As long as nobody has asked the
// context of one for a signal, and such tasks follow each other, that is one run of the worker's own
// cell, which then may have another.
func (w *worker) endOwnCellLocked() {
	switch {
	case w.own == nil || w.own.Phase() == cell.Pending:
	case w.spent:
		w.own, w.spent = nil, false
	case !w.own.Unseen():
		// Somebody has asked the context of an earlier task just now. To end what that has made may
		// call methods of the user's.
		go w.own.Exit()
		w.own = nil
	default:
		w.own.Exit()
		w.own.Reset()
	}
}

// retireLocked takes the worker out of its pool, and reports whether that has come to its end by
// it.
func (w *worker) retireLocked() (ended bool) {
	p := w.pool
	delete(p.workers, w)
	p.notifyLocked(unread)
	return p.emptiedLocked()
}

// patience is how long the worker will wait as a follower: nil for ever.
func (w *worker) patience() <-chan time.Time {
	if !w.pool.surplusLocked() {
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
func (p *Pool) overLocked() bool {
	return p.stage >= stopping || p.stage == draining && p.waitingLocked() == 0
}

// mayRepeatLocked reports whether a periodic task may be queued again.
func (p *Pool) mayRepeatLocked() bool {
	return p.stage == running || p.stage == draining && p.continuePeriodic.Load()
}

// surplusLocked reports whether an idle worker may go.
func (p *Pool) surplusLocked() bool { return len(p.workers) > p.core || p.coreTimeout.Load() }
