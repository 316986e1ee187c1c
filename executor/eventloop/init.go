package eventloop

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/alarm"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
	"github.com/punctual-go/punctual/internal/wall"
)

// New returns a loop. It starts no goroutine yet, and panics on a bad option. Inside a
// testing/synctest bubble the loop runs on the bubble's clock, and must be used and closed there.
func New(opts ...Option) *Loop {
	settings := newSettings(opts)
	// Every time is above awake and absent, the special values of next, and above 0, the Started of
	// a task that has not run.
	c := clock.New(1)
	l := &Loop{
		clock: c,
		rest:  rest{alarm: alarm.New(c), call: make(chan struct{}, 1), woke: -clock.Never},
		life:  life{gone: make(chan struct{})},
	}
	l.door.loop, l.waiting.loop = l, l
	l.worker.loop, l.rest.loop, l.life.loop = l, l, l
	l.rest.slack = settings.SlackOr(l.rest.alarm.Virtual())
	l.life.closing, l.life.announce = context.WithCancel(context.Background())
	l.rest.next.Store(absent)
	l.waiting.notices.heedLocked(false)
	l.runs.Make(run.Env{
		Reporter: run.Reporter{Settings: settings, Kind: "loop", ErrShutdown: executor.ErrShutdown},
		Clocks:   run.Clocks{Clock: c, Wall: wall.New()},
		Host:     (*host)(l),
		Lock:     &l.mu,
		Counts:   &l.counts.Counts,
		Size:     1,
	})
	l.worker.exec.Owner = &l.runs
	sight.Open(&l.runs, (*crew)(l), false)
	l.door.submitted = l.door.newPlan(series.Options{})
	l.door.executed = l.door.newPlan(series.Options{})
	l.door.executed.Reports = true
	l.worker.labels = run.LabelsOf(l.runs.Unnamed)
	return l
}
