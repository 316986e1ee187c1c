package eventloop_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestNETTYLOOP15_ACancelFromOutsideSettlesAtOnceAndWakesNobody(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		f, err := l.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, f.Cancel())
		assert.False(t, f.Cancel())
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrCancelled)
		synctest.Wait()
		assert.Equal(t, 1, l.AgendaLen(), "the shell")
		s := l.Stats()
		assert.Zero(t, s.Wakeups)
		assert.Zero(t, s.Queued)
	})
}

func TestNETTYLOOP15_ACancelledBodyIsForgottenAtOnce(t *testing.T) {
	l := quiet()
	f, big := func() (*executor.ScheduledFuture[struct{}], weak.Pointer[[1 << 20]byte]) {
		big := new([1 << 20]byte)
		f, err := l.Schedule(time.Hour, func(context.Context) error { big[0]++; return nil })
		require.NoError(t, err)
		return f, weak.Make(big)
	}()
	require.True(t, f.Cancel())
	for cycles := 0; big.Value() != nil; cycles++ {
		require.Less(t, cycles, 10, "the shell holds the body")
		runtime.GC()
	}
	runtime.KeepAlive(f)
	assert.Zero(t, l.Stats().Wakeups)
	require.NoError(t, l.Close())
}

func TestNETTYLOOP15_ACancelInsideTakesTheTaskOutOfTheHeapAtOnce(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		other := quiet()
		do(t, l, func(_ context.Context, turn eventloop.Turn) {
			var fs []*executor.ScheduledFuture[struct{}]
			for i := range time.Duration(100) {
				schedule := turn.Schedule
				if i%2 == 0 {
					schedule = l.Schedule
				}
				f, err := schedule(time.Hour+i*7919%100*time.Minute, pooltest.Nothing)
				assert.NoError(t, err)
				fs = append(fs, f)
			}
			for i, f := range fs {
				assert.True(t, turn.Cancel(f))
				assert.False(t, turn.Cancel(f))
				assert.Equal(t, 99-i, l.AgendaLen())
			}
			f, err := other.Schedule(time.Hour, pooltest.Nothing)
			assert.NoError(t, err)
			assert.True(t, turn.Cancel(f), "of another loop")
		})
		require.NoError(t, l.Validate())
		synctest.Wait()
		assert.Zero(t, l.Stats().Wakeups)
		require.NoError(t, other.Close())
	})
}

// Unlike the original, a task can be cancelled once it runs, as everywhere in this module: its
// future is settled, its context ends, and its body is left to return.
func TestNETTYLOOP16_ASeriesCancelledInItsRunIsNotRunAgain(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		body := func(ctx context.Context) error {
			d.note("begins")
			<-ctx.Done()
			time.Sleep(5 * ms)
			d.note("ends")
			return ctx.Err()
		}
		once, err := l.Submit(body)
		require.NoError(t, err)
		time.Sleep(ms)
		assert.True(t, once.Cancel())
		<-once.Stopped()
		series, err := l.AtFixedRate(0, ms, body)
		require.NoError(t, err)
		time.Sleep(ms)
		assert.True(t, series.Cancel())
		assert.False(t, series.Cancel())
		time.Sleep(time.Second)
		names, times := d.read()
		assert.Equal(t, []string{"begins", "ends", "begins", "ends"}, names)
		assert.Equal(t, inMs(0, 6, 6, 12), times)
		assert.EqualValues(t, 2, l.Stats().Cancelled)
		assert.Zero(t, l.Stats().Failures, "what a cancelled run returns is no failure")
	})
}

func TestNETTYLOOP17_AFailureFailsOneFutureAndEndsItsSeriesLoudly(t *testing.T) {
	var logged bytes.Buffer
	var told []string
	handler := executor.ErrorHandler(func(_ context.Context, run executor.Run, err error) {
		if run.Name != "paniced" {
			assert.ErrorIs(t, err, pooltest.ErrTask)
		}
		told = append(told, run.Name)
	})
	logger := executor.Logger(slog.New(slog.NewTextHandler(&logged, nil)))
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		fail := func(context.Context) error { return pooltest.ErrTask }
		require.NoError(t, l.Execute(fail))
		once, err := l.Submit(fail, executor.Name("once"))
		require.NoError(t, err)
		series, err := l.AtFixedRate(0, ms, fail, executor.Name("series"), executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		tolerant, err := l.AtFixedRate(0, ms, fail, executor.Name("tolerant"), executor.FailurePolicy(executor.Continue), executor.MaxRuns(2))
		require.NoError(t, err)
		paniced, err := eventloop.Submit(l, func(context.Context) (int, error) { panic(nil) }, executor.Name("paniced"))
		require.NoError(t, err)
		_, err = once.Get(t.Context())
		assert.ErrorIs(t, err, pooltest.ErrTask)
		_, err = series.Get(t.Context())
		assert.ErrorIs(t, err, pooltest.ErrTask)
		_, err = tolerant.Get(t.Context())
		assert.NoError(t, err)
		_, err = paniced.Get(t.Context())
		assert.ErrorAs(t, err, new(*future.PanicError))
		synctest.Wait()
		assert.Equal(t, []string{"", "series", "tolerant", "paniced", "tolerant"}, told)
		assert.Contains(t, logged.String(), `msg="executor: periodic task ended by a failure"`)
		assert.EqualValues(t, 1, series.Runs())
		assert.EqualValues(t, 6, l.Stats().Failures)
	}, handler, logger)
}

func TestAFailureWithoutAHandlerIsLogged(t *testing.T) {
	var logged bytes.Buffer
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		require.NoError(t, l.Execute(func(context.Context) error { panic("ouch") }))
		synctest.Wait()
		for _, want := range []string{`msg="executor: task failed"`, "pool=noisy", "ouch", "stack="} {
			assert.Contains(t, logged.String(), want)
		}
	}, executor.Name("noisy"), executor.Logger(slog.New(slog.NewTextHandler(&logged, nil))))
}

const million = 1_000_000

func TestAMillionCancelledFromOutsideLeaveAThousandShells(t *testing.T) {
	for name, c := range map[string]struct {
		tasks  int
		during func(*testing.T, *eventloop.Loop) (release func())
	}{
		"while it sleeps": {million, func(t *testing.T, l *eventloop.Loop) func() {
			_, err := l.Schedule(24*time.Hour, pooltest.Nothing)
			require.NoError(t, err)
			synctest.Wait()
			return func() {}
		}},
		"while it runs a long body": {million / 10, block},
	} {
		t.Run(name, func(t *testing.T) {
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				release := c.during(t, l)
				most := 0
				const window = 100
				var live [window]*executor.ScheduledFuture[struct{}]
				for i := range c.tasks {
					f, err := l.Schedule(25*time.Hour+time.Duration(i%1000)*time.Second, pooltest.Nothing)
					if err != nil {
						t.Fatal(err)
					}
					if old := live[i%window]; old != nil {
						old.Cancel()
					}
					live[i%window] = f
					if i%500 == 0 {
						most = max(most, l.TombstonesLeft())
					}
				}
				assert.Less(t, most, 2000)
				assert.Greater(t, most, 100, "a cancel does not work on the heap")
				assert.Zero(t, l.Stats().Wakeups)
				assert.LessOrEqual(t, l.AgendaLen(), window+1)
				require.NoError(t, l.Validate())
				release()
			})
		})
	}
}
