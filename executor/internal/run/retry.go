package run

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// An attempt that fails may be followed by another:
//
//	returned -> retrying   triesAgain: there is an attempt left, and time for it
//	retrying -> waiting    Repeats: the task is queued for the next one, and holds no worker
//	retrying -> refused    Repeats: it was cancelled, or the owner is shut down
//	waiting  -> started    Start
//	waiting  -> dropped    by a cancellation, or by a shutdown
//
// All attempts are one run: with one number, counted for one time, and told of once, at the end.

// Advice is an error that says whether, or when, a task is to be tried again.
type Advice struct {
	Err       error
	Permanent bool
	After     time.Duration // if it is not permanent
}

// Error returns the text of the error that it wraps.
func (a *Advice) Error() string { return a.Err.Error() }

// Unwrap returns that error.
func (a *Advice) Unwrap() error { return a.Err }

// triesAgain decides whether another attempt follows the one that has failed. Its error may have
// methods of the user's that are asked for advice. If one ends the goroutine, the task fails.
func (x *Execution) triesAgain() bool {
	if x.Abrupt || !x.Plan.MayRetry() || x.Task.Phase() != cell.Running {
		return false
	}
	var wait time.Duration
	x.consult(func() { wait = AdviceOf(x.Err) })
	if wait == Never {
		return false
	}
	x.Owner.Lock.Lock()
	defer x.Owner.Lock.Unlock()
	if !x.mayGoOnLocked() {
		return false
	}
	at, ok := x.Plan.RetryAt(x.Ended, wait)
	if !ok {
		return false
	}
	x.Plan.failed = x.Err
	x.retry, x.tries, x.Again = at, true, true
	return true
}

// mayGoOnLocked reports whether the task may wait for another run, or attempt: it has not ended
// meanwhile, and the owner lets such tasks go on. The lock is held.
func (x *Execution) mayGoOnLocked() bool {
	return x.Task.Phase() == cell.Running && !x.Plan.Counted() && x.Owner.Host.MayRepeatLocked(x.Plan)
}

// stopTrying notes that a failed attempt, which another was to follow, was the last: the owner has
// been shut down since, or the task has been cancelled. The lock is held.
func (x *Execution) stopTrying() {
	x.tries = false
	if pl := x.Plan; pl.Period == 0 { // from here on it cannot be cancelled; Refuse tells of its end
		pl.final = x.Task.FinishQuietly(pl.failed)
	}
	x.Failed = x.Task.Phase() != cell.Cancelled
}

// What an error may say of the next attempt beside a wait.
const (
	Never  time.Duration = -2 // permanent
	Unsaid time.Duration = -1 // the back-off decides
)

// AdviceOf returns how long err wants to be waited after, or one of the constants above.
func AdviceOf(err error) (wait time.Duration) {
	defer func() {
		if recover() != nil {
			wait = Unsaid
		}
	}()
	var advice *Advice
	ok := errors.As(err, &advice)
	switch {
	case !ok:
		return Unsaid
	case advice.Permanent:
		return Never
	}
	return max(advice.After, 0)
}

// planByFunction asks the function that decides about the next run of a series, if there is one.
// The period of the series counts if it panics or ends the goroutine.
func (x *Execution) planByFunction() {
	pl := x.Plan
	if pl.DelayBy == nil || !x.Again || x.tries {
		return
	}
	o := x.Owner
	o.Lock.Lock()
	last := o.LastRunOf(pl, x.RecordLocked())
	o.Lock.Unlock()
	var d time.Duration
	again, failed := false, false
	o.Guard("DelayBy", x.Info(), func() {
		failed = true
		d, again = pl.DelayBy(last)
		failed = false
	})
	switch {
	case failed:
	case !again:
		x.Again = false
		x.Done = x.Task.FinishQuietly(nil)
		x.Task.Wake()
	default:
		o.Lock.Lock()
		defer o.Lock.Unlock()
		pl.Decide(max(d, 0))
	}
}
