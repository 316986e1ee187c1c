package chaos

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/shardcount"
)

// scheduledChaos is chaos on a ScheduledPool.
type scheduledChaos struct {
	*round
	pool *executor.ScheduledPool
}

func scheduledRound(r *round) {
	shardcount.Draw(r.rng.IntN)
	p := executor.NewScheduledPool(r.rng.IntN(4),
		executor.KeepAlive(micros(r.rng, 200)), executor.Logger(slog.New(slog.DiscardHandler)))
	s := &scheduledChaos{r, p}
	state := p.String
	r.state.Store(&state)
	r.run(60, s.step, s.end)
	p.ShutdownNow() // what the policies have kept
	<-p.Terminated()
	r.auditPool(p.Stats(), -1)
}

func (s *scheduledChaos) end(rng *rand.Rand) {
	switch rng.IntN(4) {
	case 0:
		s.pool.SetContinuePeriodicAfterShutdown(rng.IntN(2) == 0)
		s.pool.Shutdown()
	case 1:
		s.pool.ShutdownNow()
	case 2:
		s.demand(s.pool.Close() == nil, "Close has failed")
	case 3:
		ctx, cancel := context.WithTimeout(context.Background(), micros(rng, 1000))
		defer cancel()
		_, _ = s.pool.CloseContext(ctx)
	}
}

// step is one random operation of a participant.
func (s *scheduledChaos) step(rng *rand.Rand) {
	p, delay := s.pool, micros(rng, 1000)
	switch rng.IntN(14) {
	case 0, 1:
		rec, task := s.track(0, s.body(rng))
		s.record(rec, nil, p.Execute(task))
	case 2:
		rec, task := s.track(0, s.body(rng))
		f, err := p.Submit(task, executor.Timeout(1+delay/4))
		s.record(rec, f, err)
	case 3, 4, 5:
		rec, task := s.track(delay, s.body(rng))
		f, err := p.Schedule(delay, task, s.steered(rng, rec)...)
		s.recordTimed(rec, f, err)
	case 6:
		s.atFixedRate(rng, delay)
	case 7:
		rec, task := s.track(delay, s.body(rng))
		rec.once, rec.delay = false, 1+delay/8
		opts := append(s.steered(rng, rec), executor.Timeout(50*time.Microsecond),
			someErrorPolicy(rng))
		f, err := p.WithFixedDelay(delay, rec.delay, task, opts...)
		s.recordTimed(rec, f, err)
	case 8, 9, 10:
		s.disturb(rng)
	case 11:
		_ = p.SetCoreSize(rng.IntN(4))
	case 12:
		_ = p.SetCoreTimeout(rng.IntN(2) == 0)
	case 13:
		_, _, _ = p.Queued(), p.Running(), p.Stats()
	}
}

func (s *scheduledChaos) atFixedRate(rng *rand.Rand, delay time.Duration) {
	ticks := rng.IntN(3) == 0
	rate := 1 + delay/8
	if ticks {
		delay = rate
	}
	rec, task := s.track(delay, s.body(rng))
	rec.once, rec.rate = false, rate
	opts := append(s.steered(rng, rec), executor.MaxRuns(1+rng.IntN(9)), someErrorPolicy(rng))
	if ticks {
		f, err := s.pool.Every(rec.rate, task, opts...)
		s.recordTimed(rec, f, err)
		return
	}
	opts = append(opts, executor.CatchUp(executor.CatchUpPolicy(rng.IntN(4))))
	f, err := s.pool.AtFixedRate(delay, rec.rate, task, opts...)
	s.recordTimed(rec, f, err)
}

func someErrorPolicy(rng *rand.Rand) executor.TaskOption {
	return executor.FailurePolicy(executor.ErrorPolicy(rng.IntN(3)))
}

// disturb does something to a task that has been accepted.
func (r *round) disturb(rng *rand.Rand) {
	rec := r.someRecord(rng.Int())
	if rec == nil {
		return
	}
	if rec.timed != nil && rng.IntN(2) == 0 {
		r.steer(rng, rec)
		return
	}
	f := rec.future
	switch rng.IntN(6) {
	case 0:
		rec.cancelledByUs.Store(true)
		f.Cancel()
	case 1:
		rec.cancelledByUs.Store(true)
		f.Stop()
	case 2:
		rec.cancelledByUs.Store(true)
		f.CancelCause(errors.New("disturbed"))
	case 3:
		_, _ = f.GetTimeout(micros(rng, 100))
	case 4:
		ctx, cancel := context.WithTimeout(context.Background(), micros(rng, 100))
		defer cancel()
		_, _ = f.Get(ctx)
	case 5:
		if f.Cancel() {
			rec.cancelledByUs.Store(true)
			r.demand(f.State().Settled() && !f.Cancel(), "a task was cancelled twice")
		}
	}
}

// body returns a task that does one of the things tasks do.
func (s *scheduledChaos) body(rng *rand.Rand) executor.Task {
	switch rng.IntN(9) {
	case 0:
		return func(context.Context) error { panic("chaos") }
	case 1:
		return func(context.Context) error { runtime.Goexit(); return nil }
	case 2:
		return func(context.Context) error { return badError() }
	case 3:
		return waitsBriefly
	case 4:
		return func(ctx context.Context) error {
			derived, cancel := context.WithTimeout(ctx, 20*time.Microsecond)
			defer cancel()
			<-derived.Done()
			return nil
		}
	case 5:
		return func(ctx context.Context) error {
			s.disturb(rand.New(rand.NewPCG(rand.Uint64(), 0)))
			return ctx.Err()
		}
	case 6:
		return func(ctx context.Context) error {
			if _, ok := executor.RunFrom(ctx); !ok {
				panic("no run")
			}
			rec, task := s.track(0, nothing)
			err := s.pool.Execute(task)
			s.record(rec, nil, err)
			return err
		}
	default:
		return nothing
	}
}

func nothing(context.Context) error { return nil }

// waitsBriefly waits for its end, though not for long.
func waitsBriefly(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Microsecond):
	}
	return ctx.Err()
}

// badError is an error of a kind that happens: a nil pointer in an error, whose methods panic.
func badError() error {
	var e *fs.PathError
	return e
}
