package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// ScheduledPool runs tasks at their times on a bounded number of reused workers. It is modelled on
// java.util.concurrent's ScheduledThreadPoolExecutor. Make one with [NewScheduledPool]; it is safe
// for concurrent use and must not be copied.
//
// It has every method of [Pool] as well. Those of every day:
//
//   - [Pool.Execute], [Pool.Submit], [Pool.SubmitContext]: a task for now;
//   - [Pool.Run], [Pool.Close], [Pool.CloseContext]: the end of a service;
//     [Pool.Shutdown], [Pool.ShutdownNow], [Pool.AwaitTermination]: Java's steps of it;
//   - [Pool.Stats], [Pool.Running], [Pool.Next], [Pool.Insight]: how it is;
//   - [Pool.Tasks], [Pool.Lookup]: its tasks, to steer them;
//   - [Pool.Pause], [Pool.Resume]: all of them.
//
// It promises:
//
//   - No task runs early. The earlier time runs first; equal times run in the order of
//     submission, where the next run of a series counts as submitted when the last has ended.
//   - Every accepted task ends, and its future is settled.
//   - Runs of one periodic task do not overlap.
//   - A failure affects no future but its own.
//
// Lateness is not bounded: it depends on the machine and on the other tasks. On Linux an idle
// worker is some tens of microseconds late. That precision has a price: each wake-up of an idle
// pool costs some microseconds of processor time, tens on a virtual machine. [Slack] bounds what
// they cost together. A worker that has less than that to wait does not sleep, but spins.
//
// A worker is started when a task is due and all others are busy or leading, up to the core size.
// Idle workers sleep: one, the leader, until the next task is due, and the others until they are
// called. There is no other lasting goroutine. Close the pool when it is no longer needed: a pool
// that is merely dropped keeps its workers and, on Linux, one or two file descriptors.
type ScheduledPool struct {
	Pool

	jobs *engine.Jobs // see Apply
}

// NewScheduledPool returns a pool of at most core workers; with a core size of 0 there is one while
// there is something to do. Inside a testing/synctest bubble the pool uses the bubble's clock, and
// must be used and closed there. NewScheduledPool starts no goroutine. It panics on a negative core
// size, a core size above [MaximumSize], and a bad option.
func NewScheduledPool(core int, opts ...Option) *ScheduledPool {
	p := new(ScheduledPool)
	p.init(core, false, opts)
	p.jobs = engine.NewJobs(p.engine())
	return p
}

// Schedule runs task once, delay from now. A delay of zero or less means now; one beyond the end of
// the clock, 292 years, means never. Schedule returns [ErrNilTask], [ErrInvalid] for a bad option,
// or [ErrShutdown] or [ErrSaturated] for a task that will not run. Without options it allocates
// once.
func (p *ScheduledPool) Schedule(
	delay time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	f, c := newScheduled[struct{}]()
	s := engine.Submission{Cell: c, Task: task}
	if len(opts) > 0 || task == nil {
		if err := submitter.Resolve(p.engine(), &s, opts); err != nil {
			return nil, err
		}
	}
	if err := (*engine.Pool)(&p.Pool).Door.Schedule(delay, s); err != nil {
		return nil, err
	}
	return f, nil
}

// ExecuteAfter is [ScheduledPool.Schedule] without a future: as with Execute, a failure goes to the
// error handler, and nothing can cancel the task but a shutdown. It allocates once without options.
func (p *ScheduledPool) ExecuteAfter(
	delay time.Duration, task Task, opts ...TaskOption,
) error {
	s := engine.Submission{Cell: new(cell.Cell), Task: task, Reports: true}
	if err := submitter.Resolve(p.engine(), &s, opts); err != nil {
		return err
	}
	return p.engine().Door.Schedule(delay, s)
}

// Schedule runs fn once, delay from now, and returns the future of its result. See
// [ScheduledPool.Schedule].
func Schedule[V any](
	p *ScheduledPool, delay time.Duration, fn future.Func[V], opts ...TaskOption,
) (*ScheduledFuture[V], error) {
	if fn == nil {
		return nil, p.misused(opts, ErrNilTask)
	}
	f, c := newScheduled[V]()
	s := engine.Submission{Cell: c, Task: submitter.Bind(f.Future, fn)}
	if err := submitter.Resolve(p.engine(), &s, opts); err != nil {
		return nil, err
	}
	if err := p.engine().Door.Schedule(delay, s); err != nil {
		return nil, err
	}
	return f, nil
}

// ScheduleAt runs task once at the given time, or now if that has passed, as the zero time has. The
// time is converted into a delay once, at the call: setting the wall clock later does not move the
// task, unless the option [WallClock] is given. The errors are those of [ScheduledPool.Schedule].
func (p *ScheduledPool) ScheduleAt(
	at time.Time, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	f, c := newScheduled[struct{}]()
	s := engine.Submission{Cell: c, Task: task}
	if err := submitter.Resolve(p.engine(), &s, opts); err != nil {
		return nil, err
	}
	if err := p.engine().Door.ScheduleAt(at, s); err != nil {
		return nil, err
	}
	return f, nil
}

