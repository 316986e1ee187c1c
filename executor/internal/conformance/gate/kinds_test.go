package gate_test

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

type (
	task    = executor.Task
	options = []executor.TaskOption
	handle  = executor.ScheduledFuture[struct{}]
)

// system is what pools and loops have in common.
type system interface {
	Submit(task, ...executor.TaskOption) (*future.Future[struct{}], error)
	Execute(task, ...executor.TaskOption) error
	Close() error
	CloseContext(context.Context) (executor.Report, error)
	Shutdown()
	ShutdownNow() []executor.Pending
	AwaitTermination(context.Context) error
	Terminated() <-chan struct{}
	AfterShutdown(func()) (stop func() bool)
}

// timed is what those have that know times.
type timed interface {
	Schedule(time.Duration, task, ...executor.TaskOption) (*handle, error)
	AtFixedRate(initial, period time.Duration, t task, opts ...executor.TaskOption) (*handle, error)
	On(executor.Calendar, task, ...executor.TaskOption) (*handle, error)
}

// kind is a kind of executor.
type kind struct {
	name string
	loop bool
	make func(opts []executor.Option, loopOpts []eventloop.Option) system
}

var kinds = []kind{
	{name: "plain pool", make: func(opts []executor.Option, _ []eventloop.Option) system {
		return executor.NewPool(2, append(opts, executor.Queue(queue.Bounded(6)))...)
	}},
	{name: "scheduled pool", make: func(opts []executor.Option, _ []eventloop.Option) system {
		return executor.NewScheduledPool(2, opts...)
	}},
	{name: "serial", make: func(opts []executor.Option, _ []eventloop.Option) system {
		p := executor.NewScheduledPool(2, opts...)
		return confined{p, serial.New(p)}
	}},
	{name: "loop", loop: true, make: func(_ []executor.Option, opts []eventloop.Option) system {
		return eventloop.New(opts...)
	}},
}

// confined is a pool whose tasks without a period go through a Serial.
type confined struct {
	*executor.ScheduledPool
	serial *serial.Serial
}

func (c confined) Submit(t task, o ...executor.TaskOption) (*future.Future[struct{}], error) {
	return c.serial.Submit(t, o...)
}

func (c confined) Execute(t task, o ...executor.TaskOption) error { return c.serial.Execute(t, o...) }

func (c confined) Schedule(
	d time.Duration, t task, o ...executor.TaskOption,
) (*handle, error) {
	return c.serial.Schedule(d, t, o...)
}
