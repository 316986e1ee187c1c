package bulk_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// spans is when runs have begun and ended, and with what.
type spans struct {
	begun time.Time
	mu    sync.Mutex
	lines []string
	takes func(run int) time.Duration
	runs  int
}

func (s *spans) body(ctx context.Context) error {
	s.mu.Lock()
	s.runs++
	takes := s.takes(s.runs)
	s.mu.Unlock()
	due, _ := bulk.DueFrom(ctx)
	from := time.Since(s.begun)
	how := "ended"
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		how = context.Cause(ctx).Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, from.String()+" to "+time.Since(s.begun).String()+
		" "+how+", skipped "+string('0'+rune(due.Skipped)))
	return nil
}

func always(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }

// overlap runs a test in a bubble with a series each second, that is named and may overlap.
func overlap(
	t *testing.T, n int, full bulk.WhenFull, s *spans,
	test func(t *testing.T, p *executor.ScheduledPool, o *bulk.Overlap, ticks executor.Handle),
	opts ...executor.TaskOption,
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(8, executor.Logger(slog.New(slog.DiscardHandler)))
		defer p.Close()
		s.begun = time.Now()
		o, err := bulk.NewOverlap(p, n, full, s.body, opts...)
		require.NoError(t, err)
		series, err := p.Every(time.Second, o.Task, executor.Name("report"))
		require.NoError(t, err)
		test(t, p, o, series.Handle)
	})
}

// What two runs at once do not take is skipped: the series says so, and so does the next run.
func TestOverlapSkipsWhatNIsTooFewFor(t *testing.T) {
	s := &spans{takes: always(3500 * time.Millisecond)}
	overlap(t, 2, bulk.SkipNew, s, func(t *testing.T, p *executor.ScheduledPool, o *bulk.Overlap, ticks executor.Handle) {
		time.Sleep(3100 * time.Millisecond)
		assert.Len(t, o.InFlight(), 2)
		last, ok := ticks.Last()
		require.True(t, ok)
		assert.True(t, last.Skipped)
		require.ErrorIs(t, last.Err, executor.ErrSkipped)
		assert.ErrorContains(t, last.Err, "2 runs are in flight, and no more may be")
		time.Sleep(3 * time.Second)
		ticks.Cancel()
		require.NoError(t, p.Close())
		assert.Equal(t, []string{
			"1s to 4.5s ended, skipped 0", "2s to 5.5s ended, skipped 0",
			"5s to 8.5s ended, skipped 2", "6s to 9.5s ended, skipped 0",
		}, s.lines)
		assert.EqualValues(t, 2, p.Stats().Skipped)
		assert.Zero(t, p.Stats().Failures)
		assert.Empty(t, o.InFlight())
	})
}

func TestOverlapCancelsTheOldest(t *testing.T) {
	s := &spans{takes: always(2500 * time.Millisecond)}
	overlap(t, 2, bulk.CancelOldest, s, func(t *testing.T, p *executor.ScheduledPool, o *bulk.Overlap, ticks executor.Handle) {
		time.Sleep(4100 * time.Millisecond)
		assert.Len(t, o.InFlight(), 2)
		ticks.Cancel()
		require.NoError(t, p.Close())
		require.Len(t, s.lines, 4)
		assert.Regexp(t, `^1s to 3s .*cancelled for a newer run, skipped 0$`, s.lines[0])
		assert.Regexp(t, `^2s to 4s .*cancelled for a newer run, skipped 0$`, s.lines[1])
		assert.Equal(t, "3s to 5.5s ended, skipped 0", s.lines[2])
		assert.Equal(t, "4s to 6.5s ended, skipped 0", s.lines[3])
		assert.EqualValues(t, 2, p.Stats().Cancelled-1, "and the series")
	})
}

