package control_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

const ms = time.Millisecond

func idle(context.Context) error { return nil }

func sleeps(d time.Duration) executor.Task {
	return func(context.Context) error { time.Sleep(d); return nil }
}

// requireExpires demands that f fails with ErrExpired, so long after it is asked.
func requireExpires(t *testing.T, f *future.Future[struct{}], after time.Duration) {
	t.Helper()
	begin := time.Now()
	_, err := f.Get(t.Context())
	require.ErrorIs(t, err, executor.ErrExpired)
	require.Equal(t, after, time.Since(begin).Truncate(ms), "a nanosecond later it is over")
	synctest.Wait() // it is counted once its future is settled
}

// Three sleepers hold all workers of any scheduler.
func TestExpiryIsToldWhenTheTimeIsOverNotWhenAWorkerIsFree(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		for range 3 {
			require.NoError(t, s.Execute(sleeps(10*time.Second)))
		}
		synctest.Wait()
		f, err := s.Submit(idle, executor.BeginWithin(100*ms))
		require.NoError(t, err)
		requireExpires(t, f, 100*ms)
		g, err := s.Schedule(time.Second, idle, executor.BeginWithin(100*ms))
		require.NoError(t, err)
		requireExpires(t, g.Future, 1100*ms)
		assert.Zero(t, g.Runs())
		assert.EqualValues(t, 2, booksOf(s).Expired)
		requireBalanced(t, s)
	})
}

func TestWhatHasExpiredTakesNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, quiet, executor.Queue(queue.Bounded(1)))
		defer p.Close()
		require.NoError(t, p.Execute(sleeps(10*time.Second)))
		synctest.Wait()
		_, err := p.Submit(idle, executor.BeginWithin(100*ms))
		require.NoError(t, err)
		_, err = p.Submit(idle)
		require.ErrorIs(t, err, executor.ErrSaturated)
		begin := time.Now()
		f, err := p.SubmitContext(t.Context(), idle)
		require.NoError(t, err, "it waits for the room")
		assert.Equal(t, 100*ms+1, time.Since(begin))
		assert.False(t, f.State().Settled())
	})
}

func TestATimeThatHasPassedCountsForBeginWithin(t *testing.T) {
	for name, opts := range map[string][]executor.TaskOption{"": nil, "wall": {executor.WallClock()}} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, s scheduler) {
				opts := append(opts, executor.BeginWithin(time.Minute))
				ran := false
				f, err := s.ScheduleAt(time.Now().Add(-time.Minute-1), func(context.Context) error { ran = true; return nil }, opts...)
				require.NoError(t, err)
				requireExpires(t, f.Future, 0)
				assert.False(t, ran)
				g, err := s.ScheduleAt(time.Now().Add(-time.Second), idle, opts...)
				require.NoError(t, err)
				_, err = g.Get(t.Context())
				require.NoError(t, err)
			})
		})
	}
}

func TestAWaitOfAnyKindCountsForBeginWithin(t *testing.T) {
	for name, wait := range map[string]func(p *executor.ScheduledPool) executor.Submitter{
		"a pause": func(p *executor.ScheduledPool) executor.Submitter { p.Pause(); return p },
		"a turn": func(p *executor.ScheduledPool) executor.Submitter {
			s := serial.New(p)
			_, _ = s.Submit(sleeps(time.Minute))
			return s
		},
		"a gap": func(p *executor.ScheduledPool) executor.Submitter {
			s := serial.New(p, serial.Gap(time.Minute))
			_, _ = s.Submit(idle)
			return s
		},
		"a pace of a serial": func(p *executor.ScheduledPool) executor.Submitter {
			s := serial.New(p, executor.Pace(1, time.Minute))
			_, _ = s.Submit(idle)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(2, quiet)
				defer p.Close()
				s := wait(p)
				synctest.Wait()
				f, err := executor.Submit(s, func(context.Context) (struct{}, error) { return struct{}{}, nil },
					executor.BeginWithin(time.Second))
				require.NoError(t, err)
				requireExpires(t, f, time.Second)
				assert.EqualValues(t, 1, p.Stats().Expired)
				assert.Zero(t, p.Stats().Queued)
			})
		})
	}
}

