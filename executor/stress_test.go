package executor_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// TestStress throws everything at a pool from eight goroutines on the real clock, shuts it down in
// the middle in one of four ways, and then does the accounts. A round takes a few milliseconds; the
// test goes on for a second, or for the duration in the environment variable PUNCTUAL_STRESS. It
// is worth most under the race detector, which also shuffles the scheduler.
func TestStress(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	length := time.Second
	if d, err := time.ParseDuration(os.Getenv("PUNCTUAL_STRESS")); err == nil {
		length = d
	}
	rounds := 0
	for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); rounds++ {
		stressRound(t)
	}
	t.Logf("%d rounds", rounds)
}

type stress struct {
	pool *executor.ScheduledPool

	mu      sync.Mutex
	futures []*future.Future[struct{}]
}

func stressRound(t *testing.T) {
	s := &stress{pool: quiet(rand.IntN(4), executor.KeepAlive(time.Duration(rand.IntN(200))*time.Microsecond))}
	var parties sync.WaitGroup
	for range 8 {
		parties.Go(func() {
			for range 60 {
				s.step()
			}
		})
	}
	time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	s.shutDown(t)
	parties.Wait()
	s.pool.ShutdownNow() // what the policies have kept
	require.NoError(t, s.pool.AwaitTermination(t.Context()))

	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.futures {
		_, settled := f.Poll()
		require.True(t, settled, "a future outlives its pool")
		<-f.Stopped()
	}
	stats := s.pool.Stats()
	assert.Equal(t, stats.Accepted, stats.Completed+stats.Cancelled+stats.Returned, "%+v", stats)
	assert.Zero(t, stats.Queued+stats.Busy+stats.Workers, "%+v", stats)
}

func (s *stress) shutDown(t *testing.T) {
	switch rand.IntN(4) {
	case 0:
		s.pool.SetContinuePeriodicAfterShutdown(rand.IntN(2) == 0)
		s.pool.Shutdown()
	case 1:
		s.pool.ShutdownNow()
	case 2:
		require.NoError(t, s.pool.Close())
	case 3:
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(1000))*time.Microsecond)
		defer cancel()
		_, _ = s.pool.CloseContext(ctx)
	}
}

// step is one random act of one party.
func (s *stress) step() {
	p, delay := s.pool, time.Duration(rand.IntN(1000))*time.Microsecond
	switch rand.IntN(14) {
	case 0, 1:
		_ = p.Execute(s.body())
	case 2:
		f, _ := p.Submit(s.body(), executor.Timeout(1+delay/4))
		s.keep(f)
	case 3, 4, 5:
		if f, err := p.Schedule(delay, s.body()); err == nil {
			s.keep(f.Future)
		}
	case 6:
		f, err := p.AtFixedRate(delay, 1+delay/8, s.body(), executor.MaxRuns(1+rand.IntN(9)), executor.OnError(executor.Continue),
			executor.CatchUp(executor.CatchUpPolicy(rand.IntN(3))))
		if err == nil {
			s.keep(f.Future)
		}
	case 7:
		if f, err := p.WithFixedDelay(delay, 1+delay/8, s.body(), executor.Timeout(50*time.Microsecond)); err == nil {
			s.keep(f.Future)
		}
	case 8, 9, 10:
		s.disturb(s.any())
	case 11:
		_ = p.SetCoreSize(rand.IntN(4))
	case 12:
		_ = p.SetCoreTimeout(rand.IntN(2) == 0)
	case 13:
		_, _ = p.Queued(), p.Running()
	}
}

// disturb does something to a future.
func (s *stress) disturb(f *future.Future[struct{}]) {
	if f == nil {
		return
	}
	switch rand.IntN(5) {
	case 0:
		f.Cancel()
	case 1:
		f.Stop()
	case 2:
		f.CancelCause(errors.New("disturbed"))
	case 3:
		_, _ = f.GetTimeout(time.Duration(rand.IntN(100)) * time.Microsecond)
	case 4:
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(100))*time.Microsecond)
		defer cancel()
		_, _ = f.Get(ctx)
	}
}

func (s *stress) keep(f *future.Future[struct{}]) {
	if f == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.futures = append(s.futures, f)
}

func (s *stress) any() *future.Future[struct{}] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.futures) == 0 {
		return nil
	}
	return s.futures[rand.IntN(len(s.futures))]
}

// body returns a task that does one of the things tasks do.
func (s *stress) body() executor.Task {
	switch rand.IntN(9) {
	case 0:
		return func(context.Context) error { panic("stress") }
	case 1:
		return func(context.Context) error { runtime.Goexit(); return nil }
	case 2:
		return func(context.Context) error { return badError() }
	case 3:
		return func(ctx context.Context) error {
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Microsecond):
			}
			return ctx.Err()
		}
	case 4:
		return func(ctx context.Context) error {
			derived, cancel := context.WithTimeout(ctx, 20*time.Microsecond)
			defer cancel()
			<-derived.Done()
			return nil
		}
	case 5:
		return func(ctx context.Context) error { s.disturb(s.any()); return ctx.Err() }
	case 6:
		return func(ctx context.Context) error {
			if _, ok := executor.RunFrom(ctx); !ok {
				panic("no run")
			}
			return s.pool.Execute(nothing)
		}
	default:
		return nothing
	}
}
