package gate_test

import (
	"context"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

// row is a callback.
type row struct {
	name string
	// told is what the log says when the callback fails; "" if whoever made the call gets that.
	told string
	// noLoop and noPlain say which executors do not have it.
	noLoop, noPlain, onlyPlain bool

	loop func(l *life) executor.CommonOption // one of these sets it, except for what live sets
	pool func(l *life) executor.Option
	task func(l *life) executor.TaskOption
}

func (r row) loopOptions(l *life) (opts []executor.CommonOption) {
	if r.loop != nil {
		opts = append(opts, r.loop(l))
	}
	return opts
}

func (r row) poolOptions(l *life) (opts []executor.Option) {
	if r.pool != nil {
		opts = append(opts, r.pool(l))
	}
	return opts
}

func (r row) taskOptions(l *life) (opts options) {
	if r.task != nil {
		opts = append(opts, r.task(l))
	}
	return opts
}

// function returns a function that misbehaves if it is the callback of the row.
func (r row) function(l *life, name string) func() {
	if r.name != name {
		return func() {}
	}
	return l.misbehave
}

func (r row) settled(l *life) func(future.Result[struct{}]) {
	f := r.function(l, "AfterSettled")
	return func(future.Result[struct{}]) { f() }
}

func (r row) calendar(l *life) executor.Calendar {
	return &calendar{misbehave: r.function(l, "Calendar")}
}

// calendar has a time each second. It behaves until it has been accepted.
type calendar struct {
	asked     int
	misbehave func()
}

func (c *calendar) Next(after time.Time) time.Time {
	if c.asked++; c.asked > 1 {
		c.misbehave()
	}
	return after.Truncate(time.Second).Add(time.Second)
}

type writer struct{ misbehave func() }

func (w writer) Write(b []byte) (int, error) {
	w.misbehave()
	return len(b), nil
}

type handler struct {
	slog.Handler
	misbehave func()
}

func (h handler) Enabled(context.Context, slog.Level) bool { return true }

func (h handler) Handle(context.Context, slog.Record) error {
	h.misbehave()
	return nil
}

// unheard is what is told of a failing log handler: there is nothing to tell it to.
const unheard = "-"

func rows() []row {
	all := append(observers(), []row{
		{name: "BeforeRun", told: "before-run hook", noLoop: true, pool: func(l *life) executor.Option {
			return executor.BeforeRun(func(context.Context, executor.Run) { l.misbehave() })
		}},
		{name: "AfterRun", told: "after-run hook", noLoop: true, pool: func(l *life) executor.Option {
			return executor.AfterRun(func(context.Context, executor.Run, error) { l.misbehave() })
		}},
		{name: "AfterTermination", told: "terminated hook", noLoop: true,
			pool: func(l *life) executor.Option { return executor.AfterTermination(l.misbehave) }},
		{name: "Decorate", noLoop: true, pool: func(l *life) executor.Option {
			return executor.Decorate(func(t executor.Task) executor.Task { l.misbehave(); return t })
		}},
		{name: "OnRejection", onlyPlain: true, pool: func(l *life) executor.Option {
			return executor.OnRejection(func(*rejection.Task) error {
				l.misbehave()
				return executor.ErrSaturated
			})
		}},
		{name: "ErrorHandler", told: "error handler failed", loop: func(l *life) executor.CommonOption {
			return executor.ErrorHandler(func(context.Context, executor.Run, error) { l.misbehave() })
		}},
		{name: "Logger", told: unheard, loop: func(l *life) executor.CommonOption {
			return executor.Logger(slog.New(handler{slog.DiscardHandler, l.misbehave}))
		}},
		{name: "OnHealth", told: "health hook", noPlain: true, loop: func(l *life) executor.CommonOption {
			return executor.Watch(insight.Config{OnHealth: func(insight.Health) { l.misbehave() }})
		}},
		{name: "OnLate", told: "on-late hook", loop: func(l *life) executor.CommonOption {
			return executor.Watch(insight.Config{OnLateAfter: time.Millisecond,
				OnLate: func(insight.LateRun) { l.misbehave() }})
		}},
		{name: "Record", told: "record hook", loop: func(l *life) executor.CommonOption {
			return executor.Watch(insight.Config{Record: writer{l.misbehave}})
		}},
		{name: "DelayBy", told: "DelayBy hook", noPlain: true, task: func(l *life) executor.TaskOption {
			return executor.DelayBy(func(executor.LastRun) (time.Duration, bool) {
				l.misbehave()
				return time.Second, true
			})
		}},
		{name: "AfterShutdown", told: "after-shutdown hook"},
		{name: "AfterSettled", told: "AfterSettled function failed"},
		{name: "Calendar", told: "periodic task ended by a failure", noPlain: true},
	}...)
	return all
}

// notRows are functions that take user code and have no row, each with its reason.
var notRows = map[string]string{
	"Observe":     "each field of Observer has a row",
	"Queue":       "a queue.WorkQueue is data of the pool, and called with its lock held",
	"BaseContext": "must not panic, as documented; contexts are data",
	"WithContext": "likewise",
	"WithValues":  "likewise",
	"Defaults":    "takes options, each of which has a row",
	"Expect":      "takes expectations, which are data",
}

// observers returns a row for each field of Observer.
func observers() (rows []row) {
	fields := reflect.TypeFor[executor.Observer]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		rows = append(rows, row{
			name:    "Observer." + f.Name,
			told:    strings.ToLower(f.Name) + " hook",
			noPlain: f.Name == "Paused" || f.Name == "Resumed" || f.Name == "Missed",
			loop: func(l *life) executor.CommonOption {
				var o executor.Observer
				reflect.ValueOf(&o).Elem().Field(i).Set(reflect.MakeFunc(f.Type,
					func([]reflect.Value) (results []reflect.Value) {
						l.misbehave()
						for i := range f.Type.NumOut() {
							results = append(results, reflect.Zero(f.Type.Out(i)))
						}
						return results
					}))
				return executor.Observe(o)
			},
		})
	}
	return rows
}
