package executor

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/internal/series"
)

// Option configures a pool when it is made. A bad value is a mistake in the program, so it panics
// there, with a text that says what is wrong. If an option is given twice, the last counts; but
// options that set functions to call add up: [BeforeRun], [AfterRun], [AfterTermination],
// [ErrorHandler] and [Decorate].
type Option interface{ configure(*settings) }

// CommonOption is an [Option] that event loops take too, see package eventloop. Supervisors take
// those of them that say so, [Name], [Logger] and [ErrorHandler], and panic at any other.
type CommonOption interface {
	Option
	commonOption
}

type commonOption = run.CommonOption

// option is an Option for pools alone.
type option func(*settings)

func (o option) configure(s *settings) { o(s) }

// forLoops is an option for pools and event loops.
type forLoops func(*run.Settings)

func (o forLoops) configure(s *settings) { o(&s.Shared) }
func (o forLoops) Apply(s *run.Settings) { o(s) }
func (forLoops) ForSupervisor() bool     { return false }

// forAll is an option for pools, event loops and supervisors.
type forAll struct{ forLoops }

func (forAll) ForSupervisor() bool { return true }

// named is the option that [Name] returns. It is a type of its own because tasks take it too.
type named string

func (n named) configure(s *settings) { s.Shared.Name = string(n) }
func (n named) Apply(s *run.Settings) { s.Name = string(n) }
func (named) ForSupervisor() bool     { return true }

func (n named) Resolve(o *series.Options) error {
	o.Name = string(n)
	return nil
}

// settings are what the options of a pool set.
type settings = engine.Settings

// defaultKeepAlive is how long a worker above the core size, or the only worker of a pool of core
// size 0, stays idle before it ends. The JDK's ScheduledThreadPoolExecutor uses the same figure. It
// may be short, because a new goroutine is cheap.
const defaultKeepAlive = 10 * time.Millisecond

// settingsOf applies the options, and panics if they do not go together.
func settingsOf(core int, plain bool, opts []Option) *settings {
	s := &settings{KeepAlive: defaultKeepAlive, Policy: asking(rejection.Abort)}
	if plain {
		queue.FIFO().Apply(s)
	}
	if core < 0 {
		panic(fmt.Sprintf("executor: negative core size %d", core))
	}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("executor: option %d is nil", i))
		}
		o.configure(s)
	}
	if !plain && s.MakeQueue != nil {
		panic("executor: a scheduled pool has a queue of its own")
	}
	if s.SizesFixed {
		confine(s, core)
	}
	if !plain && s.Maximum == 0 {
		s.Maximum = math.MaxInt
	}
	if s.Maximum > 0 && core > s.Maximum {
		panic(fmt.Sprintf("executor: core size %d is above the maximum size %d", core, s.Maximum))
	}
	if s.CoreTimeout && s.KeepAlive == 0 {
		panic("executor: core timeout needs a keep-alive above 0")
	}
	return s
}

// confine fixes the sizes of a pool that is to be [Confined].
func confine(s *settings, core int) {
	if core != 1 || s.Maximum > 1 {
		panic(fmt.Sprintf("executor: a confined pool has one worker, not %d", max(core, s.Maximum)))
	}
	s.Maximum = 1
}

// Name names a pool, an event loop, a supervisor or a task. A pool's or loop's name appears in
// logs, errors and statistics, and as the pprof label "pool" of its goroutines. A supervisor's name
// is used in the same places, and for its runs. A task's name appears in logs, errors, hooks and
// reports, and as the pprof label "task" of its runs. Any string will do, whatever its length and
// bytes.
func Name(name string) interface {
	CommonOption
	TaskOption
} {
	return named(name)
}

// MaximumSize lets a [Pool] grow above its core size, to at most n workers, while more tasks wait
// than its queue has room for. It also bounds what the core size may be set to. A scheduled pool
// does not grow above its core size by itself, because its queue never refuses a task. MaximumSize
// panics if n < 1.
func MaximumSize(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("executor: maximum size %d is below 1", n))
	}
	return option(func(s *settings) { s.Maximum = n })
}

// GrowFirst lets a [Pool] grow to the maximum size before any task waits, instead of only when the
// queue is full. A scheduled pool ignores it.
func GrowFirst() Option { return option(func(s *settings) { s.GrowFirst = true }) }

// KeepAlive sets how long a worker above the core size stays idle before it ends; the default is 10
// ms. With 0 it ends as soon as it is idle. KeepAlive panics if d is negative.
func KeepAlive(d time.Duration) Option {
	if d < 0 {
		panic(fmt.Sprintf("executor: negative keep-alive %v", d))
	}
	return option(func(s *settings) { s.KeepAlive = d })
}

// Queue says where the tasks of a [Pool] wait for a worker, and how many may wait; the default is
// [queue.FIFO]. A [ScheduledPool] panics if given a Queue, because it has one of its own. The zero
// Queue is invalid, and makes the pool panic.
func Queue(q queue.Queue) Option { return option(q.Apply) }

// CoreTimeout makes idle core workers end after the keep-alive too. A worker that waits for the
// next task to become due stays, however long that takes. The keep-alive must then be above 0, or
// the pool panics when it is made.
func CoreTimeout() Option { return option(func(s *settings) { s.CoreTimeout = true }) }

// PendingLimit bounds the number of accepted tasks that wait, whether or not workers are free: for
// a worker, their time, their turn, or another attempt. A submission beyond the limit is up to the
// [rejection.Policy]; Schedule and the methods like it fail with [ErrSaturated]. The next run of a
// periodic task is never refused, nor is another attempt. The limit does not make a [Pool] grow; a
// [queue.Bounded] queue does. PendingLimit panics if n < 1.
func PendingLimit(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("executor: pending limit %d is below 1", n))
	}
	return option(func(s *settings) { s.PendingLimit = n })
}

