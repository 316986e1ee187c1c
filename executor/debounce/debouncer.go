package debounce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// ErrClosed is returned by a [Debouncer] that has been closed, or whose pool has ended: then the
// error matches the reason, such as [executor.ErrShutdown], as well.
var ErrClosed = errors.New("debounce: closed")

// Wait says how long a [Debouncer] waits.
type Wait struct {
	Quiet time.Duration // since the last call; 0 means until a worker is free
	Most  time.Duration // since the first call that no run has begun for; 0 means no limit
}

// Debouncer runs a task once for many calls. Make one with [New]; it is safe for concurrent use and
// must not be copied.
type Debouncer struct {
	wait Wait
	task *executor.ScheduledFuture[struct{}] // a series that calls plan; its runs do not look at it

	mu     sync.Mutex
	next   *turn // what calls wait for; nil if there was none since the last run began
	now    *turn // of the run in progress, or nil
	closed bool
}

// never is a delay that does not pass.
const never = time.Duration(math.MaxInt64)

// New returns a debouncer of task, which runs on p, a pool or an event loop. The options are those
// of a periodic task, except [executor.DelayBy], which New sets; a panic ends only its run, unless
// [executor.FailurePolicy] says otherwise. New returns [executor.ErrInvalid] for waits that are
// negative, or a Most that is shorter than Quiet, and the errors of p.
func New(
	p executor.ScheduledSubmitter, wait Wait, task executor.Task, opts ...executor.TaskOption,
) (*Debouncer, error) {
	if wait.Quiet < 0 || wait.Most < 0 || wait.Most > 0 && wait.Most < wait.Quiet {
		return nil, fmt.Errorf("debounce: %w: negative, or Most < Quiet: %+v", executor.ErrInvalid, wait)
	}
	d := &Debouncer{wait: wait}
	all := append([]executor.TaskOption{executor.FailurePolicy(executor.Continue)}, opts...)
	all = append(all, executor.DelayBy(d.ended))
	var err error
	if d.task, err = p.WithFixedDelay(never, never, d.body(task), all...); err != nil {
		return nil, err
	}
	return d, nil
}

// Call asks for a run. It returns [ErrClosed] if none will come any more, and never waits for one.
func (d *Debouncer) Call() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	now, t := time.Now(), d.next
	if t == nil {
		t = &turn{first: now}
	}
	if t.flushed && !d.task.State().Settled() {
		return nil
	}
	wait := d.wait.Quiet
	if d.wait.Most > 0 {
		wait = min(wait, t.first.Add(d.wait.Most).Sub(now))
	}
	if !d.task.Reset(wait) {
		return d.over()
	}
	d.next = t
	return nil
}

// Drop forgets the calls that no run has begun for, and reports whether there were any. Who waits
// for their run in [Debouncer.Flush] gets [future.ErrCancelled]. A run in progress goes on.
func (d *Debouncer) Drop() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.next
	if t == nil {
		return false
	}
	d.next = nil
	d.task.Reset(never)
	t.end(future.ErrCancelled)
	return true
}

// over is the error of a debouncer whose task has ended.
func (d *Debouncer) over() error {
	if r, ended := d.task.Poll(); ended && r.Err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, r.Err)
	}
	return ErrClosed
}

// body is what the series runs, at each attempt. It is nil for a nil task, which the pool refuses,
// with the names.
func (d *Debouncer) body(task executor.Task) executor.Task {
	if task == nil {
		return nil
	}
	return func(ctx context.Context) error {
		if !d.begin(ctx) {
			return nil
		}
		return task(ctx)
	}
}

// begin reports whether the body is to be called: the calls may have been dropped, or answered by a
// run that began just before the last of them has planned this one. A run that somebody else has
// triggered needs no call.
func (d *Debouncer) begin(ctx context.Context) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now != nil { // another attempt
		return true
	}
	if d.next == nil {
		if r, ok := executor.RunFrom(ctx); !ok || !r.Triggered {
			return false
		}
		d.next = new(turn)
	}
	d.now, d.next = d.next, nil
	d.now.begun = true
	return true
}

// ended is called when a run has ended, with its attempts, or has expired. A call during the run
// has planned the next, which nothing here overrules.
func (d *Debouncer) ended(last executor.LastRun) (wait time.Duration, again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.now
	d.now = nil
	if t == nil && errors.Is(last.Err, executor.ErrExpired) { // the run of these calls
		t, d.next = d.next, nil
	}
	if t != nil {
		t.end(last.Err)
	}
	return never, true
}
