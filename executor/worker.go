package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
	"github.com/punctual-go/punctual/internal/parking"
)

// worker runs the tasks of its pool, one at a time, on a goroutine of its own. When a task or a
// hook ends that goroutine by Goexit, another takes its place under the same worker, so the pool
// keeps its size.
//
//	started -> taking    its goroutine runs
//	taking  -> parked    nothing is due
//	parked  -> taking    called, or the head is due
//	taking  -> running   a task is due
//	running -> taking    the task is settled, or about to be queued for its next run
//	taking  -> gone      it is idle above the core size, or the pool is over
type worker struct {
	pool  *Pool
	place *parking.Waiter
	limit *time.Timer // of the keep-alive; made on first use

	// The pool's lock guards these; only the worker writes them.
	arrived   bool       // the lot need not expect it any more
	goroutine uint64     // its number
	task      *cell.Cell // being run, or run and not accounted for yet

	// About the task; the worker's own.
	ctx   context.Context
	err   error
	ended int64 // when a run of a series ended
	over  bool  // the body has ended
	again bool  // the series goes on

	failed bool // the run has failed
	done   bool // the run has settled the future
}

// startWorker adds a worker. The lock is held.
func (p *Pool) startWorker() {
	w := &worker{pool: p, place: parking.NewWaiter()}
	p.workers[w] = struct{}{}
	p.counts.largest = max(p.counts.largest, len(p.workers))
	w.launch()
}

// launch gives the worker a goroutine. The lock is held.
func (w *worker) launch() {
	w.arrived = false
	w.pool.lot.Expect()
	go w.loop()
}

func (w *worker) loop() {
	defer w.replace()
	id := goid.Current()
	for w.take(id) {
		w.run()
		w.complete()
	}
}

// replace completes the task of a goroutine that Goexit has ended, and has another go on.
func (w *worker) replace() {
	if w.task == nil {
		return
	}
	defer func() {
		w.pool.mu.Lock()
		defer w.pool.mu.Unlock()
		w.launch()
	}()
	w.complete()
}

// take waits for the next task, after accounting for the last, and reports whether there is one. If
// not the worker is no more. The number is that of its goroutine.
func (w *worker) take(goroutine uint64) bool {
	p := w.pool
	p.mu.Lock()
	if !w.arrived {
		w.arrived, w.goroutine = true, goroutine
		p.lot.Arrive()
	}
	if w.task != nil {
		w.account()
	}
	idle := false
	for {
		head, now := p.queue.head(), p.clock.Now()
		due := head != parking.Nothing && head <= now
		switch {
		case p.over(head), idle && p.surplus() && !due, due && len(p.workers) > p.limit():
			w.retire(now)
			return false
		case due:
			if w.start(p.queue.pop(), now) {
				p.notify(now)
				p.mu.Unlock()
				return true
			}
		default:
			idle = p.lot.Park(w.place, head, now, nil, nil, w.patience())
		}
	}
}

// retire takes the worker out of its pool, which may have been waiting for that. The lock is held at
// the call and not any more at the return.
func (w *worker) retire(now int64) {
	p := w.pool
	delete(p.workers, w)
	p.notify(now)
	ended := p.emptied()
	p.mu.Unlock()
	p.finish(ended)
}

// start begins a run of c, unless it has been cancelled on its way out of the queue. The lock is
// held.
func (w *worker) start(c *cell.Cell, now int64) bool {
	if !c.Begin() {
		c.Body = nil
		return false
	}
	c.Started = now
	if pl := planOf(c); pl.periodic() {
		c.When = pl.start(c.When, now)
	}
	w.task = c
	w.err = future.ErrGoexit // until the body says otherwise
	w.over, w.again, w.failed, w.done = false, false, false, false
	w.pool.counts.busy++
	return true
}

// run calls the body: the one place where a pool does so.
func (w *worker) run() {
	c, p := w.task, w.pool
	w.ctx = c.Enter(context.Background())
	if p.before != nil {
		run := p.runOf(c)
		p.guard(w.ctx, "before-run", run, func() { p.before(w.ctx, run) })
		if phase := c.Phase(); phase.Settled() { // cancelled by the hook, or it took too long
			w.err = future.ErrCancelled
			if phase == cell.Failed {
				w.err = future.ErrTimeout
			}
			return
		}
	}
	future.Invoke(w.ctx, c.Body, &w.err)
}