// A body that ignores the end of its context keeps its place: the series waits, and says what it
// has missed.
func TestOverlapOfABodyThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(4)
		defer p.Close()
		begun, running, most := time.Now(), 0, 0
		var starts []time.Duration
		var missed []uint64
		o, err := bulk.NewOverlap(p, 1, bulk.CancelOldest, func(ctx context.Context) error {
			due, ok := bulk.DueFrom(ctx)
			assert.True(t, ok)
			starts, missed = append(starts, time.Since(begun)), append(missed, due.Missed)
			running++
			most = max(most, running)
			time.Sleep(3500 * time.Millisecond)
			running--
			return nil
		})
		require.NoError(t, err)
		series, err := p.Every(time.Second, o.Task)
		require.NoError(t, err)
		time.Sleep(4700 * time.Millisecond)
		series.Cancel()
		require.NoError(t, p.Close())
		assert.Equal(t, 1, most)
		assert.Equal(t, []time.Duration{time.Second, 4500 * time.Millisecond}, starts)
		assert.Equal(t, []uint64{0, 1}, missed, "the run of 2 s was replaced before it began: 3 s is missed")
	})
}

// A series that is cancelled while it waits for the oldest run begins no other.
func TestOverlapOfASeriesThatIsCancelledWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(4)
		defer p.Close()
		runs := 0
		o, err := bulk.NewOverlap(p, 1, bulk.CancelOldest, func(context.Context) error {
			runs++
			time.Sleep(time.Hour)
			return nil
		})
		require.NoError(t, err)
		series, err := p.Every(time.Second, o.Task)
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond)
		series.Cancel()
		<-series.Stopped()
		assert.Len(t, o.InFlight(), 1, "the body has not returned")
		require.NoError(t, p.Close())
		assert.Equal(t, 1, runs)
		assert.Empty(t, o.InFlight())
	})
}

// What the oldest run waits for can run while the series waits for that, on a pool of one worker.
func TestOverlapLendsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		runs, parts := 0, 0
		o, err := bulk.NewOverlap(p, 1, bulk.CancelOldest, func(context.Context) error {
			runs++
			for range 3 {
				part, err := p.Schedule(700*time.Millisecond, func(context.Context) error { parts++; return nil })
				assert.NoError(t, err)
				_, err = part.Get(context.Background()) //nolint:contextcheck // it ignores the end
				assert.NoError(t, err)
			}
			return nil
		})
		require.NoError(t, err)
		series, err := p.Every(time.Second, o.Task)
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		series.Cancel()
		time.Sleep(10 * time.Second)
		require.NoError(t, p.Close())
		assert.Greater(t, runs, 2)
		assert.Equal(t, runs*3, parts)
	})
}

// The failures of runs go to the error handler, with a name that is not the series', as are names
// in figures; options of NewOverlap hold for each run.
func TestOverlapReportsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		p := executor.NewScheduledPool(2, executor.Logger(slog.New(slog.NewTextHandler(&logged, nil))))
		defer p.Close()
		attempts := 0
		o, err := bulk.NewOverlap(p, 3, bulk.SkipNew, func(ctx context.Context) error {
			run, ok := executor.RunFrom(ctx)
			assert.True(t, ok)
			assert.Equal(t, "report/run", run.Name)
			due, ok := bulk.DueFrom(ctx)
			assert.True(t, ok)
			assert.Equal(t, "report", due.Name)
			assert.Equal(t, "alice", ctx.Value(userKey{}))
			attempts++
			return errors.New("no paper")
		}, executor.Retry(2, retry.Backoff{Base: time.Millisecond}))
		require.NoError(t, err)
		_, err = p.Every(time.Second, o.Task, executor.Name("report"), executor.MaxRuns(2),
			executor.WithValues(context.WithValue(t.Context(), userKey{}, "alice")))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 4, attempts)
		assert.EqualValues(t, 2, p.Stats().Failures)
		assert.Equal(t, 2, bytes.Count(logged.Bytes(), []byte("task=report/run")), "%s", &logged)
		assert.Contains(t, logged.String(), "no paper")
	})
}

type userKey struct{}

