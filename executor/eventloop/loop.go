package eventloop

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/alarm"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
	"github.com/punctual-go/punctual/internal/wall"
)

// Overview
//
// A task takes one road. enter pushes it onto the intake, collectLocked moves it to the agenda,
// take starts it when it is due, complete settles it after its last run, and accountLocked counts
// the run and puts the next one of a series on the agenda. Submitters touch the intake and the
// atomic fields only. All else is guarded by mu. The loop holds mu on its way from one task to the
// next, and releases it to run a body, to settle futures, and to sleep; so a shutdown, Stats, or a
// [Turn] can get at what waits even while a body does not return. As nobody takes mu to submit from
// outside, or waits for it to cancel, the loop nearly always gets it without contention.
//
// Lock order: mu, then the lock of a cell's extension, which is a leaf.

// Loop runs tasks one at a time, each at its time. It is made by [New], is safe for concurrent use,
// and must not be copied.
//
// A loop promises:
//
//   - A task never runs early.
//   - Tasks run in order of time, and tasks of equal time in order of arrival. The time of a task
//     for now is that of its submission, so it neither overtakes overdue tasks, nor holds them up
//     by coming again and again.
//   - Every accepted task ends, and its future is settled.
//   - A failure affects one future only.
//
// An idle loop on Linux starts a task some tens of microseconds late.
//
// The goroutine of a loop starts with the first task, sleeps until the next one is due, and ends
// when nothing waits. A submission waits for no lock, takes constant time, and wakes the loop only
// if the task is due before every other. A cancellation takes amortized constant time, and wakes
// nobody unless the loop is shut down. If the task that a sleeping loop waits for is
// cancelled, the loop sleeps on until that task would have been due, something else wakes it, or it
// is shut down.
//
// Close a loop that is no longer needed: tasks that wait keep its goroutine. On Linux a loop that
// has slept once keeps one or two file descriptors until it ends.
type Loop struct {
	clock     clock.Clock
	submitted *run.Plan       // shared by all tasks with a future and no options
	executed  *run.Plan       // shared by all tasks given to Execute
	labels    context.Context // pprof labels of its goroutine, except while a named task runs

	intake  intake
	notices notices
	next    atomic.Int64 // when the loop looks again; see wake.go

	goroutine   atomic.Uint64 // identity of its goroutine, 0 while it has none; see package goid
	interrupted atomic.Uint64 // tasks cancelled while running
	rejected    atomic.Uint64

	// The loop sleeps by the one or the other; see wake.go.
	alarm *alarm.Alarm  // for a sleep until a time; only the loop's goroutine sets it
	call  chan struct{} // ends a sleep that has no time
	slack time.Duration // how late a run may be to share a wake-up
	woke  int64         // when it last woke, or long ago; its goroutine's own

	runs run.Owner // the part it shares with a pool

	mu     sync.Mutex // guards the fields below
	stage  stage
	agenda agenda
	order  uint64 // sequence number of the last task put on the agenda
	counts counts
	calm   calm
	heeds  bool          // the end of a run means more than that: it is quieting, or short
	exec   run.Execution // of the running task; see there for who may touch what

	closing  context.Context    // ends when the loop begins to refuse tasks
	announce context.CancelFunc // ends closing, which has AfterShutdown functions called
	gone     chan struct{}      // closed when the loop has terminated
}

// New returns a loop. It starts no goroutine yet, and panics on a bad option. Inside a
// testing/synctest bubble the loop runs on the bubble's clock, and must be used and closed there.
func New(opts ...Option) *Loop {
	settings := newSettings(opts)
	// Every time is above awake and absent, the special values of next, and above 0, the Started of
	// a task that has not run.
	c := clock.New(1)
	l := &Loop{
		clock: c,
		alarm: alarm.New(c),
		call:  make(chan struct{}, 1),
		gone:  make(chan struct{}),
	}
	l.woke = -clock.Never
	l.slack = settings.SlackOr(l.alarm.Virtual())
	l.closing, l.announce = context.WithCancel(context.Background())
	l.next.Store(absent)
	l.notices.heedLocked(false)
	l.runs = run.Owner{
		Reporter:    run.Reporter{Settings: settings, Kind: "loop"},
		Host:        (*host)(l),
		Lock:        &l.mu,
		Clock:       c,
		Wall:        wall.New(),
		Unnamed:     run.Labelled(settings.Base, settings.Name, ""),
		ErrShutdown: executor.ErrShutdown,
		Counts:      &l.counts.Counts,
		Settled:     func() { l.signal(0) },
		Requeue:     l.requeueLocked,
		MayRepeat:   l.mayRepeatLocked,
		SetAside:    l.setAsideLocked,
	}
	l.exec.Owner = &l.runs
	l.runs.Size = 1
	sight.Open(&l.runs, (*crew)(l), false)
	l.submitted = l.newPlan(series.Options{})
	l.executed = l.newPlan(series.Options{})
	l.executed.Reports = true
	l.labels = run.LabelsOf(l.runs.Unnamed)
	return l
}

// InLoop reports whether ctx is the context of the task that the loop is running, or derives from
// it. It is false after the run, and for a nil ctx.
func (l *Loop) InLoop(ctx context.Context) bool { return l.runIn(ctx) != nil }

func planOf(c *cell.Cell) *run.Plan { return c.Plan.Detail.(*run.Plan) }

func (l *Loop) newPlan(o series.Options) *run.Plan {
	pl := new(run.Plan)
	l.runs.Init(pl, o, pl)
	return pl
}
