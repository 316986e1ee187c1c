package simulate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
)

// retryHistory is the life of one executor whose tasks are tried again: some are submitted, some
// are cancelled, and then it ends, in one of many ways and in any phase of theirs: while an attempt
// runs, waits, or is about to be queued. Histories are short, and there are many of them: a
// simulation plays one after another.
//
// The invariants: every future settles, by what has happened to its task; attempts have the right
// numbers, and never overlap; nothing begins after the end of a task, or of its executor; and the
// statistics add up.
type retryHistory struct {
	*simulation
	host     retryHost
	submit   executor.Submitter
	schedule executor.ScheduledSubmitter // nil if it knows no times
	stats    func() retryCounts
	tasks    []*retried

	// The lock guards these.
	closing bool // somebody has begun to end the executor
	endFrom time.Duration
	over    bool // it has terminated
	listed  int  // tasks handed back in lists
}

// retryHost is what ends an executor.
type retryHost interface {
	Shutdown()
	ShutdownNow() []executor.Pending
	CloseContext(ctx context.Context) (executor.Report, error)
	Terminated() <-chan struct{}
}

// retryCounts are the statistics with those of retries.
type retryCounts struct {
	counts
	failures, retries, skipped uint64
}

func simulateRetries(t *testing.T, seed uint64, ops int) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		for sim.more() {
			h := &retryHistory{simulation: sim}
			h.open()
			h.play()
		}
	})
}

func (h *retryHistory) open() {
	quiet := executor.Logger(silent)
	if h.oneIn(3) {
		l := eventloop.New(quiet)
		h.host, h.submit, h.schedule = l, l, l
		h.stats = func() retryCounts {
			c := l.Stats()
			return retryCounts{counts{c.Busy, c.Queued, c.Accepted, c.Completed, c.Cancelled,
				c.Returned, c.Runs}, c.Failures, c.Retries, c.Skipped}
		}
		return
	}
	size := 1 + h.rng.IntN(3)
	var p *executor.Pool
	if h.oneIn(3) {
		p = executor.NewPool(size, quiet)
		h.host, h.submit = p, p
	} else {
		sp := executor.NewScheduledPool(size, quiet)
		p = &sp.Pool
		if h.oneIn(3) {
			sp.SetExecuteDelayedAfterShutdown(false)
		}
		h.host, h.submit, h.schedule = sp, sp, sp
	}
	h.stats = func() retryCounts {
		c := p.Stats()
		return retryCounts{poolStats(p)(), c.Failures, c.Retries, c.Skipped}
	}
}

// play submits tasks, does something to them, ends the executor, and checks what has come of it.
func (h *retryHistory) play() {
	for range 1 + h.rng.IntN(4) {
		h.draw().start(h)
		time.Sleep(h.steps(3))
	}
	for range h.rng.IntN(3) {
		time.Sleep(h.steps(6))
		h.interfere()
	}
	time.Sleep(h.steps(12))
	h.end()
	h.host.Shutdown()
	limit := time.NewTimer(time.Hour)
	defer limit.Stop()
	select {
	case <-h.host.Terminated():
	case <-limit.C:
		h.fault(&h.report.Stuck, "the executor does not end: %+v", h.stats())
		return
	}
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	time.Sleep(20 * grid) // for who comes too late, and for those that the hook holds up
	h.audit()
}

// interfere cancels a task, perhaps at an instant at which it does something itself.
func (h *retryHistory) interfere() {
	t := h.tasks[h.rng.IntN(len(h.tasks))]
	way := h.rng.IntN(4)
	h.countOps(1)
	if h.oneIn(2) {
		t.cancel(h, way)
		return
	}
	d := h.steps(8)
	go func() {
		time.Sleep(d)
		t.cancel(h, way)
	}()
}

// end ends the executor.
func (h *retryHistory) end() {
	h.countOps(1)
	h.mu.Lock()
	h.closing, h.endFrom = true, h.now()
	h.mu.Unlock()
	ctx, release := context.WithTimeout(context.Background(), h.steps(8))
	defer release()
	switch h.rng.IntN(6) {
	case 0:
		h.host.Shutdown()
	case 1:
		h.list(h.host.ShutdownNow())
	case 2:
		h.host.Shutdown()
		time.Sleep(h.steps(8))
		h.list(h.host.ShutdownNow())
	case 3:
		report, _ := h.host.CloseContext(context.Background())
		h.list(report.Dropped)
	case 4:
		report, _ := h.host.CloseContext(ctx)
		h.list(report.Dropped)
	case 5: // both at once
		go h.host.Shutdown()
		h.list(h.host.ShutdownNow())
	}
}

func (h *retryHistory) list(dropped []executor.Pending) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listed += len(dropped)
}

// audit checks the end of each task, and the statistics.
func (h *retryHistory) audit() {
	c := h.stats()
	for _, t := range h.tasks {
		t.look()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var bodies, retried, most, failed, skipped, accepted uint64
	series := false
	for _, t := range h.tasks {
		if t.future == nil {
			continue
		}
		accepted++
		h.auditTaskLocked(t)
		bodies += uint64(t.bodies)
		retried += uint64(t.again)
		most += uint64(t.failed)
		skipped += uint64(t.skipped)
		series = series || t.periodic
		if failedItself(t.err) {
			failed++
		}
	}
	ended := c.completed + c.cancelled + c.returned
	wrong := c.busy+c.queued != 0 || c.accepted != accepted || ended != accepted ||
		c.runs != bodies || c.retries < retried || c.retries > most ||
		c.skipped != skipped || !series && c.failures != failed || uint64(h.listed) > c.returned
	if wrong {
		h.faultLocked(&h.report.Lost, "%d bodies, %d to %d tried again, %d skipped, %d listed; counts are %+v",
			bodies, retried, most, skipped, h.listed, c)
	}
}

// auditTaskLocked checks what the future of a task says in the end; the lock is held.
func (h *retryHistory) auditTaskLocked(t *retried) {
	err, right := t.err, false
	switch {
	case err == nil:
		right = !t.periodic && t.bodies > 0 && t.ends[t.bodies-1] == attemptReturns
	case errors.Is(err, executor.ErrShutdown):
		waited := t.waiting && !t.cancelled
		has := errors.Is(err, errBoom)
		right = h.closing && !t.cancelled && (has == waited || t.periodic && !has) &&
			(t.bodies == 0 || waited || t.periodic)
	case errors.Is(err, future.ErrCancelled):
		right = t.cancelled
	case errors.Is(err, executor.ErrSkipped):
		right = !t.periodic && t.bodies > 0 && t.ends[t.bodies-1] == attemptSkips
	case errors.Is(err, errBoom):
		right = t.bodies > 0 && (t.bodies == t.attempts || t.final ||
			t.endedAt >= h.endFrom || !h.exact())
	}
	if !t.settled || !t.stopped || !right || t.inBody {
		h.faultLocked(&h.report.Lost, "task %v: settled %t, stopped %t: %v", t, t.settled,
			t.stopped, err)
	}
}

// failedItself reports whether err is what a body has returned that has failed.
func failedItself(err error) bool {
	return err != nil && !errors.Is(err, executor.ErrShutdown) &&
		!errors.Is(err, future.ErrCancelled) && !errors.Is(err, executor.ErrSkipped)
}
