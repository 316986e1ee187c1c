package debounce_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/debounce"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// log is when runs have begun, and what they return.
type log struct {
	begun  time.Time
	starts []time.Duration
	takes  time.Duration
	errs   []error // of the first runs; those after them succeed
}

func (l *log) body(context.Context) error {
	l.starts = append(l.starts, time.Since(l.begun))
	time.Sleep(l.takes)
	if n := len(l.starts); n <= len(l.errs) {
		return l.errs[n-1]
	}
	return nil
}

var errBoom = errors.New("boom")

// try runs a test in a bubble, with a debouncer that waits a second, or ten at most.
func try(
	t *testing.T, test func(t *testing.T, p *executor.ScheduledPool, l *log, d *debounce.Debouncer),
	opts ...executor.TaskOption,
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2, executor.Logger(slog.New(slog.DiscardHandler)))
		defer p.Close()
		l := &log{begun: time.Now()}
		d, err := debounce.New(p, debounce.Wait{Quiet: time.Second, Most: 10 * time.Second}, l.body, opts...)
		require.NoError(t, err)
		test(t, p, l, d)
	})
}

func seconds(s ...float64) (spans []time.Duration) {
	for _, s := range s {
		spans = append(spans, time.Duration(s*float64(time.Second)))
	}
	return spans
}

func TestCallsThatDoNotStopHaveARunAllTheSame(t *testing.T) {
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		for range 192 {
			require.NoError(t, d.Call())
			time.Sleep(130 * time.Millisecond)
		}
		require.NoError(t, d.Close(t.Context()))
		assert.Equal(t, seconds(10, 20.01, 24.96), l.starts)
	})
}

func TestACallDuringARunLeadsToAnother(t *testing.T) {
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		l.takes = 5 * time.Second
		require.NoError(t, d.Call())
		time.Sleep(3 * time.Second)
		require.NoError(t, d.Call())
		time.Sleep(2500 * time.Millisecond)
		require.NoError(t, d.Call())
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, seconds(1, 6.5), l.starts)
	})
}

// A run that fails is tried again, and Flush waits for the attempts. A call meanwhile has a run of
// its own.
func TestFlushWaitsForTheAttempts(t *testing.T) {
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		l.errs = []error{errBoom, errBoom, errBoom}
		require.NoError(t, d.Call())
		require.ErrorIs(t, d.Flush(t.Context()), errBoom)
		assert.Equal(t, seconds(0, 4), l.starts)
		require.NoError(t, d.Call())
		time.Sleep(2 * time.Second) // the first attempt has failed
		require.NoError(t, d.Call())
		require.NoError(t, d.Flush(t.Context()))
		assert.Equal(t, seconds(0, 4, 5, 9, 9), l.starts)
	}, executor.Retry(2, retry.Backoff{Base: 4 * time.Second, Spread: retry.NoSpread}))
}

func TestAPanicEndsOnlyItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)))
		defer p.Close()
		d, err := debounce.New(p, debounce.Wait{Quiet: time.Second},
			func(context.Context) error { panic("oh") })
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, d.Call())
			var panicked *future.PanicError
			require.ErrorAs(t, d.Flush(t.Context()), &panicked)
		}
		assert.EqualValues(t, 3, p.Stats().Failures)
	})
}

// A run that has timed out fails at once, but the next waits for its body.
func TestRunsDoNotOverlapAfterATimeout(t *testing.T) {
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		l.takes = 5 * time.Second
		require.NoError(t, d.Call())
		time.Sleep(3 * time.Second)
		require.NoError(t, d.Call())
		require.ErrorIs(t, d.Flush(t.Context()), context.DeadlineExceeded)
		assert.Equal(t, seconds(1, 6), l.starts)
	}, executor.Timeout(time.Second))
}

// A run that could not begin in time is over, and so are its calls.
func TestARunThatExpires(t *testing.T) {
	try(t, func(t *testing.T, p *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		for range 2 {
			require.NoError(t, p.Execute(func(context.Context) error {
				time.Sleep(time.Minute)
				return nil
			}))
		}
		require.NoError(t, d.Call())
		require.ErrorIs(t, d.Flush(t.Context()), executor.ErrExpired)
		assert.Less(t, time.Since(l.begun), 6*time.Second)
		require.NoError(t, d.Flush(t.Context()), "nothing waits any more")
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Empty(t, l.starts)
	}, executor.BeginWithin(5*time.Second))
}