// Every runs task every period, as a ticker would: the first time after one period, and then on a
// grid, so that n runs take n periods. Runs do not overlap. A stall, whether the run before took
// long, all workers were busy or the machine was suspended, is followed by one late run and no
// burst; [Run.Missed] tells that run how many others it stands for, and the next is back on the
// grid. [CatchUp] overrides that, also if it is among the [Defaults] of the pool.
//
// It is [ScheduledPool.AtFixedRate] with [Coalesce] for its default, where that has Java's, and the
// same in all else: its end, what failures mean, options, commands and errors. For a run at once,
// call [Handle.Trigger] as well.
func (p *ScheduledPool) Every(
	period time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	return p.repeat(period, period, run.Ticking, task, opts)
}

// AtFixedRate runs task after the initial delay and then every period. Run n is planned for the
// time of the first plus n periods, no matter when the others really ran. Runs do not overlap: the
// next starts when the last has ended, or later. [CatchUp] says what happens when runs are late; by
// default every period gets its run, late ones back to back, as in Java. [ScheduledPool.Every]
// has no burst.
//
// With that default, Burst, a task whose runs take longer than its period falls behind for good.
// What has been due longest runs first, so it leaves little room for others: give it another
// policy, or workers of its own.
//
// The series ends when it is cancelled, when the pool is shut down, or after [MaxRuns]. Unless
// [FailurePolicy] says otherwise it also ends with a run that panics: its future fails with the panic,
// the error handler is called, and a record is logged. A run that returns an error, or exceeds its
// [Timeout], does not end the series. That is reported to the error handler; without one, the first
// of a row of failures is logged, and few of the others. Get on the future waits until the series
// has ended.
//
// AtFixedRate returns [ErrNilTask], [ErrInvalid] for a period that is not positive or a bad option,
// or [ErrShutdown] or [ErrSaturated]. The initial delay is treated as by Schedule. With a huge
// period there is one run.
func (p *ScheduledPool) AtFixedRate(
	initial, period time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	return p.repeat(initial, period, run.FixedRate, task, opts)
}

// WithFixedDelay runs task after the initial delay, and then again each time when delay has passed
// since the end of its last run. There is nothing to catch up with; otherwise it is
// [ScheduledPool.AtFixedRate].
func (p *ScheduledPool) WithFixedDelay(
	initial, delay time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	return p.repeat(initial, delay, run.FixedDelay, task, opts)
}

// repeat schedules a series.
func (p *ScheduledPool) repeat(
	initial, every time.Duration, beat run.Beat, task Task, opts []TaskOption,
) (*ScheduledFuture[struct{}], error) {
	if task == nil {
		return nil, p.misused(opts, ErrNilTask)
	}
	pool := p.engine()
	o, period, err := run.ResolveSeries(&pool.Runs().Settings, every, beat, opts)
	if err != nil {
		return nil, p.misused(opts, err)
	}
	f, c := newScheduled[struct{}]()
	if o.Past != nil {
		task = run.Kept(&o, task)
	}
	s := engine.Submission{Cell: c, Task: task, Options: &o}
	if err := pool.Door.Repeat(initial, period, s); err != nil {
		return nil, err
	}
	return f, nil
}

// SetExecuteDelayedAfterShutdown sets whether a task that is not yet due when the pool is shut down
// still runs at its time; the pool then lives on until that. The default is true. Close sets it to
// false. After Shutdown, false drops such tasks at once, and true revives none.
func (p *ScheduledPool) SetExecuteDelayedAfterShutdown(on bool) {
	p.engine().Life.SetExecuteDelayed(on)
}

// SetContinuePeriodicAfterShutdown sets whether periodic tasks go on after Shutdown; the pool then
// lives on until they are cancelled. The default is false. Close sets it to false. After Shutdown,
// false drops the periodic tasks in the queue at once. True revives none, but a task that is in a
// run at that time goes on; one that Close or ShutdownNow has dropped never does.
func (p *ScheduledPool) SetContinuePeriodicAfterShutdown(on bool) {
	p.engine().Life.SetContinuePeriodic(on)
}

// ExecuteDelayedAfterShutdown reports the policy set by SetExecuteDelayedAfterShutdown.
func (p *ScheduledPool) ExecuteDelayedAfterShutdown() bool { return p.engine().Life.ExecuteDelayed() }

// ContinuePeriodicAfterShutdown reports the policy set by SetContinuePeriodicAfterShutdown.
func (p *ScheduledPool) ContinuePeriodicAfterShutdown() bool {
	return p.engine().Life.ContinuePeriodic()
}
