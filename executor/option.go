package executor

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// Option configures a pool at its construction. A bad value panics there, with a text that says
// what is wrong, as it is a mistake in the program. Of an option that is given twice the last counts;
// but functions that are to be called add up: [BeforeRun], [AfterRun], [AfterTermination],
// [ErrorHandler] and [Decorate].
type Option interface{ configure(*settings) }

// LoopOption is an [Option] that an event loop takes, too: see package eventloop.
type LoopOption interface {
	Option
	loopOption
}

// CommonOption is an [Option] that event loops and supervisors take, too: see packages eventloop and
// supervisor.
type CommonOption interface {
	LoopOption
	commonOption
}

// NameOption names whatever it is given to: a pool, an event loop, a supervisor, or a task.
type NameOption interface {
	CommonOption
	TaskOption
}

type (
	loopOption   = run.Option
	commonOption = run.CommonOption
)

type option func(*settings)

func (o option) configure(s *settings) { o(s) }

// forLoops is an option for pools and loops.
type forLoops func(*run.Settings)

func (o forLoops) configure(s *settings) { o(&s.shared) }
func (o forLoops) Apply(s *run.Settings) { o(s) }

// forAll is an option for supervisors, too.
type forAll struct{ forLoops }

func (forAll) ForSupervisor() {}

// named is the option of a name.
type named string

func (n named) configure(s *settings) { s.shared.Name = string(n) }
func (n named) Apply(s *run.Settings) { s.Name = string(n) }
func (n named) ForSupervisor()        {}

func (n named) Resolve(o *series.Options) error {
	o.Name = string(n)
	return nil
}

// settings are what options set. They do not change after construction, but for the tunables and
// the maximum size.
type settings struct {
	tunables
	maximum int // 0 for as many as the core size; the lock of the pool guards it

	shared       run.Settings
	growFirst    bool
	sizesFixed   bool
	waitsIn      Queue // of a plain pool
	pendingLimit int
	before       run.Hooks[func(context.Context, Run)]
	after        run.Hooks[func(context.Context, Run, error)]
	terminated   run.Hooks[func()]
	decorate     []func(Task) Task
}

// defaultKeepAlive is how long a worker above the core size, or the only worker of a pool of core
// size 0, stays idle before it ends. It is the JDK's figure; starting a goroutine again is cheap.
const defaultKeepAlive = 10 * time.Millisecond

func (s *settings) init(core int, plain bool, opts []Option) {
	s.keepAlive.Store(defaultKeepAlive)
	s.setPolicy(Abort)
	s.executeDelayed.Store(true)
	if plain {
		s.waitsIn = FIFO()
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
	if !plain && s.waitsIn.make != nil {
		panic("executor: a scheduled pool has a queue of its own")
	}
	if !plain && s.maximum == 0 {
		s.maximum = math.MaxInt
	}
	if s.maximum > 0 && core > s.maximum {
		panic(fmt.Sprintf("executor: core size %d is above the maximum size %d", core, s.maximum))
	}
	if s.coreTimeout.Load() && s.keepAlive.Load() == 0 {
		panic("executor: core timeout needs a keep-alive above 0")
	}
}

// Name names a pool, or an event loop, in logs, errors and statistics, and as the pprof label "pool" of
// its goroutines; a supervisor likewise, and its runs; and a task in logs, errors, hooks and reports,
// and as the pprof label "task" of its runs. It is taken as it is, whatever its length and bytes.
func Name(name string) NameOption { return named(name) }

// MaximumSize lets a [Pool] grow above its core size while more tasks wait than its queue holds, and
// bounds what the core size may be set to. A scheduled pool does not grow above its core size by
// itself, since its queue never refuses. It panics if n < 1.
func MaximumSize(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("executor: maximum size %d is below 1", n))
	}
	return option(func(s *settings) { s.maximum = n })
}

// GrowFirst lets a [Pool] grow up to the maximum size before a task waits, instead of only when the
// queue is full. A scheduled pool ignores it.
func GrowFirst() Option { return option(func(s *settings) { s.growFirst = true }) }

// KeepAlive sets how long a worker above the core size stays idle before it ends; 10 ms by
// default. It panics if d is negative.
func KeepAlive(d time.Duration) Option {
	if d < 0 {
		panic(fmt.Sprintf("executor: negative keep-alive %v", d))
	}
	return option(func(s *settings) { s.keepAlive.Store(d) })
}

// CoreTimeout makes core workers end too after the keep-alive, when they are idle. A worker that
// waits for the next task stays however far that is.
func CoreTimeout() Option { return option(func(s *settings) { s.coreTimeout.Store(true) }) }