func TestFlushOfNothing(t *testing.T) {
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		require.NoError(t, d.Flush(t.Context()))
		require.NoError(t, d.Flush(nil)) //nolint:staticcheck // it says that it never ends
		assert.False(t, d.Drop())
		assert.Empty(t, l.starts)
	})
}

// Nothing puts off a run that Flush has brought forward, and that waits for a worker.
func TestACallAfterFlushDoesNotPutOffTheRun(t *testing.T) {
	try(t, func(t *testing.T, p *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		for range 2 {
			require.NoError(t, p.Execute(func(context.Context) error {
				time.Sleep(3 * time.Second)
				return nil
			}))
		}
		require.NoError(t, d.Call())
		go func() { assert.NoError(t, d.Flush(context.Background())) }()
		time.Sleep(2900 * time.Millisecond)
		require.NoError(t, d.Call())
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, seconds(3), l.starts)
	})
}

func TestFlushGivesUpWithItsContext(t *testing.T) {
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		l.takes = time.Minute
		require.NoError(t, d.Call())
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errBoom)
		defer cancel()
		err := d.Flush(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, errBoom)
		require.NoError(t, d.Flush(t.Context()), "the run has gone on")
		assert.Equal(t, time.Minute, time.Since(l.begun))
	})
}

func TestARunCannotFlushItsOwnDebouncer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2)
		defer p.Close()
		var d *debounce.Debouncer
		runs := 0
		d, err := debounce.New(p, debounce.Wait{Quiet: time.Second}, func(ctx context.Context) error {
			if runs++; runs == 1 {
				assert.Equal(t, future.ErrSelfWait, d.Flush(ctx))
				assert.NoError(t, d.Call())
				assert.Equal(t, future.ErrSelfWait, d.Flush(ctx))
			}
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, d.Call())
		require.NoError(t, d.Flush(t.Context()))
		require.NoError(t, d.Flush(t.Context()))
		assert.Equal(t, 2, runs)
	})
}

func TestClose(t *testing.T) {
	try(t, func(t *testing.T, p *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		require.NoError(t, d.Call())
		require.NoError(t, d.Close(t.Context()))
		assert.Equal(t, seconds(0), l.starts)
		require.ErrorIs(t, d.Call(), debounce.ErrClosed)
		require.NoError(t, d.Close(t.Context()))
		require.NoError(t, d.Flush(t.Context()))
		assert.Empty(t, slices.Collect(p.Tasks()))
		assert.EqualValues(t, 1, p.Stats().Runs)
	})
}

// While Close waits, no call is taken; when it gives up, what has not begun is dropped.
func TestCloseThatGivesUp(t *testing.T) {
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		l.takes = time.Hour
		require.NoError(t, d.Call())
		time.Sleep(2 * time.Second)
		require.NoError(t, d.Call())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() {
			time.Sleep(time.Second)
			assert.ErrorIs(t, d.Call(), debounce.ErrClosed)
		}()
		require.ErrorIs(t, d.Close(ctx), context.DeadlineExceeded)
		require.ErrorIs(t, d.Flush(t.Context()), debounce.ErrClosed)
		time.Sleep(10 * time.Hour)
		synctest.Wait()
		assert.Len(t, l.starts, 1)
	})
}

// The end of the pool drops what has not begun, and says so to who waits, and who calls.
func TestTheEndOfThePool(t *testing.T) {
	try(t, func(t *testing.T, p *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		l.takes = time.Minute
		require.NoError(t, d.Call())
		time.Sleep(2 * time.Second)
		require.NoError(t, d.Call())
		var wg sync.WaitGroup
		wg.Go(func() {
			err := d.Flush(context.Background())
			assert.ErrorIs(t, err, debounce.ErrClosed)
			assert.ErrorIs(t, err, executor.ErrShutdown)
		})
		synctest.Wait()
		p.Shutdown()
		wg.Wait()
		assert.ErrorIs(t, d.Call(), executor.ErrShutdown)
		<-p.Terminated()
		assert.Len(t, l.starts, 1)
		_, err := debounce.New(p, debounce.Wait{}, l.body)
		require.ErrorIs(t, err, executor.ErrShutdown)
	})
}

// The last run that a series may have is a run like the others for who waits for it.
func TestTheLastRun(t *testing.T) {
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		require.NoError(t, d.Call())
		require.NoError(t, d.Flush(t.Context()))
		require.ErrorIs(t, d.Call(), debounce.ErrClosed)
	}, executor.MaxRuns(1))
	try(t, func(t *testing.T, _ *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		l.errs = []error{errBoom}
		require.NoError(t, d.Call())
		require.ErrorIs(t, d.Flush(t.Context()), errBoom)
		require.ErrorIs(t, d.Call(), errBoom, "it has ended the series")
	}, executor.FailurePolicy(executor.StopSeries))
}

