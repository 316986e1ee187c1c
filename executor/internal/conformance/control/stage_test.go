package control_test

import (
	"context"
	"errors"
	"sync"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// stage is where a story is played on a real scheduler.
type stage struct {
	*story
	began time.Time
	f     *executor.ScheduledFuture[struct{}]
	ready chan struct{} // closed once f is known

	mu      sync.Mutex // guards the rest
	calls   int
	log     []entry
	answers []bool
}

func newStage(t *rapid.T, s scheduler, st *story) *stage {
	g := &stage{story: st, began: time.Now(), ready: make(chan struct{})}
	for _, o := range st.obstacles {
		_, err := s.Schedule(o.at, func(context.Context) error { time.Sleep(o.lasts); return nil })
		requireNo(t, err)
	}
	start := s.WithFixedDelay
	if st.rate {
		start = s.AtFixedRate
	}
	f, err := start(st.initial, st.every, g.run, st.options()...)
	requireNo(t, err)
	g.f = f
	close(g.ready)
	return g
}

func requireNo(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// run is the body of the series.
func (g *stage) run(ctx context.Context) error {
	<-g.ready
	started := time.Now()
	r, _ := executor.RunFrom(ctx)
	g.mu.Lock()
	b := g.bodyOf(g.calls)
	g.calls++
	g.log = append(g.log, g.entry(r))
	g.mu.Unlock()
	for _, c := range b.commands {
		time.Sleep(time.Until(started.Add(c.at)))
		g.give(ctx, c)
	}
	time.Sleep(time.Until(started.Add(b.lasts)))
	switch b.ends {
	case fails:
		return errBoom
	case later:
		return retry.After(errBoom, b.after)
	case permanent:
		return retry.Permanent(errBoom)
	case panics:
		panic(errBoom)
	case skips:
		return executor.ErrSkipped
	}
	return nil
}

func (g *stage) entry(r executor.Run) entry {
	return entry{
		at: r.Started.Sub(g.began), scheduled: r.Scheduled.Sub(g.began), number: r.Number,
		missed: r.Missed, attempt: r.Attempt, extra: r.Triggered,
	}
}

// give gives a command, and notes what it returns.
func (g *stage) give(ctx context.Context, c command) {
	ok := false
	switch c.does {
	case pause:
		ok = g.f.Pause()
	case resume:
		ok = g.f.Resume()
	case trigger:
		ok = g.f.Trigger()
	case reset:
		ok = g.f.Reset(c.d)
	case setPeriod:
		ok = g.f.SetPeriod(c.d) == nil
	case nextIn:
		ok = executor.NextIn(ctx, c.d)
	case withdraw:
		ok = g.f.Withdraw()
	case cancel:
		ok = g.f.Cancel()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers = append(g.answers, ok)
}

// until lets time pass, until all that happens at the given time has happened.
func (g *stage) until(at time.Duration) {
	time.Sleep(time.Until(g.began.Add(at)))
	synctest.Wait()
}

// view looks at the series from outside.
func (g *stage) view() view {
	v := view{paused: g.f.Paused(), runs: g.f.Runs(), next: none, outcome: g.outcome()}
	if next, ok := g.f.Next(); ok {
		v.next = next.Sub(g.began)
	}
	if last, ok := g.f.Last(); ok {
		v.last, v.took = g.entry(last.Run), last.Took
		v.failed, v.skipped = last.Err != nil && !last.Skipped, last.Skipped
	}
	return v
}

func (g *stage) outcome() outcome {
	result, settled := g.f.Poll()
	switch {
	case !settled:
		return unsettled
	case errors.Is(result.Err, future.ErrCancelled):
		return cancelled
	case result.Err != nil:
		return failure
	}
	return success
}