// The one behind it does not begin before its turn, nor later.
func TestATaskThatExpiresBehindOthersLeavesTheirTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(3, quiet)
		defer p.Close()
		s := serial.New(p)
		begin := time.Now()
		var at []time.Duration
		body := func(context.Context) error {
			at = append(at, time.Since(begin))
			time.Sleep(10 * time.Second)
			return nil
		}
		for i := range 3 {
			var opts []executor.TaskOption
			if i == 1 {
				opts = append(opts, executor.BeginWithin(time.Second))
			}
			_, err := s.Submit(body, opts...)
			require.NoError(t, err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []time.Duration{0, 10 * time.Second}, at)
	})
}

func TestAnExpiredRunIsNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []executor.Run
		p := executor.NewScheduledPool(1, quiet,
			executor.Watch(insight.Config{}), executor.Observe(executor.Observer{
				Expired: func(r executor.Run) { told = append(told, r) },
			}))
		defer p.Close()
		d := newDiary()
		require.NoError(t, p.ExecuteAfter(15*time.Second, sleeps(52*time.Second)))
		f := rate(t, p, d.task(0), executor.MaxRuns(4), executor.BeginWithin(5*time.Second),
			executor.CatchUp(executor.Skip), executor.Name("reminder"))
		d.until(66)
		require.Len(t, told, 5)
		for i, r := range told {
			assert.EqualValues(t, 2, r.Number, "the one that it would have been")
			assert.EqualValues(t, i, r.Missed)
		}
		assert.EqualValues(t, 1, f.Runs())
		_, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"10", "70", "80", "90"}, d.starts())
		assert.EqualValues(t, 5, d.all()[1].Missed)
		assert.EqualValues(t, 4, f.Runs())
		synctest.Wait()
		assert.EqualValues(t, 5, p.Stats().Expired)
		assert.EqualValues(t, 5, p.Insight().Measurements().Tasks[0].Missed)
	})
}

// Nothing of a stall of a thousand seconds is lost from the figures, and the log is short.
func TestAMillionExpiredRunsAreCountedAndHardlyLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		defer p.Close()
		stalls := true
		_, err := p.AtFixedRate(0, 10*ms, func(context.Context) error {
			if stalls {
				stalls = false
				time.Sleep(1000 * time.Second)
			}
			return nil
		}, executor.BeginWithin(time.Second))
		require.NoError(t, err)
		time.Sleep(1000*time.Second + ms)
		synctest.Wait()
		assert.EqualValues(t, 99_899, p.Stats().Expired)
		assert.Less(t, strings.Count(log.String(), "\n"), 50)
	})
}

func TestAnExpiryAndACancellationAreOneEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 200 {
			p := executor.NewScheduledPool(1, quiet, executor.Observe(executor.Observer{}))
			require.NoError(t, p.Execute(sleeps(2*ms)))
			synctest.Wait()
			fs := map[string]*executor.ScheduledFuture[struct{}]{}
			for _, name := range []string{"cancel", "stop", "shutdown"} {
				f, err := p.Schedule(0, idle, executor.BeginWithin(ms))
				require.NoError(t, err)
				fs[name] = f
			}
			time.AfterFunc(ms, func() { fs["cancel"].Cancel() })
			time.AfterFunc(ms, func() { fs["stop"].Stop() })
			time.AfterFunc(ms, func() { p.ShutdownNow() })
			require.NoError(t, p.AwaitTermination(t.Context()))
			s := p.Stats()
			require.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
			for _, f := range fs {
				require.True(t, f.State().Settled())
			}
		}
	})
}

// One run makes up for all periods that have passed, and is late since the last of them.
func TestARunThatMakesUpForManyIsLateSinceTheLast(t *testing.T) {
	for within, want := range map[time.Duration][]string{
		4 * time.Second:  {"10", "70"},
		7 * time.Second:  {"10", "66", "70"},
		99 * time.Second: {"10", "66", "70"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(1, quiet)
			defer p.Close()
			d := newDiary()
			require.NoError(t, p.ExecuteAfter(15*time.Second, sleeps(51*time.Second)))
			rate(t, p, d.task(0), executor.CatchUp(executor.Coalesce), executor.BeginWithin(within))
			d.until(75)
			assert.Equal(t, want, d.starts(), "within %v", within)
			missed := uint64(0)
			for _, r := range d.all() {
				missed += r.Missed
			}
			assert.EqualValues(t, 7, missed+uint64(len(want)), "seven periods")
		})
	}
}