// A person who triggers the task has it run, also without a call; the calls before it are over.
func TestARunThatSomebodyTriggers(t *testing.T) {
	try(t, func(t *testing.T, p *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		saves := slices.Collect(p.Tasks())[0]
		saves.Trigger()
		time.Sleep(5 * time.Second)
		require.NoError(t, d.Call())
		saves.Trigger()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, seconds(0, 5), l.starts)
	})
}

// A pause drops the run that falls due in it, as of any series. The next call makes up for it.
func TestAPause(t *testing.T) {
	try(t, func(t *testing.T, p *executor.ScheduledPool, l *log, d *debounce.Debouncer) {
		saves := slices.Collect(p.Tasks())[0]
		saves.Pause()
		require.NoError(t, d.Call())
		time.Sleep(5 * time.Second)
		saves.Resume()
		time.Sleep(15 * time.Second)
		synctest.Wait()
		assert.Empty(t, l.starts)
		require.NoError(t, d.Call())
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, seconds(20), l.starts, "ten seconds since the first call have passed")
	})
}

func TestBadDebouncers(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	defer p.Close()
	nothing := func(context.Context) error { return nil }
	for _, wait := range []debounce.Wait{{Quiet: -1}, {Most: -1}, {Quiet: 2, Most: 1}} {
		_, err := debounce.New(p, wait, nothing)
		require.ErrorIs(t, err, executor.ErrInvalid, "%+v", wait)
		require.ErrorContains(t, err, fmt.Sprintf("negative, or Most < Quiet: %+v", wait))
	}
	_, err := debounce.New(p, debounce.Wait{}, nothing, executor.Timeout(-1))
	require.ErrorIs(t, err, executor.ErrInvalid)
	_, err = debounce.New(p, debounce.Wait{}, nil, executor.Name("save"))
	require.ErrorIs(t, err, executor.ErrNilTask)
	require.EqualError(t, err, `executor: task "save" of pool "jobs": nil task`)
}

func TestAWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var runs int
		d, err := debounce.New(p, debounce.Wait{Quiet: math.MaxInt64, Most: math.MaxInt64},
			func(context.Context) error { runs++; return nil })
		require.NoError(t, err)
		require.NoError(t, d.Call())
		time.Sleep(100 * 365 * 24 * time.Hour)
		require.NoError(t, d.Call())
		synctest.Wait()
		assert.Zero(t, runs)
		require.NoError(t, d.Flush(t.Context()))
		assert.Equal(t, 1, runs)
	})
}

// Many call and flush at once, on real goroutines: after a flush, a run knows what its caller has
// done before, and no two runs overlap.
func TestManyCallersAndFlushers(t *testing.T) {
	for kind, start := range map[string]func() executor.ScheduledSubmitter{
		"pool": func() executor.ScheduledSubmitter { return executor.NewScheduledPool(2) },
		"loop": func() executor.ScheduledSubmitter { return eventloop.New() },
	} {
		t.Run(kind, func(t *testing.T) {
			p := start()
			var done [8]atomic.Int64 // by each caller
			var saved [8]int64       // only the runs touch it; read after a flush, under mu
			var mu sync.Mutex
			var inRun atomic.Bool
			d, err := debounce.New(p, debounce.Wait{Quiet: time.Microsecond, Most: time.Hour}, func(context.Context) error {
				assert.True(t, inRun.CompareAndSwap(false, true))
				defer inRun.Store(false)
				mu.Lock()
				defer mu.Unlock()
				for i := range done {
					saved[i] = done[i].Load()
				}
				return nil
			})
			require.NoError(t, err)
			var wg sync.WaitGroup
			for i := range done {
				wg.Go(func() {
					for n := range int64(300) {
						done[i].Store(n)
						assert.NoError(t, d.Call())
						if n%3 > 0 {
							continue
						}
						assert.NoError(t, d.Flush(t.Context()))
						mu.Lock()
						assert.GreaterOrEqual(t, saved[i], n)
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			require.NoError(t, d.Close(t.Context()))
			require.NoError(t, p.(interface{ Close() error }).Close())
			for i := range saved {
				assert.EqualValues(t, 299, saved[i])
			}
		})
	}
}
