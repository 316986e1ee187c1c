package eventloop

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/punctual-go/punctual/executor"
)

// Option configures a loop at its construction. A bad value panics there, with a text that says what is
// wrong, as it is a mistake in the program.
type Option interface{ configure(*settings) }

type option func(*settings)

func (o option) configure(s *settings) { o(s) }

// settings are what options set. They do not change after construction.
type settings struct {
	name    string
	parent  context.Context
	logger  *slog.Logger
	onError func(context.Context, executor.Run, error)
}

func newSettings(opts []Option) (s settings) {
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("eventloop: option %d is nil", i))
		}
		o.configure(&s)
	}
	return s
}

// Name names the loop in logs and statistics, and as the pprof label "pool" of its goroutine.
func Name(name string) Option { return option(func(s *settings) { s.name = name }) }

// BaseContext sets the context that the contexts of all runs derive from; context.Background by default.
// When it ends, the running task sees that in its own; the loop goes on. Its methods are called on
// the goroutine of the loop, too, and must not panic. It panics if ctx is nil.
func BaseContext(ctx context.Context) Option {
	if ctx == nil {
		panic("eventloop: nil base context")
	}
	return option(func(s *settings) { s.parent = ctx })
}

// Logger sets where the loop reports panics, and failures that nothing else would show, as
// [ErrorHandler] and [executor.OnError] say; slog.Default by default, also for nil. A logger of
// slog.DiscardHandler silences it.
func Logger(l *slog.Logger) Option { return option(func(s *settings) { s.logger = l }) }

// ErrorHandler sets a function that is told of every failure without a future of its own: of a task
// given to Execute, and of a run of a periodic task; and of every panic and runtime.Goexit of a
// task, once, whoever holds its future, and also if that has been cancelled. What a task returns
// that has a future and runs once is for its future alone.
//
// Without a handler these are logged, with the stack of a panic; [executor.OnError] says how much
// of a series that goes on. The end of a series by a failure is logged in any case. The handler
// runs on the loop, or at the moment when a run of a series outlives its time-out on a goroutine of
// its own, beside the body that still runs; the loop does not end before it has returned. If it
// panics, that is logged. Its context is the base context. A nil handler is none.
func ErrorHandler(f func(ctx context.Context, run executor.Run, err error)) Option {
	return option(func(s *settings) { s.onError = f })
}