func TestOverlapOfRunsThatExceedTheirTime(t *testing.T) {
	s := &spans{takes: always(time.Hour)}
	overlap(t, 1, bulk.SkipNew, s, func(t *testing.T, p *executor.ScheduledPool, _ *bulk.Overlap, ticks executor.Handle) {
		time.Sleep(4100 * time.Millisecond)
		ticks.Cancel()
		require.NoError(t, p.Close())
		require.Len(t, s.lines, 2)
		assert.Regexp(t, "^1s to 2.5s .*", s.lines[0])
		assert.Regexp(t, "^3s to 4.5s .*skipped 1$", s.lines[1])
	}, executor.Timeout(1500*time.Millisecond), executor.Name("print"))
}

// What waits for a worker takes a place, and leaves it when it is cancelled or dropped.
func TestOverlapOfRunsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := executor.NewPool(1, executor.Logger(slog.New(slog.DiscardHandler)))
		defer busy.Close()
		require.NoError(t, busy.Execute(func(ctx context.Context) error { <-ctx.Done(); return nil }))
		p := executor.NewScheduledPool(1)
		defer p.Close()
		runs := 0
		o, err := bulk.NewOverlap(busy, 2, bulk.SkipNew, func(context.Context) error { runs++; return nil })
		require.NoError(t, err)
		series, err := p.Every(time.Second, o.Task)
		require.NoError(t, err)
		time.Sleep(3500 * time.Millisecond)
		waiting := o.InFlight()
		require.Len(t, waiting, 2)
		assert.True(t, waiting[0].Cancel())
		assert.Len(t, o.InFlight(), 1)
		time.Sleep(time.Second)
		assert.Len(t, o.InFlight(), 2)
		assert.Len(t, busy.ShutdownNow(), 2)
		assert.Empty(t, o.InFlight())
		time.Sleep(time.Second)
		last, _ := series.Last()
		require.ErrorIs(t, last.Err, executor.ErrShutdown, "the series fails, as nothing takes its runs")
		series.Cancel()
		assert.Zero(t, runs)
	})
}

// A pool that refuses a run fails that of the series; the next run knows of it.
func TestOverlapThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := executor.NewPool(1, executor.PendingLimit(1))
		defer full.Close()
		var skipped []uint64
		o, err := bulk.NewOverlap(full, 5, bulk.SkipNew, func(ctx context.Context) error {
			due, _ := bulk.DueFrom(ctx)
			skipped = append(skipped, due.Skipped)
			time.Sleep(time.Minute)
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, o.Task(t.Context()))
		synctest.Wait()
		require.NoError(t, o.Task(t.Context()))
		require.ErrorIs(t, o.Task(t.Context()), executor.ErrSaturated)
		assert.Len(t, o.InFlight(), 2)
		time.Sleep(3 * time.Minute)
		require.NoError(t, o.Task(t.Context()))
		require.NoError(t, full.Close())
		assert.Equal(t, []uint64{0, 0, 1}, skipped)
	})
}

// A place that is being made free for one run is not there for another.
func TestOverlapOfTwoSeriesThatReplaceTheSameRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(4)
		defer p.Close()
		running := 0
		o, err := bulk.NewOverlap(p, 1, bulk.CancelOldest, func(context.Context) error {
			running++
			assert.Equal(t, 1, running)
			time.Sleep(time.Minute)
			running--
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, o.Task(t.Context()))
		synctest.Wait()
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, o.Task(t.Context())) })
		synctest.Wait()
		require.ErrorIs(t, o.Task(t.Context()), executor.ErrSkipped)
		wg.Wait()
	})
}

// The caller may have to run the task itself, whatever that does.
func TestOverlapThatTheCallerRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := executor.NewPool(1, executor.PendingLimit(1), executor.OnRejection(rejection.CallerRuns),
			executor.Logger(slog.New(slog.DiscardHandler)))
		defer full.Close()
		for range 2 {
			require.NoError(t, full.Execute(func(context.Context) error { time.Sleep(time.Minute); return nil }))
			synctest.Wait()
		}
		runs := 0
		o, err := bulk.NewOverlap(full, 1, bulk.SkipNew, func(ctx context.Context) error {
			due, _ := bulk.DueFrom(ctx)
			assert.Zero(t, due.Skipped)
			if runs++; runs == 2 {
				runtime.Goexit()
			}
			return nil
		})
		require.NoError(t, err)
		for range 3 {
			var wg sync.WaitGroup
			wg.Go(func() { assert.NoError(t, o.Task(t.Context())) })
			wg.Wait()
		}
		assert.Equal(t, 3, runs)
		assert.Empty(t, o.InFlight())
	})
}

