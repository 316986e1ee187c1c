package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// ScheduledPool runs tasks at their times on a bounded number of reused workers: it is
// java.util.concurrent's ScheduledThreadPoolExecutor. It has every method of [Pool]; Execute and
// Submit are schedules without delay.
//
// It promises: never early; earlier time first, equal times in order of submission, where the next
// run of a series counts as submitted when the last has ended; everything accepted ends, and settles
// its future; runs of one periodic task do not overlap; a failure touches one future. Lateness is
// not bounded: it depends on the machine and on the other tasks. An idle worker on Linux is some
// tens of microseconds late. Exactness has a price: where the pool is idle, each wake-up costs some
// microseconds of processor time, on a virtual machine tens; a worker with less than that to wait yields
// instead of sleeping.
//
// A worker starts when a task is due and all others are busy or on watch, up to the core size. There
// is no other goroutine that lasts, and idle workers sleep until the next task is due: one is on
// watch, the others wait to be called. Close the pool when done: a pool that is dropped keeps its
// workers and, on Linux, one file descriptor.
type ScheduledPool struct {
	Pool
}

// NewScheduledPool returns a pool of at most core workers; with a core of 0 there is one while
// there is something to do. It starts no goroutine. It panics on a negative core size and on a bad
// option. Inside a testing/synctest bubble the pool runs on the bubble's clock, and must be used and
// closed there.
func NewScheduledPool(core int, opts ...Option) *ScheduledPool {
	p := new(ScheduledPool)
	p.init(core, opts)
	return p
}

// Schedule runs task once, delay from now. A delay of zero or less means now; one past the end of
// the clock, 292 years, means never. It returns [ErrNilTask], [ErrInvalid] for a bad option, or
// [ErrShutdown] or [ErrSaturated] for a task that will not run. One allocation, if there are no
// options.
func (p *ScheduledPool) Schedule(delay time.Duration, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error) {
	f, c := newScheduled[struct{}](p)
	if err := p.schedule(c, delay, task, opts); err != nil {
		return nil, err
	}
	return f, nil
}

// Schedule runs fn once, delay from now, and returns the future of its result. See
// [ScheduledPool.Schedule].
func Schedule[V any](p *ScheduledPool, delay time.Duration, fn future.Func[V], opts ...TaskOption) (*ScheduledFuture[V], error) {
	if fn == nil {
		return nil, ErrNilTask
	}
	f, c := newScheduled[V](p)
	if err := p.schedule(c, delay, bind(f.Future, fn), opts); err != nil {
		return nil, err
	}
	return f, nil
}

// ScheduleAt runs task once at the given time, or now if that has gone by. The time is turned into
// a delay once, at the call: setting the wall clock later does not move the task. Errors are those
// of [ScheduledPool.Schedule].
func (p *ScheduledPool) ScheduleAt(at time.Time, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error) {
	f, c := newScheduled[struct{}](p)
	if _, err := p.prepare(c, task, opts); err != nil {
		return nil, err
	}
	if err := p.acceptAt(c, p.clock.At(at)); err != nil {
		return nil, err
	}
	return f, nil
}

// AtFixedRate runs task after the initial delay and then every period: run n is planned for the
// time of the first plus n periods, whenever the others really ran. What happens when runs are late
// is up to [CatchUp]; by default every period gets its run, late ones back to back, as in Java.
// Runs do not overlap: the next starts at the earliest when the last has ended. A task under Burst
// whose runs take longer than its period falls behind for ever, and as what is overdue longest runs
// first, it leaves little to others: give it another policy, or workers of its own.
//
// The series ends when it is cancelled, when the pool is shut down, after [MaxRuns], and, unless
// [OnError] says otherwise, with a run that panics; then the future fails with that, the error
// handler is told, and a record is logged. Until it ends, Get waits. A run that returns an error,
// or outlives its [Timeout], does not end it: that is told to the error handler, or else the first
// of a row of failures is logged, and few of the others.
//
// It returns [ErrNilTask], [ErrInvalid] for a period that is not positive or a bad option, or
// [ErrShutdown] or [ErrSaturated]. An initial delay is taken as by Schedule; a huge period means that
// there is one run.
func (p *ScheduledPool) AtFixedRate(initial, period time.Duration, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error) {
	return p.repeat(initial, period, series.FixedRate, task, opts)
}

// WithFixedDelay runs task after the initial delay, and again each time delay has passed since its
// last run ended. All else is as for [ScheduledPool.AtFixedRate], but that there is nothing to catch
// up with.
func (p *ScheduledPool) WithFixedDelay(initial, delay time.Duration, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error) {
	return p.repeat(initial, delay, series.FixedDelay, task, opts)
}

func (p *ScheduledPool) self() Submitter { return p }

func (p *ScheduledPool) schedule(c *cell.Cell, delay time.Duration, task Task, opts []TaskOption) error {
	if _, err := p.prepare(c, task, opts); err != nil {
		return err
	}
	return p.acceptAfter(c, delay)
}

// repeat schedules a series.
func (p *ScheduledPool) repeat(initial, every time.Duration, sign int64, task Task, opts []TaskOption) (*ScheduledFuture[struct{}], error) {
	if task == nil {
		return nil, ErrNilTask
	}
	o, period, err := run.ResolveSeries(every, sign, opts)
	if err != nil {
		return nil, err
	}
	body, err := p.bodyOf(task)
	if err != nil {
		return nil, err
	}
	pl := p.newPlan(o)
	pl.Period = period
	f, c := newScheduled[struct{}](p)
	c.Plan, c.Body = pl.Cells(), body
	if err := p.acceptAfter(c, initial); err != nil {
		return nil, err
	}
	return f, nil
}

// SetExecuteDelayedAfterShutdown sets whether a task that is not yet due when the pool is shut down
// still runs at its time, and the pool lives on until then; true at first. Close sets it to false.
// After Shutdown, setting it to false drops such tasks at once; setting it to true revives none.
func (p *ScheduledPool) SetExecuteDelayedAfterShutdown(on bool) {
	p.mu.Lock()
	p.executeDelayed.Store(on)
	swept := p.sweepLocked()
	p.mu.Unlock()
	p.settle(swept)
}

// SetContinuePeriodicAfterShutdown sets whether periodic tasks go on after Shutdown, and the pool
// with them until they are cancelled; false at first. Close sets it to false. After Shutdown,
// setting it to false drops those in the queue at once; setting it to true revives none, but one
// that is in a run then goes on. What Close or ShutdownNow has dropped never does.
func (p *ScheduledPool) SetContinuePeriodicAfterShutdown(on bool) {
	p.mu.Lock()
	p.continuePeriodic.Store(on)
	swept := p.sweepLocked()
	p.mu.Unlock()
	p.settle(swept)
}

// ExecuteDelayedAfterShutdown reports the policy set by SetExecuteDelayedAfterShutdown.
func (p *ScheduledPool) ExecuteDelayedAfterShutdown() bool { return p.executeDelayed.Load() }

// ContinuePeriodicAfterShutdown reports the policy set by SetContinuePeriodicAfterShutdown.
func (p *ScheduledPool) ContinuePeriodicAfterShutdown() bool { return p.continuePeriodic.Load() }
