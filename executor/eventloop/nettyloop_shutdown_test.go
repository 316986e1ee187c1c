package eventloop_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestNETTYLOOP18_AGracefulShutdownWaitsForAQuietPeriod(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		later, err := l.Schedule(time.Hour, d.task("later"))
		require.NoError(t, err)
		series, err := l.AtFixedRate(0, ms, d.task("series"))
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, l.ShutdownGracefully(100*ms, time.Hour))
		for _, f := range []*executor.ScheduledFuture[struct{}]{later, series} {
			_, err := f.GetTimeout(0)
			assert.ErrorIs(t, err, executor.ErrShutdown, "dropped at once")
			assert.ErrorIs(t, err, future.ErrCancelled)
		}
		assert.Equal(t, "quieting", l.Stats().State)

		time.Sleep(90 * ms)
		require.NoError(t, l.Execute(d.lasting("for now", 50*ms)), "still taken")
		dropped, err := l.Schedule(time.Minute, d.task("for later")) // the next pass may come after the run
		require.NoError(t, err)
		_, err = dropped.Get(t.Context())
		assert.ErrorIs(t, err, executor.ErrShutdown, "cancelled at the next pass")

		require.NoError(t, l.AwaitTermination(t.Context()))
		assert.Equal(t, 240*ms, time.Since(d.began), "quiet since the end of the last run")
		assert.ErrorIs(t, l.Execute(pooltest.Nothing), executor.ErrShutdown)
		names, times := d.read()
		assert.Equal(t, []string{"series", "for now"}, names)
		assert.Equal(t, inMs(0, 90), times)
	})
}

func TestNETTYLOOP18_AGracefulShutdownEndsByItsTimeoutWhateverComes(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		start := time.Now()
		runs, refused := 0, false
		var again executor.Task
		again = func(context.Context) error {
			runs++
			time.Sleep(10 * ms)
			refused = l.Execute(again) != nil
			return nil
		}
		require.NoError(t, l.Execute(again))
		require.NoError(t, l.ShutdownGracefully(20*ms, 95*ms))
		require.NoError(t, l.AwaitTermination(t.Context()))
		assert.Equal(t, 110*ms, time.Since(start), "what it has taken runs")
		assert.Equal(t, 11, runs)
		assert.True(t, refused)
	})
}

func TestNETTYLOOP18_AQuietPeriodOfZeroEndsAfterOnePass(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		release := block(t, l)
		for range 3 {
			require.NoError(t, l.Execute(d.task("queued")))
		}
		require.NoError(t, l.ShutdownGracefully(0, time.Hour))
		release()
		require.NoError(t, l.AwaitTermination(t.Context()))
		assert.Equal(t, inMs(0, 0, 0), d.readTimes())
	})
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		require.NoError(t, l.ShutdownGracefully(0, 0))
		require.NoError(t, l.AwaitTermination(t.Context()), "a loop that was never started ends too")
	})
}

func TestNETTYLOOP18_TheArgumentsOfAGracefulShutdownAreChecked(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		assert.ErrorIs(t, l.ShutdownGracefully(-1, time.Hour), executor.ErrInvalid)
		assert.ErrorIs(t, l.ShutdownGracefully(2, 1), executor.ErrInvalid)
		assert.ErrorIs(t, l.ShutdownGracefully(0, math.MinInt64), executor.ErrInvalid)
		assert.Equal(t, "running", l.Stats().State)
		require.NoError(t, l.ShutdownGracefully(math.MaxInt64, math.MaxInt64))
		require.NoError(t, l.ShutdownGracefully(0, 0), "it is shut down already: nothing changes")
		synctest.Wait()
		assert.Equal(t, "quieting", l.Stats().State)
		require.NoError(t, l.Close(), "which ends the quiet period")
		require.NoError(t, l.ShutdownGracefully(0, 0))
	})
}

func TestNETTYLOOP18_ClosePolicies(t *testing.T) {
	for name, c := range map[string]struct {
		shut    func(l *eventloop.Loop) int // returns how many it hands back
		ran     []string
		dropped int
	}{
		"Shutdown keeps what is for later": {func(l *eventloop.Loop) int { l.Shutdown(); return 0 }, []string{"due", "later"}, 0},
		"ShutdownNow keeps nothing":        {func(l *eventloop.Loop) int { return len(l.ShutdownNow()) }, nil, 3},
		"Close keeps what is due": {func(l *eventloop.Loop) int {
			report, err := l.CloseContext(context.Background())
			if err != nil {
				return -1
			}
			return len(report.Dropped)
		}, []string{"due"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				d := newDiary()
				release := block(t, l)
				require.NoError(t, l.Execute(d.task("due")))
				later, err := l.Schedule(time.Hour, d.task("later"))
				require.NoError(t, err)
				series, err := l.AtFixedRate(0, ms, d.task("series"))
				require.NoError(t, err)
				time.AfterFunc(ms, release)
				assert.Equal(t, c.dropped, c.shut(l))
				_, err = series.GetTimeout(0)
				assert.ErrorIs(t, err, executor.ErrShutdown, "at once")
				require.NoError(t, l.AwaitTermination(t.Context()))
				_, settled := later.Poll()
				assert.True(t, settled)
				assert.Equal(t, c.ran, d.readNames())
			})
		})
	}
}

