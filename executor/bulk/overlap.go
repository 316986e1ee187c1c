package bulk

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Overlap lets runs of one series overlap, at most n at once. The series itself never does: each of
// its runs only submits one task, and returns. Make one with [NewOverlap], and give its method Task
// to the series. Several series may share an Overlap: n holds for all of them.
//
//	reports, err := bulk.NewOverlap(pool, 3, bulk.SkipNew, report, executor.Timeout(time.Hour))
//	…
//	_, err = pool.Every(time.Minute, reports.Task, executor.Name("report"))
//
// What Task submits is a task of the pool like any other: it may wait for a worker, Close waits for
// it, and ShutdownNow drops it if it has not begun. The end of the series neither drops nor cancels
// it. It knows the values of the context of the series' run, and its failures go to the error
// handler of the pool. It is not the run of the series, but has a name of its own, so that figures
// of one are not mixed with those of the other: that of the series with "/run" added, unless an
// option names it. What is expected of these runs, and how long they may take, is said by options
// given to NewOverlap; those of the series are about its own, short runs. A Submitter that is not
// of this module tells of failures in its own way.
type Overlap struct {
	pool executor.Submitter
	way  submitter.Way // of pool; none if that is foreign
	n    int
	full WhenFull
	task executor.Task
	opts []executor.TaskOption

	mu       sync.Mutex
	inFlight []*future.Future[struct{}] // the oldest first; including some that have ended
	entering int                        // places taken by calls of Task that are under way
	skipped  uint64                     // since the last run that was submitted
}

// WhenFull says what becomes of a run that is due while n others are in flight.
type WhenFull int

const (
	// SkipNew leaves the new run out.
	SkipNew WhenFull = iota
	// CancelOldest cancels the oldest run for it, which is counted as cancelled, and waits until its
	// body has returned: n holds also for bodies that ignore their contexts. The wait is part of
	// the series' run; periods that pass meanwhile are told in [executor.Run.Missed], as of any
	// series.
	CancelOldest
)

// errReplaced is the cause with which CancelOldest cancels.
var errReplaced error = replaced{}

type replaced struct{}

func (replaced) Error() string { return "bulk: cancelled for a newer run" }

// NewOverlap returns an Overlap of task on p, for n runs at once. The options are those of
// [executor.Submitter.Submit], and go to each run. It returns [executor.ErrInvalid] if n is below
// 1 or the policy unknown, and [executor.ErrNilTask] for a nil task. It panics if p is nil. Bad
// options fail each run of the series.
func NewOverlap(
	p executor.Submitter, n int, full WhenFull, task executor.Task, opts ...executor.TaskOption,
) (*Overlap, error) {
	mustBe(p)
	switch {
	case task == nil:
		return nil, executor.ErrNilTask
	case n < 1:
		return nil, fmt.Errorf("bulk: %w: %d runs at once are below 1", executor.ErrInvalid, n)
	case full != SkipNew && full != CancelOldest:
		return nil, fmt.Errorf("bulk: %w: unknown policy %d", executor.ErrInvalid, full)
	}
	return &Overlap{
		pool: p, way: submitter.Of(p), n: n, full: full, task: task, opts: slices.Clone(opts),
	}, nil
}

// Task is the task for the series. It submits a run, and returns the error of the pool if that
// refuses it. If there is no place for it, Task returns an error that matches
// [executor.ErrSkipped]: so the run of the series is counted, shown and measured as skipped, and is
// no failure. [DueFrom] tells the next run how many have been skipped before it.
//
// Where the pool has the caller run what it has no room for, see rejection.CallerRuns, Task is that
// run, and the series waits for it.
func (o *Overlap) Task(ctx context.Context) error {
	run, _ := executor.RunFrom(ctx)
	skipped, err := o.enter(ctx)
	if err != nil {
		return err
	}
	due := Due{Run: run, Skipped: skipped}
	f := new(future.Future[struct{}])
	accepted := false
	defer func() { // also if the caller runs it, and that ends its goroutine
		o.entered(f, accepted || f.State().Settled(), skipped)
	}()
	f, err = o.submit(ctx, f, due)
	accepted = err == nil
	return err
}

// enter takes a place for a new run. It returns how many were skipped before that.
func (o *Overlap) enter(ctx context.Context) (skipped uint64, err error) {
	o.mu.Lock()
	o.pruneLocked()
	var oldest *future.Future[struct{}]
	switch {
	case len(o.inFlight)+o.entering < o.n:
	case o.full == CancelOldest && len(o.inFlight) > 0:
		oldest = o.inFlight[0]
		o.inFlight = slices.Delete(o.inFlight, 0, 1)
	default:
		o.skipped++
		o.mu.Unlock()
		return 0, fmt.Errorf("%w: %d runs are in flight, and no more may be", executor.ErrSkipped, o.n)
	}
	o.entering++
	skipped, o.skipped = o.skipped, 0
	o.mu.Unlock()
	if oldest == nil {
		return skipped, nil
	}
	if err := o.replace(ctx, oldest); err != nil {
		o.returned(oldest, skipped)
		return 0, err
	}
	return skipped, nil
}

// replace cancels a run, and waits until its body has returned, or ctx has ended.
func (o *Overlap) replace(ctx context.Context, oldest *future.Future[struct{}]) error {
	c := submitter.CellOf(oldest)
	if c.StopsAfterCaller() {
		return future.ErrSelfWait
	}
	oldest.CancelCause(errReplaced)
	one := func(yield func(*cell.Cell) bool) { yield(c) }
	if _, ok := cell.Receive(ctx, oldest.Stopped(), cell.HostsOf(one), one); !ok {
		return cell.EndOf(ctx)
	}
	return nil
}

// returned gives back the place of a run that was to replace the oldest one, which goes on.
func (o *Overlap) returned(oldest *future.Future[struct{}], skipped uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entering--
	o.skipped += skipped + 1
	o.inFlight = slices.Insert(o.inFlight, 0, oldest)
}

// entered ends what enter has begun: there is a run now, or there is none after all.
func (o *Overlap) entered(f *future.Future[struct{}], accepted bool, skipped uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entering--
	if !accepted {
		o.skipped += skipped + 1
		return
	}
	o.inFlight = append(o.inFlight, f)
}

// submit has the pool run the task for a run of the series. It returns its future, which is f
// unless the pool is foreign.
func (o *Overlap) submit(
	ctx context.Context, f *future.Future[struct{}], due Due,
) (*future.Future[struct{}], error) {
	var opts []executor.TaskOption
	if due.Name != "" {
		opts = append(opts, executor.Name(due.Name+"/run"))
	}
	opts = append(opts, o.opts...)
	body := func(ctx context.Context) error { return o.task(context.WithValue(ctx, dueKey{}, due)) }
	if !o.way.IsForeign() {
		return f, submitter.GiveReported(ctx, o.way, submitter.CellOf(f), body, opts)
	}
	given, err := submitter.GiveForeign(ctx, false, o.pool, body, opts)
	if err != nil {
		return f, err
	}
	return given, nil
}

// pruneLocked forgets the runs that have ended. One that was cancelled, or has exceeded its time,
// ends when its body returns.
func (o *Overlap) pruneLocked() {
	o.inFlight = slices.DeleteFunc(o.inFlight, func(f *future.Future[struct{}]) bool {
		return submitter.CellOf(f).HasStopped()
	})
}

// InFlight returns the futures of the runs that have been submitted and have not ended, the oldest
// first: to see how many there are, to cancel them, or to wait for them.
func (o *Overlap) InFlight() []*future.Future[struct{}] {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pruneLocked()
	return slices.Clone(o.inFlight)
}