// A run that asks for the next one of its own Overlap would replace itself, and wait for that.
func TestOverlapFromInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(2)
		defer p.Close()
		var o *bulk.Overlap
		o, err := bulk.NewOverlap(p, 1, bulk.CancelOldest, func(context.Context) error {
			assert.Equal(t, future.ErrSelfWait, o.Task(context.Background())) //nolint:contextcheck // on purpose
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, o.Task(t.Context()))
		_, err = o.InFlight()[0].Get(t.Context())
		require.NoError(t, err)
	})
}

func TestBadOverlaps(t *testing.T) {
	p := executor.NewPool(1)
	defer p.Close()
	nothing := func(context.Context) error { return nil }
	_, err := bulk.NewOverlap(p, 0, bulk.SkipNew, nothing)
	require.ErrorIs(t, err, executor.ErrInvalid)
	require.EqualError(t, err, "bulk: executor: invalid argument: 0 runs at once are below 1")
	_, err = bulk.NewOverlap(p, 1, 7, nothing)
	require.ErrorIs(t, err, executor.ErrInvalid)
	_, err = bulk.NewOverlap(p, 1, bulk.SkipNew, nil)
	require.ErrorIs(t, err, executor.ErrNilTask)
	assert.PanicsWithValue(t, "bulk: nil pool", func() { _, _ = bulk.NewOverlap(nil, 1, bulk.SkipNew, nothing) })
	o, err := bulk.NewOverlap(p, 1, bulk.SkipNew, nothing, executor.Timeout(-1))
	require.NoError(t, err)
	require.ErrorIs(t, o.Task(t.Context()), executor.ErrInvalid)
	_, ok := bulk.DueFrom(nil) //nolint:staticcheck // what it says of nil
	assert.False(t, ok)
}

// It works on any Submitter: one of package serial, and one that is not of this module.
func TestOverlapElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(4)
		defer p.Close()
		for _, on := range []executor.Submitter{serial.New(p), struct{ executor.Submitter }{p}} {
			runs := 0
			o, err := bulk.NewOverlap(on, 1, bulk.SkipNew, func(ctx context.Context) error {
				_, ok := bulk.DueFrom(ctx)
				assert.True(t, ok)
				runs++
				time.Sleep(time.Second)
				return nil
			})
			require.NoError(t, err)
			require.NoError(t, o.Task(t.Context()))
			require.ErrorIs(t, o.Task(t.Context()), executor.ErrSkipped)
			time.Sleep(2 * time.Second)
			require.NoError(t, o.Task(t.Context()))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			assert.Equal(t, 2, runs)
		}
	})
}

// Many series share one Overlap, on real goroutines: never do more than n run at once.
func TestOverlapNeverExceedsN(t *testing.T) {
	for _, full := range []bulk.WhenFull{bulk.SkipNew, bulk.CancelOldest} {
		p := executor.NewPool(8)
		var mu sync.Mutex
		running, most, begun := 0, 0, 0
		count := func(d int) {
			mu.Lock()
			defer mu.Unlock()
			running += d
			most = max(most, running)
			begun += max(d, 0)
		}
		o, err := bulk.NewOverlap(p, 3, full, func(context.Context) error {
			count(1)
			defer count(-1)
			runtime.Gosched()
			return nil
		})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 300 {
					if err := o.Task(t.Context()); err != nil {
						assert.ErrorIs(t, err, executor.ErrSkipped)
					}
				}
			})
		}
		wg.Wait()
		require.NoError(t, p.Close())
		assert.LessOrEqual(t, most, 3)
		assert.Positive(t, begun)
	}
}