func TestNETTYLOOP18_ShutdownNowHandsBackWhatWaitsThoughABodyDoesNotReturn(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		gate := make(chan struct{})
		var cause error
		stuck, err := l.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			<-gate
			return nil
		}, executor.Name("stuck"))
		require.NoError(t, err)
		synctest.Wait()
		var futures []*executor.ScheduledFuture[struct{}]
		for i := range time.Duration(3) {
			f, err := l.Schedule(time.Hour-i*time.Minute, pooltest.Nothing, executor.Name("pending"))
			require.NoError(t, err)
			futures = append(futures, f)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		report, err := l.CloseContext(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, report.Dropped, 3)
		for i, p := range report.Dropped {
			assert.Equal(t, "pending", p.Name)
			assert.NotNil(t, p.Task)
			assert.Equal(t, time.Hour-time.Duration(2-i)*time.Minute-time.Second, time.Until(p.Scheduled), "in order of time")
		}
		require.Len(t, report.Running, 1)
		assert.Equal(t, "stuck", report.Running[0].Name)
		assert.Equal(t, time.Second, report.Running[0].For)
		for _, f := range futures {
			_, err := f.GetTimeout(0)
			assert.ErrorIs(t, err, executor.ErrShutdown)
		}
		synctest.Wait()
		assert.ErrorIs(t, cause, executor.ErrShutdown)
		assert.Empty(t, l.ShutdownNow())
		close(gate)
		_, err = stuck.Get(t.Context())
		assert.NoError(t, err)
	})
}

// Outside of a bubble: submitters race with the end, which has no room for a task left behind.
func TestNETTYLOOP19_B16_ATaskThatComesWithTheEndRunsOrIsRefused(t *testing.T) {
	mixed := 0 // rounds that were a race
	for round := range 300 {
		l := quiet()
		var ran, accepted, refused atomic.Int64
		var parties sync.WaitGroup
		futures := make(chan *future.Future[struct{}], 200)
		start := make(chan struct{})
		for range 4 {
			parties.Go(func() {
				<-start
				for range 50 {
					if round%2 == 0 {
						runtime.Gosched() // on one processor, let the others in
					}
					f, err := l.Submit(func(context.Context) error { ran.Add(1); return nil })
					if err != nil {
						assert.ErrorIs(t, err, executor.ErrShutdown)
						refused.Add(1)
						continue
					}
					accepted.Add(1)
					futures <- f
				}
			})
		}
		close(start)
		for accepted.Load() < int64(round%150) {
			runtime.Gosched()
		}
		require.NoError(t, l.Close())
		parties.Wait()
		close(futures)
		require.Equal(t, accepted.Load(), ran.Load())
		require.EqualValues(t, 200, accepted.Load()+refused.Load())
		for f := range futures {
			_, err := f.GetTimeout(0)
			require.NoError(t, err, "settled by the end of the loop")
		}
		s := l.Stats()
		require.EqualValues(t, accepted.Load(), s.Accepted)
		require.EqualValues(t, refused.Load(), s.Rejected)
		assertBalanced(t, l)
		if ran.Load() > 0 && refused.Load() > 0 {
			mixed++
		}
	}
	assert.Positive(t, mixed, "no round had tasks on both sides of the end")
}

func TestNETTYLOOP20_WhatIsRefusedLeavesNothing(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		turns := make(chan eventloop.Turn, 1)
		do(t, l, func(_ context.Context, turn eventloop.Turn) { turns <- turn })
		turn := <-turns
		l.Shutdown()
		assert.ErrorIs(t, l.Execute(pooltest.Nothing), executor.ErrShutdown)
		assert.ErrorIs(t, turn.Execute(pooltest.Nothing), executor.ErrShutdown)
		for _, schedule := range []func() (*executor.ScheduledFuture[struct{}], error){
			func() (*executor.ScheduledFuture[struct{}], error) { return l.Schedule(0, pooltest.Nothing) },
			func() (*executor.ScheduledFuture[struct{}], error) { return l.ScheduleAt(time.Now(), pooltest.Nothing) },
			func() (*executor.ScheduledFuture[struct{}], error) { return l.AtFixedRate(0, 1, pooltest.Nothing) },
			func() (*executor.ScheduledFuture[struct{}], error) {
				return turn.WithFixedDelay(0, 1, pooltest.Nothing)
			},
		} {
			f, err := schedule()
			assert.Nil(t, f)
			assert.ErrorIs(t, err, executor.ErrShutdown)
			assert.ErrorIs(t, err, executor.ErrRejected)
		}
		f, err := eventloop.Submit(l, func(context.Context) (int, error) { return 0, nil })
		assert.Nil(t, f)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		g, err := eventloop.Schedule(l, 0, func(context.Context) (int, error) { return 0, nil })
		assert.Nil(t, g)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		s := l.Stats()
		assert.EqualValues(t, 1, s.Accepted)
		assert.EqualValues(t, 8, s.Rejected)
		assert.Zero(t, s.Queued)
	})
}

func TestNETTYLOOP18_ASeriesInItsRunEndsWithAGracefulShutdown(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		series, err := l.AtFixedRate(0, ms, func(context.Context) error { time.Sleep(10 * ms); return nil })
		require.NoError(t, err)
		time.Sleep(5 * ms)
		require.NoError(t, l.ShutdownGracefully(20*ms, time.Hour))
		_, err = series.Get(t.Context())
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.EqualValues(t, 1, series.Runs())
		require.NoError(t, l.AwaitTermination(t.Context()))
		assert.EqualValues(t, 1, l.Stats().Returned)
	})
}
