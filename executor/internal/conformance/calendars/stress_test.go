package calendars_test

import (
	"context"
	"math/rand/v2"
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
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/wall/walltest"
)

// moody is a calendar with a state of its own, which it guards, and which misbehaves now and then.
type moody struct {
	mu    sync.Mutex
	every every
	asked int
	fault int          // every so many questions; 0 for never
	trick func(by int) // called then
}

func (m *moody) Next(after time.Time) time.Time {
	m.mu.Lock()
	m.asked++
	now := m.asked
	m.mu.Unlock()
	if m.fault > 0 && now%m.fault == 0 {
		m.trick(now)
	}
	return m.every.Next(after)
}

func TestCommandsAndStepsFromEverywhere(t *testing.T) {
	kinds := map[string]func(s *stage){
		"pool": func(s *stage) { s.s = executor.NewScheduledPool(3, pooltest.Quiet()) },
		"loop": func(s *stage) { s.s = eventloop.New(quietly()) },
	}
	for name, open := range kinds {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			for round := range rounds(t) {
				if round == rounds(t)-2 {
					linger(t)
				}
				s := &stage{t: t, wall: walltest.Use(t)}
				open(s)
				s.besiege(round)
			}
		})
	}
}

// linger holds those up, now and then, who are between two steps.
func linger(t *testing.T) {
	t.Cleanup(delay.Set(func(p delay.Point) {
		switch n := rand.IntN(100); {
		case p.Locked() || n < 20:
			runtime.Gosched()
		case n < 25:
			time.Sleep(rand.N(200 * time.Microsecond))
		case n == 25:
			time.Sleep(2 * time.Millisecond)
		}
	}))
}

func rounds(t *testing.T) int {
	if testing.Short() {
		return 4
	}
	return 12
}

// besiege has many series and tasks on the wall clock, commands for all of them and a clock that is
// set, all at once, and demands that each future is settled and nothing is lost.
func (s *stage) besiege(round int) {
	var futures []*executor.ScheduledFuture[struct{}]
	var overlaps atomic.Int64
	for i := range 12 {
		f, ok := s.enter(i, &overlaps)
		if ok {
			futures = append(futures, f)
		}
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() { s.command(futures, 200, i) })
	}
	group.Go(func() {
		for range 60 {
			s.wall.Step(time.Duration(rand.Int64N(int64(10*hour)) - int64(5*hour)))
			runtime.Gosched()
		}
	})
	group.Go(func() {
		for i := range 20 {
			if f, ok := s.enter(i, &overlaps); ok {
				f.Next()
				f.Cancel()
			}
		}
	})
	if round%3 == 0 {
		group.Go(func() { time.Sleep(time.Millisecond); s.shutdownNow() })
	}
	group.Wait()
	s.shutdownAs(round)
	for i, f := range futures {
		select {
		case <-f.Done():
		case <-time.After(time.Minute):
			s.t.Fatalf("future %d of round %d is not settled: %v", i, round, f)
		}
	}
	require.NoError(s.t, s.s.Close())
	assert.Zero(s.t, overlaps.Load(), "runs overlap")
	s.lostNothing()
	assert.Zero(s.t, s.wall.Watchers())
}

// enter submits a task of one of several kinds.
func (s *stage) enter(i int, overlaps *atomic.Int64) (*executor.ScheduledFuture[struct{}], bool) {
	var inside atomic.Bool
	body := func(ctx context.Context) error {
		if !inside.CompareAndSwap(false, true) {
			overlaps.Add(1)
		}
		defer inside.Store(false)
		r, _ := executor.RunFrom(ctx)
		switch r.Number % 7 {
		case 2:
			return errBoom
		case 4:
			executor.NextIn(ctx, 50*time.Microsecond)
		case 6:
			runtime.Gosched()
		}
		return nil
	}
	m := &moody{every: every(200 * time.Microsecond)}
	opts := []executor.TaskOption{executor.CatchUp([]executor.CatchUpPolicy{
		executor.Coalesce, executor.Skip, executor.Coalesce}[i%3])}
	switch i % 8 {
	case 1:
		m.fault, m.trick = 50, func(int) { panic(errBoom) }
	case 2:
		m.fault, m.trick = 60, func(int) { runtime.Goexit() }
	case 3:
		m.fault, m.trick = 3, func(int) { _, _ = s.s.Schedule(0, pooltest.Nothing) }
	case 4:
		opts = append(opts, executor.Retry(2, retry.Backoff{Base: time.Microsecond, Factor: 1}))
	case 5:
		opts = append(opts, executor.BeginWithin(hour), executor.Jitter(100*time.Microsecond))
	case 6:
		opts = append(opts, executor.PauseAfter(1), executor.MaxRuns(40))
	case 7:
		f, err := s.s.ScheduleAt(s.wall.Now().Add(time.Millisecond), body, executor.WallClock())
		return f, err == nil
	}
	var c executor.Calendar = m
	if i%2 == 0 {
		c = like{m}
	}
	f, err := s.s.On(c, body, opts...)
	return f, err == nil
}

// command gives series n commands at random. A calendar may end the goroutine that asks it.
func (s *stage) command(futures []*executor.ScheduledFuture[struct{}], n, seed int) {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	for n > 0 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ; n > 0; n-- {
				f := futures[r.IntN(len(futures))]
				switch r.IntN(12) {
				case 0, 1, 2:
					f.Pause()
				case 3, 4, 5, 6:
					n--
					f.Resume()
				case 7:
					f.Trigger()
				case 8:
					f.Reset(time.Duration(r.Int64N(int64(time.Millisecond))))
				case 9:
					f.Next()
					f.Last()
					f.Delay()
				case 10:
					if r.IntN(20) == 0 {
						f.Cancel()
					}
				case 11:
					f.Withdraw()
				}
			}
		}()
		<-done
	}
}

// shutdownAs shuts down in one of several ways.
func (s *stage) shutdownAs(round int) {
	p, ok := s.s.(*executor.ScheduledPool)
	switch {
	case !ok:
		s.shutdownNow()
	case round%4 == 1:
		p.SetContinuePeriodicAfterShutdown(true)
		p.Shutdown()
		time.Sleep(time.Millisecond)
		p.SetContinuePeriodicAfterShutdown(false)
		p.SetExecuteDelayedAfterShutdown(false)
	case round%4 == 2:
		p.Drain()
		p.Shutdown()
		p.SetExecuteDelayedAfterShutdown(false)
	default:
		_ = p.Close()
	}
}
