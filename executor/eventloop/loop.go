package eventloop

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/alarm"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// Loop runs tasks one at a time, at their times. It is made by [New], is safe for concurrent use, and
// must not be copied.
//
// It promises: never early; earlier time first, equal times in the order in which they have come to the
// loop, where a task for now has the time of its submission, so that it does not overtake what is
// overdue, nor can hide it by coming again and again; everything accepted ends, and settles its future; a
// failure touches one future. An idle loop on Linux is some tens of microseconds late.
//
// Its goroutine starts with the first task, sleeps until the next is due, and ends when there are none.
// To submit waits for no lock, takes constant time, and wakes the loop only for a task that is due
// before any other; to cancel likewise, amortized, and wakes nobody before the loop is shut down. A goroutine that
// sleeps for the sake of a task which is cancelled meanwhile sleeps on until that would have been due,
// something else wakes it, or the loop is shut down. Close the loop when it is of no use any more: tasks that wait keep
// its goroutine. On Linux a loop that has slept once keeps one file descriptor until then.
//
// # Overview
//
// A task goes one road: push puts it on the intake, collect moves it to the agenda, take starts it when it
// is due, and account settles it or puts its next run on the agenda. Submitters touch the intake and the
// atomic fields only. The rest is behind mu, which is the loop's: it holds mu while it goes from one task
// to the next, and lets go of it to run a body, to settle futures, and to sleep. Then a shutdown, and those
// who ask, can see what waits, even though a body does not return, and a [Turn] can be used. Nobody takes
// mu to submit from outside, nor waits for it to cancel, so the loop gets it without contention nearly
// always.
//
// Lock order: mu, then that of a cell's extension, which is a leaf.
type Loop struct {
	settings
	clock     clock.Clock
	submitted *run.Plan       // of every task that has a future and no options
	executed  *run.Plan       // of every task given to Execute
	labels    context.Context // of its goroutine, but during the run of a named task

	intake  intake
	notices notices
	next    atomic.Int64 // when the loop looks again; see wake.go

	goroutine   atomic.Uint64 // identity of the loop's, 0 while it has none
	interrupted atomic.Uint64 // tasks cancelled while they ran
	rejected    atomic.Uint64

	alarm *alarm.Alarm  // for a sleep until a time; only the loop sets it
	call  chan struct{} // for a sleep without end

	runs run.Owner // what it has in common with a pool

	mu     sync.Mutex // guards the fields below
	stage  stage
	agenda agenda
	order  uint64 // sequence number of the last task on the agenda
	counts counts
	calm   calm
	exec   run.Execution // of the task that runs; the loop's own, but for Task

	closing  context.Context    // ends when the loop refuses tasks
	announce context.CancelFunc // ends it; what that calls runs on goroutines of its own
	gone     chan struct{}      // closed when the loop has terminated
}

// New returns a loop. It starts no goroutine, and panics on a bad option. Inside a testing/synctest bubble
// the loop runs on the bubble's clock, and must be used and closed there.
func New(opts ...Option) *Loop {
	c := clock.New(1) // above awake and absent, and what Started shows before a run
	l := &Loop{
		settings: newSettings(opts),
		clock:    c,
		alarm:    alarm.New(c),
		call:     make(chan struct{}, 1),
		gone:     make(chan struct{}),
	}
	l.closing, l.announce = context.WithCancel(context.Background())
	l.next.Store(absent)
	l.runs = run.Owner{
		Reporter:    l.newReporter(),
		Host:        (*host)(l),
		Lock:        &l.mu,
		Clock:       c,
		Base:        run.Labelled(l.parent, l.name, ""),
		ErrShutdown: executor.ErrShutdown,
		Counts:      &l.counts.Counts,
		Settled:     func() { l.signal(0) },
	}
	l.exec.Owner = &l.runs
	l.submitted = l.newPlan(series.Options{})
	l.executed = l.newPlan(series.Options{})
	l.executed.Reports = true
	l.labels = run.LabelsOf(l.runs.Base)
	return l
}

func (l *Loop) newReporter() run.Reporter {
	r := run.Reporter{Kind: "loop", Name: l.name, Parent: l.parent, Logger: l.logger}
	if l.onError != nil {
		r.Handler = func(ctx context.Context, info run.Info, err error) {
			l.onError(ctx, executor.Run(info), err)
		}
	}
	return r
}

// InLoop reports whether ctx is that of a task which the loop runs now, or derives from it.
func (l *Loop) InLoop(ctx context.Context) bool { return l.runIn(ctx) != nil }

func planOf(c *cell.Cell) *run.Plan { return c.Plan.Detail.(*run.Plan) }

func (l *Loop) newPlan(o series.Options) *run.Plan {
	pl := new(run.Plan)
	l.runs.Init(pl, o, pl)
	return pl
}
