package chaos

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// debt is a task that a pool has accepted, or is about to, and what is known of its runs.
type debt struct {
	round    *round
	once     bool
	future   *future.Future[struct{}] // nil for a task of Execute
	by       atomic.Bool              // one of the parties has cancelled it
	begun    atomic.Int64
	inside   atomic.Bool
	earliest time.Time     // of the next run; a run's, and before the first the submitter's
	rate     time.Duration // of a fixed rate
	delay    time.Duration // of a fixed delay
}

// owe returns a debt for a task that may begin after the delay, and the task itself. It is called before the
// task is submitted, so that the pool can't have started the delay earlier.
func (r *round) owe(delay time.Duration, body executor.Task) (*debt, executor.Task) {
	d := &debt{round: r, once: true, earliest: time.Now().Add(delay)}
	return d, func(ctx context.Context) error {
		defer d.begin()()
		return body(ctx)
	}
}

// begin notes that a run begins, and returns what notes its end.
func (d *debt) begin() (end func()) {
	r, now := d.round, time.Now()
	r.ops.Add(1)
	if d.inside.Swap(true) {
		r.fault(&r.duplicate, "two runs of a task overlap")
		return func() {}
	}
	if now.Before(d.earliest) {
		r.fault(&r.early, "a run %v before its time", d.earliest.Sub(now))
	}
	d.earliest = d.earliest.Add(d.rate)
	if n := d.begun.Add(1); n > 1 && d.once {
		r.fault(&r.duplicate, "a task ran %d times", n)
	}
	return func() { // also by Goexit
		if d.delay > 0 {
			d.earliest = time.Now().Add(d.delay)
		}
		d.inside.Store(false)
	}
}

// take enters an accepted task into the books.
func (r *round) take(d *debt, f *future.Future[struct{}], err error) {
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	d.future = f
	r.debts = append(r.debts, d)
}

// someDebt returns one with a future, or nil.
func (r *round) someDebt(n int) *debt {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.debts) == 0 {
		return nil
	}
	if d := r.debts[n%len(r.debts)]; d.future != nil {
		return d
	}
	return nil
}

// settle does the accounts of a pool that has terminated and has handed back so many tasks; less than none if that
// is not known.
func (r *round) settle(s executor.Stats, handedBack int) {
	var unpaid, returned, begun int64
	for _, d := range r.debts {
		n := d.begun.Load()
		begun += n
		switch {
		case d.future == nil:
			unpaid += 1 - min(n, 1)
		case r.unsettled(d.future):
		default:
			result, _ := d.future.Poll()
			switch {
			case d.future.State() != future.Cancelled:
				if n == 0 {
					r.fault(&r.lost, "a task has ended without a run")
				}
			case errors.Is(result.Err, executor.ErrShutdown), errors.Is(result.Err, executor.ErrSaturated):
				returned++
				if n > 0 && d.once {
					r.fault(&r.duplicate, "a task was handed back, and ran")
				}
			case !d.by.Load():
				r.fault(&r.lost, "a task was cancelled by nobody: %v", result.Err)
			}
		}
	}
	if unpaid > int64(s.Returned) {
		r.fault(&r.lost, "%d tasks never ran, and %d were handed back: %+v", unpaid, s.Returned, s)
	}
	r.demand(s.Accepted == s.Completed+s.Cancelled+s.Returned, "accepted and ended differ: %+v", s)
	r.demand(handedBack < 0 || uint64(handedBack) == s.Returned, "%d handed back: %+v", handedBack, s)
	r.demand(s.Queued+s.Busy+s.Workers == 0, "something is left: %+v", s)
	r.demand(uint64(returned) <= s.Returned, "%d futures say that they were handed back: %+v", returned, s)
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