// Slack sets how late a run may be so that it can share a wake-up with others. It only matters
// while wake-ups are dense: a pool or loop that has nothing to do does not wake for a delayed or
// periodic task within d of the last time it did. So the first run after a pause is on time, no run
// is later than d for this reason, and wake-ups take a bounded part of a processor. A task that is
// submitted to run now does not wait. No run is ever early.
//
// With 0, each run gets a wake-up of its own if it needs one; at a hundred thousand times a second
// that takes a whole processor. The default is 50 µs, or 0 inside a testing/synctest bubble, where
// runs are exact unless Slack says otherwise. A [Pool] without times ignores it. A loop is woken
// for each submission that is due before it would wake up. Slack panics if d is negative.
//
// Slack is for a whole pool, not for a task: runs begin in the order of their times, so a task that
// must be on time would have to wait for one before it that need not be. Give tasks that may be
// late a pool of their own. Linux has the same idea, and the name, for its timers.
func Slack(d time.Duration) CommonOption {
	if d < 0 {
		panic(fmt.Sprintf("executor: negative slack %v", d))
	}
	return forLoops(func(s *run.Settings) { s.Slack = &d })
}

// BaseContext sets the context from which the contexts of all runs derive; the default is
// context.Background. When it ends, running tasks see that in their contexts, and the pool goes on.
// Its methods are also called on the goroutines of the pool, and must not panic. BaseContext panics
// if ctx is nil. A supervisor does not take it: its runs have the contexts of its pool.
func BaseContext(ctx context.Context) CommonOption {
	if ctx == nil {
		panic("executor: nil base context")
	}
	return forLoops(func(s *run.Settings) { s.Base = ctx })
}

// Logger sets where a pool or event loop logs panics, and failures that nothing else would show;
// see [ErrorHandler] and [FailurePolicy]. A supervisor logs panics of its callbacks there. The
// default is slog.Default, also for nil. To log nothing, use a logger with slog.DiscardHandler.
func Logger(l *slog.Logger) CommonOption {
	return forAll{func(s *run.Settings) { s.Logger = l }}
}

// ErrorHandler sets a function to which failures are reported. It is called for
//
//   - every failure without a future of its own: of a task given to Execute, of a run of a
//     periodic task, of a hook, and of a calendar that is asked while its task waits, when
//     run.Started is zero;
//   - every panic and every runtime.Goexit of a task, once, even if a future has it too, or was
//     cancelled.
//
// An error that a task with a future returns goes to the future alone, unless the task is periodic.
//
// Without a handler these failures are logged, a panic with its stack; [FailurePolicy] says how
// much is logged of a series that goes on. A series that ends by a failure is logged in any case.
//
// The handler runs on the goroutine of the run or hook that failed, with the base context. If a run
// of a series exceeds its [Timeout], the handler is called at that moment, on a goroutine of its
// own, while the body still runs. The pool does not end before the handlers of all runs have
// returned. If a handler panics or calls Goexit, that is logged. A nil handler is ignored. Several
// are called one after another, in the order given, whatever becomes of the others.
//
// An event loop does the same. A supervisor reports only panics of its callbacks: its task is a
// task of the pool, which reports it.
func ErrorHandler(f func(ctx context.Context, run Run, err error)) CommonOption {
	return forAll{func(s *run.Settings) {
		if f != nil {
			s.OnError = append(s.OnError, func(ctx context.Context, info run.Info, err error) {
				f(ctx, Run(info), err)
			})
		}
	}}
}

// BeforeRun sets a hook that is called before each run, on its goroutine and with its context. If
// the hook panics or calls Goexit, that is reported and the run goes on. If the task is cancelled
// in the meantime, its body is not called. A nil hook is ignored. Several hooks are called in the
// order given, whatever becomes of the others.
func BeforeRun(f func(ctx context.Context, run Run)) Option {
	return option(func(s *settings) {
		if f != nil {
			s.Before = append(s.Before, func(ctx context.Context, r run.Info) { f(ctx, Run(r)) })
		}
	})
}

// AfterRun sets a hook that is called after each run, on its goroutine, with the error of the run.
// If the run was the last, its future is settled by then; if not, the next run is queued only
// afterwards. The context is that of the run, and has ended. If the hook panics or calls Goexit,
// that is reported. A nil hook is ignored. Of several hooks the last given is called first, so that
// they nest around the run with those of [BeforeRun]; all are called, whatever becomes of the
// others.
func AfterRun(f func(ctx context.Context, run Run, err error)) Option {
	return option(func(s *settings) {
		if f != nil {
			s.After = slices.Insert(s.After, 0, func(ctx context.Context, r run.Info, err error) {
				f(ctx, Run(r), err)
			})
		}
	})
}

// AfterTermination sets a hook that is called once, on a goroutine of its own, after the last
// worker has ended and before the channel of [Pool.Terminated] is closed. If the hook panics or
// calls Goexit, that is reported. A nil hook is ignored. Several hooks are called in the order
// given, whatever becomes of the others.
func AfterTermination(f func()) Option {
	return option(func(s *settings) {
		if f != nil {
			s.AtEnd = append(s.AtEnd, f)
		}
	})
}

// Decorate sets a function that is called once for each submission, by the submitter, and returns
// the task to run in place of the given one. If it returns nil, the submission fails with
// [ErrNilTask]; if it panics, so does the submission. A nil function is ignored. Several are called
// in the order given, each with what the one before has returned, so the last is the outermost.
func Decorate(f func(Task) Task) Option {
	return option(func(s *settings) {
		if f != nil {
			s.Decorate = append(s.Decorate, f)
		}
	})
}
