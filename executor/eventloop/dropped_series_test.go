package eventloop_test

import (
	"context"
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
	"github.com/punctual-go/punctual/internal/delay"
)

// dropLists are the calls that tell what will not run any more.
var dropLists = map[string]endOfLoop{
	"ShutdownNow": (*eventloop.Loop).ShutdownNow,
	"CloseContext": func(l *eventloop.Loop) []executor.Pending {
		report, _ := l.CloseContext(context.Background())
		return report.Dropped
	},
	"CloseContext that runs out of time": func(l *eventloop.Loop) []executor.Pending {
		ctx, cancel := context.WithTimeout(context.Background(), ms)
		defer cancel()
		report, _ := l.CloseContext(ctx)
		return report.Dropped
	},
	"ShutdownNow after Shutdown": func(l *eventloop.Loop) []executor.Pending {
		l.Shutdown()
		return l.ShutdownNow()
	},
}

// endOfLoop returns what will not run any more.
type endOfLoop func(l *eventloop.Loop) []executor.Pending

func aMinute(context.Context) error { time.Sleep(time.Minute); return nil }

func withDropLists(t *testing.T, test func(t *testing.T, l *eventloop.Loop, end endOfLoop)) {
	for name, end := range dropLists {
		t.Run(name, func(t *testing.T) {
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				test(t, l, end)
				<-l.Terminated()
				assert.Empty(t, l.ShutdownNow())
			})
		})
	}
}

func TestAListOfDroppedTasksHasTheSeriesThatIsInARun(t *testing.T) {
	withDropLists(t, func(t *testing.T, l *eventloop.Loop, end endOfLoop) {
		start, runs := time.Now(), 0
		series, err := l.AtFixedRate(0, time.Hour, func(context.Context) error {
			runs++
			time.Sleep(time.Minute)
			return nil
		}, executor.Name("series"), executor.Jitter(1))
		require.NoError(t, err)
		for _, at := range []time.Duration{time.Minute, 2 * time.Hour} {
			_, err := l.Schedule(at, pooltest.Nothing, executor.Name("once"))
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		dropped := end(l)
		<-l.Terminated()
		var in executor.Pending
		for _, p := range dropped {
			if p.Name == "series" {
				in = p
			}
		}
		assert.Equal(t, time.Hour, in.Scheduled.Sub(start), "when its next run would have been")
		assert.True(t, in.Periodic)
		assert.EqualValues(t, 1, in.Runs)
		require.NotNil(t, in.Task)
		assert.NoError(t, in.Task(t.Context()))
		assert.Equal(t, 2, runs, "the last by hand")
		_, err = series.GetTimeout(0)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.EqualValues(t, len(dropped), l.Stats().Returned)
	})
}

func TestADroppedSeriesWithAFixedDelayHasNoTimeAndComesLast(t *testing.T) {
	withDropLists(t, func(t *testing.T, l *eventloop.Loop, end endOfLoop) {
		_, err := l.WithFixedDelay(0, time.Second, aMinute,
			executor.Name("delay"))
		require.NoError(t, err)
		synctest.Wait()
		_, err = l.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing, executor.Name("rate"))
		require.NoError(t, err)
		dropped := end(l)
		last := dropped[len(dropped)-1]
		assert.Equal(t, "delay", last.Name)
		assert.True(t, last.Scheduled.IsZero())
	})
}

func TestASeriesInItsLastRunOrCancelledIsNotDropped(t *testing.T) {
	withDropLists(t, func(t *testing.T, l *eventloop.Loop, end endOfLoop) {
		_, err := l.AtFixedRate(0, time.Hour, aMinute,
			executor.MaxRuns(1))
		require.NoError(t, err)
		synctest.Wait()
		assert.Empty(t, end(l))
	})
	withDropLists(t, func(t *testing.T, l *eventloop.Loop, end endOfLoop) {
		series, err := l.AtFixedRate(0, time.Hour, aMinute)
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, series.Stop())
		assert.Empty(t, end(l))
	})
}

func TestASeriesThatWasHandedBackInARunIsCountedOnceHoweverThatEnds(t *testing.T) {
	for name, c := range map[string]struct {
		option executor.TaskOption
		body   executor.Task
		meet   func(f *executor.ScheduledFuture[struct{}])
	}{
		"success": {executor.Name(""), pooltest.Nothing, nil},
		"error":   {executor.Name(""), func(context.Context) error { return pooltest.ErrTask }, nil},
		"panic":   {executor.Name(""), func(context.Context) error { panic(pooltest.ErrTask) }, nil},
		"timeout": {executor.Timeout(time.Second), pooltest.Nothing, nil},
		"cancelled": {executor.Name(""), pooltest.Nothing, func(f *executor.ScheduledFuture[struct{}]) {
			f.Cancel()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				series, err := l.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
					time.Sleep(time.Minute)
					return c.body(ctx)
				}, c.option)
				require.NoError(t, err)
				synctest.Wait()
				assert.Len(t, l.ShutdownNow(), 1)
				assert.EqualValues(t, 1, l.Stats().Returned)
				assert.Equal(t, future.Running, series.State())
				if c.meet != nil {
					c.meet(series)
				}
				<-l.Terminated()
				s := l.Stats()
				counts := []uint64{s.Accepted, s.Completed, s.Cancelled, s.Returned}
				assert.Equal(t, []uint64{1, 0, 0, 1}, counts)
			})
		})
	}
}

func TestASeriesMayCloseItsLoop(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		var report executor.Report
		_, err := l.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
			report, _ = l.CloseContext(ctx)
			return nil
		}, executor.Name("self"))
		require.NoError(t, err)
		<-l.Terminated()
		require.Len(t, report.Dropped, 1)
		require.Len(t, report.Running, 1)
		assert.Equal(t, "self", report.Dropped[0].Name)
		assert.Equal(t, "self", report.Running[0].Name)
	})
}

func TestAReportTellsATaskAsRunningThatHeedsAtOnce(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		var heeded atomic.Bool
		_, err := l.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			heeded.Store(true)
			return nil
		}, executor.Name("heeds"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		waits, err := l.Submit(pooltest.Nothing)
		require.NoError(t, err)
		defer delay.Set(func(at delay.Point) {
			if at == delay.CellSettled && waits.State().Settled() {
				time.Sleep(time.Second) // it has ended when the waiting task has been dropped
			}
		})()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		report, err := l.CloseContext(ctx)
		assert.Equal(t, context.Canceled, err)
		assert.True(t, heeded.Load())
		require.Len(t, report.Running, 1)
		assert.Equal(t, "heeds", report.Running[0].Name)
		assert.Equal(t, time.Second, report.Running[0].For)
	})
}