// PendingLimit bounds the accepted tasks that have not begun, whatever workers are free. What becomes of
// a submission beyond is up to the [RejectionPolicy]; Schedule and its kin fail with [ErrSaturated]. The
// next run of a periodic task is never refused. The limit does not make a [Pool] grow: a queue that is
// [Queue.Bounded] does. It panics if n < 1.
func PendingLimit(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("executor: pending limit %d is below 1", n))
	}
	return option(func(s *settings) { s.pendingLimit = n })
}

// BaseContext sets the context that the contexts of all runs derive from; context.Background by
// default. When it ends, running tasks see that in theirs; the pool goes on. Its methods are
// called on the goroutines of the pool, too, and must not panic. It panics if ctx is nil. A
// supervisor has none: the contexts of its runs are those of its pool.
func BaseContext(ctx context.Context) LoopOption {
	if ctx == nil {
		panic("executor: nil base context")
	}
	return forLoops(func(s *run.Settings) { s.Base = ctx })
}

// Logger sets where the pool reports panics, and failures that nothing else would show, as
// [ErrorHandler] and [OnError] say; slog.Default by default, also for nil. A logger of
// slog.DiscardHandler silences it. An event loop does likewise. A supervisor reports panics of its
// callbacks there.
func Logger(l *slog.Logger) CommonOption {
	return forAll{func(s *run.Settings) { s.Logger = l }}
}

// ErrorHandler sets a function that is told of every failure without a future of its own: of a task
// given to Execute, of a run of a periodic task, and of a hook; and of every panic and
// runtime.Goexit of a task, once, whoever holds its future, and also if that has been cancelled.
// What a task returns that has a future and runs once is for its future alone.
//
// Without a handler these are logged, with the stack of a panic; [OnError] says how much of a
// series that goes on. The end of a series by a failure is logged in any case. The handler runs on
// the worker, or at the moment when a run of a series outlives its [Timeout] on a goroutine of its
// own, beside the body that still runs; the pool does not end before it has returned. If it panics,
// that is logged. Its context is the base context. A nil handler is none. Several are told one after
// another, in the order given; one that panics, or calls Goexit, keeps none of the others from being
// told.
//
// An event loop does likewise. A supervisor tells of panics of its callbacks: of its task the pool
// does.
func ErrorHandler(f func(ctx context.Context, run Run, err error)) CommonOption {
	return forAll{func(s *run.Settings) {
		if f != nil {
			s.OnError = append(s.OnError, func(ctx context.Context, info run.Info, err error) {
				f(ctx, Run(info), err)
			})
		}
	}}
}

// BeforeRun sets a hook that is called before each run, on its goroutine, with its context. If it
// panics, the handler is told and the run goes on; if it calls Goexit, the run fails with that; if the
// task is cancelled meanwhile, its body is not called. A nil hook is none. Several are called in the
// order given, whatever becomes of the others.
func BeforeRun(f func(ctx context.Context, run Run)) Option {
	return option(func(s *settings) {
		if f != nil {
			s.before = append(s.before, f)
		}
	})
}

// AfterRun sets a hook that is called after each run, on its goroutine, once the future of a last run
// is settled and before the next run of a series is queued, with the error of the run. Its context
// is that of the run, which has ended. If it panics, the handler is told. A nil hook is none. Of
// several the last given is called first, so that they nest around the run with those of
// [BeforeRun]; all are called, whatever becomes of the others.
func AfterRun(f func(ctx context.Context, run Run, err error)) Option {
	return option(func(s *settings) {
		if f != nil {
			s.after = slices.Insert(s.after, 0, f)
		}
	})
}

// AfterTermination sets a hook that is called once, on a goroutine of its own, when the last worker has
// ended and before Terminated closes. If it panics, the handler is told. A nil hook is none. Several
// are called in the order given, whatever becomes of the others.
func AfterTermination(f func()) Option {
	return option(func(s *settings) {
		if f != nil {
			s.terminated = append(s.terminated, f)
		}
	})
}

// Decorate sets a function that is called once for each submission, by the submitter, and returns
// the task to run in place of the given one. A nil result is refused with [ErrNilTask]; a panic is
// that of the submission. A nil function is none. Several are called in the order given, each with
// what the one before has returned: the last is the outermost.
func Decorate(f func(Task) Task) Option {
	return option(func(s *settings) {
		if f != nil {
			s.decorate = append(s.decorate, f)
		}
	})
}
