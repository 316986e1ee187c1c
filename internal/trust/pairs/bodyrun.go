package pairs

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// bodyRun is one run of a body.
type bodyRun struct {
	began, ended time.Duration
	due          time.Duration // from when on it may begin
	over         bool
	how          *Feature
	run          executor.Run
	known        bool // the run is known
	err          error
	panicked     bool // or has called Goexit
	timedOut     bool
	seq          int // of all bodies
	salt         uint64
	after        time.Duration // of retry.After and NextIn
	nextIn       bool
}

func (b *bodyRun) failed() bool {
	return b.over && (b.err != nil && !b.skipped() || b.panicked || b.timedOut)
}

// skipped reports whether the body has said that it left its work out, and nothing has made the run
// a failure before that.
func (b *bodyRun) skipped() bool {
	return b.over && errors.Is(b.err, executor.ErrSkipped) && !b.panicked && !b.timedOut
}

// work takes the time of a run of a task, unless its context ends first.
func (b *bodyRun) work(ctx context.Context, t *task) {
	d := time.Duration(mix(b.salt+3)) % max(t.takes, 1)
	d = d.Truncate(ms)
	if d <= 0 {
		return
	}
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-ctx.Done():
	case <-limit.C:
	}
}

// beginLocked notes that a body begins.
func (j *journal) beginLocked(r *record, ctx context.Context) *bodyRun {
	run, known := executor.RunFrom(ctx)
	n := len(r.bodies)
	b := &bodyRun{began: j.now(), run: run, known: known, how: r.t.bodies[n%len(r.t.bodies)],
		salt: mix(r.t.salt + uint64(n)), seq: j.begun}
	j.begun++
	b.due = j.dueLocked(r, b)
	r.active++
	r.bodies = append(r.bodies, b)
	return b
}

// dueLocked returns from when on a run may begin by its task's own time, as far as its run says.
func (j *journal) dueLocked(r *record, b *bodyRun) time.Duration {
	n := len(r.bodies)
	switch {
	case b.run.Attempt > 1 && n > 0:
		last := r.bodies[n-1]
		if last.after > 0 && last.how.Name == "RetryAfter" {
			return last.ended + last.after
		}
		if u := r.t.using(byName["Retry"]); u != nil {
			return last.ended + wait(u, int(b.run.Attempt)-1)
		}
		return last.ended
	case r.t.way.way&(delayedWays|wTurn) != 0 && b.known:
		return b.run.Scheduled.Sub(j.start)
	}
	return r.submitted
}

// end notes that a body has ended.
func (j *journal) end(r *record, b *bodyRun, ctx context.Context, err error, returned bool) {
	cause := context.Cause(ctx)
	j.mu.Lock()
	defer j.mu.Unlock()
	b.over, b.ended, b.err, b.panicked = true, j.now(), err, !returned
	b.timedOut = errors.Is(cause, future.ErrTimeout)
	r.active--
}
