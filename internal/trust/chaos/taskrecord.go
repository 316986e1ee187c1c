package chaos

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// taskRecord is what is known of a task that a pool has accepted, or is about to.
type taskRecord struct {
	round         *round
	once          bool
	future        *future.Future[struct{}] // nil for a task of Execute
	cancelledByUs atomic.Bool              // a participant has cancelled it
	begun         atomic.Int64
	running       atomic.Bool
	earliest      time.Time     // of the next run; a run's, and before the first the submitter's
	rate          time.Duration // of a fixed rate
	delay         time.Duration // of a fixed delay

	steered  bool                                // by steer, so earliest means nothing
	attempts int64                               // that it may have; 0 for one
	timed    *executor.ScheduledFuture[struct{}] // of one that is steered
}

// track returns the record of a task that may begin after the delay, and the task itself. It is
// called before the task is submitted, so that the pool can't have started the delay earlier.
func (r *round) track(delay time.Duration, body executor.Task) (*taskRecord, executor.Task) {
	rec := &taskRecord{round: r, once: true, earliest: time.Now().Add(delay)}
	return rec, func(ctx context.Context) error {
		defer rec.begin()()
		return body(ctx)
	}
}

// begin notes that a run begins, and returns what notes its end.
func (rec *taskRecord) begin() (end func()) {
	r, now := rec.round, time.Now()
	r.ops.Add(1)
	if rec.running.Swap(true) {
		r.fault(&r.duplicate, "two runs of a task overlap")
		return func() {}
	}
	if now.Before(rec.earliest) && !rec.steered {
		r.fault(&r.early, "a run %v before its time", rec.earliest.Sub(now))
	}
	rec.earliest = rec.earliest.Add(rec.rate)
	if n := rec.begun.Add(1); n > max(rec.attempts, 1) && rec.once {
		r.fault(&r.duplicate, "a task ran %d times", n)
	}
	return func() { // also by Goexit
		if rec.delay > 0 {
			rec.earliest = time.Now().Add(rec.delay)
		}
		rec.running.Store(false)
	}
}

// record keeps the record of a task that has been accepted.
func (r *round) record(rec *taskRecord, f *future.Future[struct{}], err error) {
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.future = f
	r.records = append(r.records, rec)
}

// someRecord returns the record of a task that has a future, or nil.
func (r *round) someRecord(n int) *taskRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.records) == 0 {
		return nil
	}
	if rec := r.records[n%len(r.records)]; rec.future != nil {
		return rec
	}
	return nil
}

// auditPool checks the final state of a pool that has terminated, and has handed back so many
// tasks: a negative number if that is not known.
func (r *round) auditPool(s executor.Stats, handedBack int) {
	var neverRan, returned, begun int64
	for _, rec := range r.records {
		n := rec.begun.Load()
		begun += n
		switch {
		case rec.future == nil:
			neverRan += 1 - min(n, 1)
		case r.unsettled(rec.future):
		default:
			result, _ := rec.future.Poll()
			switch {
			case rec.future.State() != future.Cancelled:
				if n == 0 {
					r.fault(&r.lost, "a task has ended without a run")
				}
			case errors.Is(result.Err, executor.ErrShutdown),
				errors.Is(result.Err, executor.ErrSaturated):
				returned++
				if n > 0 && rec.once && rec.attempts < 2 {
					r.fault(&r.duplicate, "a task was handed back, and ran")
				}
			case !rec.cancelledByUs.Load():
				r.fault(&r.lost, "a task was cancelled by nobody: %v", result.Err)
			}
		}
	}
	if neverRan > int64(s.Returned) {
		r.fault(&r.lost, "%d tasks never ran, and %d were handed back: %+v",
			neverRan, s.Returned, s)
	}
	r.demand(s.Accepted == s.Completed+s.Cancelled+s.Returned, "accepted and ended differ: %+v", s)
	r.demand(handedBack < 0 || uint64(handedBack) == s.Returned,
		"%d handed back: %+v", handedBack, s)
	r.demand(s.Queued+s.Busy+s.Workers == 0, "something is left: %+v", s)
	r.demand(uint64(returned) <= s.Returned, "%d futures say that they were handed back: %+v",
		returned, s)
	r.demand(uint64(begun) <= s.Runs, "%d runs: %+v", begun, s)
}

// unsettled notes a future that outlives its pool. It returns when no body is in progress any more.
func (r *round) unsettled(f *future.Future[struct{}]) bool {
	if _, settled := f.Poll(); !settled {
		r.fault(&r.lost, "a future outlives its pool")
		return true
	}
	<-f.Stopped()
	return false
}
