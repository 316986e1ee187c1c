package chaos

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// loopChaos is chaos on an event loop.
type loopChaos struct {
	*round
	loop *eventloop.Loop
}

func loopRound(r *round) {
	l := &loopChaos{r, eventloop.New(executor.Logger(slog.New(slog.DiscardHandler)))}
	state := l.loop.String
	r.state.Store(&state)
	r.run(60, l.step, l.end)
	l.loop.ShutdownNow()
	<-l.loop.Terminated()
	s := l.loop.Stats()
	r.auditPool(executor.Stats{
		Accepted: s.Accepted, Completed: s.Completed, Cancelled: s.Cancelled, Returned: s.Returned,
		Queued: s.Queued, Runs: s.Runs,
	}, -1)
}

func (l *loopChaos) end(rng *rand.Rand) {
	switch rng.IntN(4) {
	case 0:
		l.loop.Shutdown()
	case 1:
		l.loop.ShutdownNow()
	case 2:
		l.demand(l.loop.Close() == nil, "Close has failed")
	case 3:
		_ = l.loop.ShutdownGracefully(micros(rng, 300), micros(rng, 1000))
	}
}

func (l *loopChaos) step(rng *rand.Rand) {
	delay := micros(rng, 1000)
	switch rng.IntN(10) {
	case 0, 1, 2:
		rec, task := l.track(0, l.body(rng))
		l.record(rec, nil, l.loop.Execute(task))
	case 3:
		rec, task := l.track(0, l.body(rng))
		f, err := l.loop.Submit(task)
		l.record(rec, f, err)
	case 4, 5:
		rec, task := l.track(delay, l.body(rng))
		f, err := l.loop.Schedule(delay, task, l.steered(rng, rec)...)
		l.recordTimed(rec, f, err)
	case 6:
		rec, task := l.track(delay, l.body(rng))
		rec.once, rec.rate = false, 1+delay/8
		opts := append(l.steered(rng, rec), executor.MaxRuns(1+rng.IntN(9)),
			executor.CatchUp(executor.CatchUpPolicy(rng.IntN(4))))
		f, err := l.loop.AtFixedRate(delay, rec.rate, task, opts...)
		l.recordTimed(rec, f, err)
	case 7:
		rec, task := l.track(delay, l.body(rng))
		rec.once, rec.delay = false, 1+delay/8
		f, err := l.loop.WithFixedDelay(delay, rec.delay, task, l.steered(rng, rec)...)
		l.recordTimed(rec, f, err)
	case 8:
		l.disturb(rng)
	case 9:
		_, _ = l.loop.Running(), l.loop.Stats()
	}
}

// body returns a task that does one of the things tasks of a loop do: they don't wait.
func (l *loopChaos) body(rng *rand.Rand) executor.Task {
	switch rng.IntN(6) {
	case 0:
		return func(context.Context) error { panic("chaos") }
	case 1:
		return func(context.Context) error { return badError() }
	case 2:
		return func(context.Context) error {
			rec, task := l.track(10*time.Microsecond, nothing)
			f, err := l.loop.Schedule(10*time.Microsecond, task)
			if err == nil {
				l.record(rec, f.Future, nil)
			}
			return err
		}
	default:
		return nothing
	}
}