// complete does what follows the end of the body without the lock. If a hook or handler ends the
// goroutine, that hook or handler is all that is cut short.
func (w *worker) complete() {
	if w.over {
		return
	}
	w.over = true
	w.conclude()
	w.tell()
}

// conclude settles the future if this was the last run.
func (w *worker) conclude() {
	c, pl := w.task, planOf(w.task)
	if c.Exit() {
		w.err = overrun(w.err)
	}
	if !pl.periodic() {
		w.done = c.Finish(w.err)
		return
	}
	w.ended = w.pool.clock.Now()
	w.again = !pl.last() && (w.err == nil || pl.tolerant())
	switch {
	case w.again:
	case pl.tolerant():
		w.done = c.Finish(nil)
	default:
		w.done = c.Finish(w.err)
	}
}

// tell calls the hook, and reports a failure that would be lost otherwise. What a cancelled run
// returns is no failure.
func (w *worker) tell() {
	c, p, pl := w.task, w.pool, planOf(w.task)
	w.failed = w.err != nil && c.Phase() != cell.Cancelled
	if p.after == nil && !w.failed {
		return
	}
	run := p.runOf(c)
	if p.after != nil {
		defer p.guard(w.ctx, "after-run", run, func() { p.after(w.ctx, run, w.err) })
	}
	switch {
	case !w.failed:
	case pl.reports, pl.tolerant():
		p.report(run, w.err)
	case w.done && pl.periodic():
		p.seriesEnded(run, w.err)
	}
}

// account ends the run: it counts, and queues the next run of a series. The lock is held, but let go
// to settle a series that may not go on.
func (w *worker) account() {
	c, p, pl := w.task, w.pool, planOf(w.task)
	w.task, w.ctx, w.err = nil, nil, nil
	p.counts.busy--
	p.counts.runs++
	if w.failed {
		p.counts.failures++
	}
	if w.done {
		p.counts.completed++
	}
	if w.again && p.mayRepeat() && c.Reset() {
		p.place(c, pl.next(w.ended), w.ended)
		return
	}
	c.Body = nil
	if w.again {
		w.endSeries(c)
	}
}

// endSeries settles a series that would go on, had it not been cancelled during its run, or the pool
// shut down. The lock is held, but not meanwhile.
func (w *worker) endSeries(c *cell.Cell) {
	p := w.pool
	p.mu.Unlock()
	dropped := c.Drop()
	c.Finish(nil)
	p.mu.Lock()
	if dropped {
		p.counts.returned++
	}
}

// over reports whether there is nothing left to do for a worker that finds the given head. The lock
// is held.
func (p *Pool) over(head int64) bool {
	return p.stage >= stopping || p.stage == draining && head == parking.Nothing
}

// limit is how many workers there may be: a pool of core size 0 has one while there is something to
// do. The lock is held.
func (p *Pool) limit() int { return max(p.core, 1) }

// mayRepeat reports whether a periodic task may be queued again. The lock is held.
func (p *Pool) mayRepeat() bool {
	return p.stage == running || p.stage == draining && p.keepPeriodic
}

// surplus reports whether an idle worker may go. The lock is held.
func (p *Pool) surplus() bool { return len(p.workers) > p.core || p.coreTimeout }

// patience is how long the worker will wait as a follower: nil for ever.
func (w *worker) patience() <-chan time.Time {
	if !w.pool.surplus() {
		return nil
	}
	if w.limit == nil {
		w.limit = time.NewTimer(w.pool.keepAlive)
	} else {
		w.limit.Reset(w.pool.keepAlive)
	}
	return w.limit.C
}

// overrun is the error of a run that has outlived its time-out, with what its body returned.
func overrun(err error) error {
	if err == nil || err == context.DeadlineExceeded {
		return future.ErrTimeout
	}
	return fmt.Errorf("%w: %w", future.ErrTimeout, err)
}
