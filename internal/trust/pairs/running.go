package pairs

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// bodyOf returns the body of a task.
func (l *life) bodyOf(r *record) executor.Task {
	return func(ctx context.Context) (err error) {
		b := l.begin(r, ctx)
		returned := false
		defer func() { l.end(r, b, ctx, err, returned) }()
		if r.t.holds > 0 {
			time.Sleep(r.t.holds)
			returned = true
			return nil
		}
		err = b.how.body(l, r, b, ctx)
		returned = true
		return err
	}
}

// function is bodyOf with a result.
func (l *life) function(r *record) future.Func[int] {
	body := l.bodyOf(r)
	return func(ctx context.Context) (int, error) { return 1, body(ctx) }
}

func (l *life) functions(r *record, n int) (fs []future.Func[int]) {
	for range n {
		fs = append(fs, l.function(r))
	}
	return fs
}

// begin notes that a body begins.
func (l *life) begin(r *record, ctx context.Context) *bodyRun {
	run, known := executor.RunFrom(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.report.Ops++
	n := len(r.bodies)
	b := &bodyRun{began: now, run: run, known: known, how: r.t.bodies[n%len(r.t.bodies)],
		salt: mix(r.t.salt + uint64(n)), seq: l.begun}
	l.begun++
	b.due = l.dueLocked(r, b)
	if r.active++; r.active > 1 && r.t.way.way&bulkWays == 0 {
		l.faultLocked(&l.report.Duplicate, "%v runs beside itself", r)
	}
	r.bodies = append(r.bodies, b)
	l.markLocked(b.how, r, now, now)
	l.markLocked(r.t.way.Feature, r, now, now)
	if ctx.Value(baseKey{}) != nil {
		l.markLocked(byName["BaseContext"], r, now, now)
	}
	if ctx.Value(valueKey{}) != nil {
		l.markLocked(byName["WithValues"], r, now, now)
	}
	l.checkBeginLocked(r, b)
	return b
}

// dueLocked returns from when on a run may begin by its task's own time, as far as its run says.
func (l *life) dueLocked(r *record, b *bodyRun) time.Duration {
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
		return b.run.Scheduled.Sub(l.start)
	}
	return r.submitted
}

// end notes that a body has ended.
func (l *life) end(r *record, b *bodyRun, ctx context.Context, err error, returned bool) {
	cause := context.Cause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	b.over, b.ended, b.err, b.panicked = true, l.now(), err, !returned
	b.timedOut = errors.Is(cause, future.ErrTimeout)
	r.active--
}

// work takes the time of a run, unless its context ends first.
func (l *life) work(ctx context.Context, r *record, b *bodyRun) {
	d := time.Duration(mix(b.salt+3)) % max(r.t.takes, 1)
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

// observer returns the observer of the life itself.
func (l *life) observer() executor.Observer {
	note := func(what string) func(executor.Run, error) {
		return func(run executor.Run, err error) { l.toldOf(what, run, err) }
	}
	plainly := func(what string) func(executor.Run) {
		return func(run executor.Run) { l.toldOf(what, run, nil) }
	}
	return executor.Observer{
		Submitted: plainly("submitted"), Rejected: note("rejected"), Dropped: note("dropped"),
		Missed: plainly("missed"), Overran: plainly("overran"), Expired: plainly("expired"),
		Cancelled: plainly("cancelled"), Paused: plainly("paused"), Resumed: plainly("resumed"),
		Began: func(_ context.Context, run executor.Run) context.Context {
			l.toldOf("began", run, nil)
			return nil
		},
		Ended: func(_ context.Context, run executor.Run, err error) { l.toldOf("ended", run, err) },
	}
}

// toldOf notes what the observer was told.
func (l *life) toldOf(what string, run executor.Run, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.byName[run.Name]
	if r == nil {
		return
	}
	r.told = append(r.told, told{what, l.now(), run, err})
	if what == "paused" {
		r.sawPaused = true
	}
}

// toldError notes what an error handler was told.
func (l *life) toldError(name string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.byName[name]; r != nil {
		r.errors = append(r.errors, err)
	}
}

// pauses notes that the executor is paused; until is below 0 if nobody has said how long.
func (l *life) pauses(from, until time.Duration) {
	l.resumed(from)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shutFrom >= 0 {
		return
	}
	if until < 0 {
		until = 1 << 62
	}
	l.pausedSpans = append(l.pausedSpans, span{from, until})
}

// resumed notes that the executor is not paused any more.
func (l *life) resumed(at time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.pausedSpans); n > 0 && l.pausedSpans[n-1].to > at {
		l.pausedSpans[n-1].to = at
	}
}

func (l *life) resized() {
	l.mu.Lock()
	l.sizes = true
	l.mu.Unlock()
}

// stillOpen reports whether a task has not ended.
func (l *life) stillOpen(r *record) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return r.open()
}

// checkNoMember checks that no task of the group runs.
func (l *life) checkNoMember() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		if r.t.way.way&groupWays != 0 && r.active > 0 && r.answeredAt < l.now() {
			l.faultLocked(&l.report.Early, "Wait of the group returns while %v runs", r)
		}
	}
}
