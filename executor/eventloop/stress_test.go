package eventloop_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// TestStressExactlyOneEnd has eight goroutines arm, cancel, and wait, on the real clock, against a
// shutdown in one of five ways, and then does the accounts: every future is settled, no body runs,
// nothing is lost or counted twice. It goes on for a third of a second, or for the duration in the
// environment variable PUNCTUAL_STRESS.
func TestStressExactlyOneEnd(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	length := 300 * time.Millisecond
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
	loop    *eventloop.Loop
	begun   atomic.Int64 // bodies
	refused atomic.Uint64
	taken   atomic.Uint64

	mu      sync.Mutex
	futures []*future.Future[struct{}]
}

func stressRound(t *testing.T) {
	s := &stress{loop: quiet()}
	var parties sync.WaitGroup
	for range 8 {
		parties.Go(func() {
			for range 80 {
				s.step()
			}
		})
	}
	time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond)
	s.shutDown(t)
	parties.Wait()
	s.loop.ShutdownNow() // what is left for later
	require.NoError(t, s.loop.AwaitTermination(t.Context()))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.futures {
		_, settled := f.Poll()
		require.True(t, settled, "a future outlives its loop")
		<-f.Stopped()
	}
	stats := s.loop.Stats()
	assert.EqualValues(t, s.begun.Load(), stats.Runs)
	assert.Equal(t, s.taken.Load(), stats.Accepted)
	assert.Equal(t, s.refused.Load(), stats.Rejected)
	assertBalanced(t, s.loop)
}

func (s *stress) shutDown(t *testing.T) {
	switch rand.IntN(5) {
	case 0:
		s.loop.Shutdown()
	case 1:
		s.loop.ShutdownNow()
	case 2:
		require.NoError(t, s.loop.Close())
	case 3:
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(500))*time.Microsecond)
		defer cancel()
		_, _ = s.loop.CloseContext(ctx)
	case 4:
		require.NoError(t, s.loop.ShutdownGracefully(time.Duration(rand.IntN(100))*time.Microsecond, time.Millisecond))
	}
}

// step is one random act of one party.
func (s *stress) step() {
	delay := time.Duration(rand.IntN(500)) * time.Microsecond
	switch rand.IntN(9) {
	case 0:
		s.count(s.loop.Execute(s.body()))
	case 1:
		f, err := s.loop.Submit(s.body(), executor.Timeout(1+delay))
		s.keep(f, err)
	case 2, 3:
		s.keepScheduled(s.loop.Schedule(delay, s.body()))
	case 4:
		s.keepScheduled(s.loop.AtFixedRate(delay, 1+delay/8, s.body(), executor.MaxRuns(1+rand.IntN(9)),
			somePolicy(), executor.CatchUp(executor.CatchUpPolicy(rand.IntN(3)))))
	case 5:
		s.keepScheduled(s.loop.WithFixedDelay(delay, 1+delay/8, s.body(), executor.Timeout(50*time.Microsecond), somePolicy()))
	case 6, 7:
		s.disturb(s.any())
	case 8:
		_ = s.loop.Stats()
	}
}

func somePolicy() executor.TaskOption {
	return executor.FailurePolicy(executor.ErrorPolicy(rand.IntN(3)))
}

func (s *stress) disturb(f *future.Future[struct{}]) {
	if f == nil {
		return
	}
	switch rand.IntN(4) {
	case 0:
		f.Cancel()
	case 1:
		f.Stop()
	case 2:
		f.CancelCause(errors.New("disturbed"))
	case 3:
		_, _ = f.GetTimeout(time.Duration(rand.IntN(100)) * time.Microsecond)
	}
}

// body returns a task that does one of the things tasks do.
func (s *stress) body() executor.Task {
	var body executor.Task
	switch rand.IntN(7) {
	case 0:
		body = func(context.Context) error { panic("stress") }
	case 1:
		body = func(context.Context) error { runtime.Goexit(); return nil }
	case 2:
		body = func(context.Context) error { return pooltest.ErrTask }
	case 3:
		body = func(ctx context.Context) error {
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Microsecond):
			}
			return ctx.Err()
		}
	case 4:
		body = s.inside
	default:
		body = pooltest.Nothing
	}
	return func(ctx context.Context) error { s.begun.Add(1); return body(ctx) }
}

// inside is a task that uses its turn.
func (s *stress) inside(ctx context.Context) error {
	turn, ok := s.loop.Turn(ctx)
	if !ok {
		return nil // cancelled by now
	}
	f, err := turn.Schedule(time.Duration(rand.IntN(100))*time.Microsecond, func(context.Context) error { s.begun.Add(1); return nil })
	s.keepScheduled(f, err)
	if err == nil && rand.IntN(2) == 0 {
		turn.Cancel(f)
	}
	return nil
}

func (s *stress) count(err error) {
	if err != nil {
		s.refused.Add(1)
		return
	}
	s.taken.Add(1)
}

func (s *stress) keepScheduled(f *executor.ScheduledFuture[struct{}], err error) {
	if err != nil {
		s.keep(nil, err)
		return
	}
	s.keep(f.Future, nil)
}

func (s *stress) keep(f *future.Future[struct{}], err error) {
	if s.count(err); err != nil {
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

// TestNoWakeUpIsLostOnTheRealClock has submitters meet a loop that is just about to sleep, or to
// leave: each waits for what it has submitted, so a lost wake-up hangs.
func TestNoWakeUpIsLostOnTheRealClock(t *testing.T) {
	l := quiet()
	far, err := l.Schedule(time.Hour, pooltest.Nothing)
	require.NoError(t, err)
	var parties sync.WaitGroup
	for party := range 3 {
		parties.Go(func() {
			for i := range 3000 {
				delay := time.Duration(rand.IntN(1+i%3*20)) * time.Microsecond
				f, err := l.Schedule(delay, pooltest.Nothing)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := f.GetTimeout(time.Minute); err != nil {
					t.Error(err)
					return
				}
				if party == 0 && i == 1500 {
					far.Cancel() // from here on the loop leaves again and again
				}
			}
		})
	}
	parties.Wait()
	t.Logf("%+v", l.Stats())
	require.NoError(t, l.Close())
	assertBalanced(t, l)
}
