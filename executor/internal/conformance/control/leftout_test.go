package control_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/replay"
	"github.com/punctual-go/punctual/future"
)

var errNotLeader = fmt.Errorf("%w: not the leader", executor.ErrSkipped)

// leavesOut is a body that leaves its work out.
func leavesOut(context.Context) error { return errNotLeader }

// skippedOf returns what a scheduler says of runs that have failed, or were skipped.
func skippedOf(s scheduler) []uint64 {
	b := booksOf(s)
	return []uint64{b.Runs, b.Failures, b.Skipped}
}

func TestASkippedRunEndsNoSeriesAndIsToldNowhere(t *testing.T) {
	var told pooltest.Errors
	for _, policy := range []executor.ErrorPolicy{executor.StopOnPanic, executor.StopSeries, executor.Continue} {
		onEach(t, func(t *testing.T, s scheduler) {
			d := newDiary()
			f := rate(t, s, leavesOut, executor.FailurePolicy(policy), executor.PauseAfter(1),
				executor.SlowDown(2, time.Hour))
			d.until(55)
			assert.Equal(t, []uint64{5, 0, 5}, skippedOf(s))
			last, ok := f.Last()
			require.True(t, ok)
			assert.True(t, last.Skipped)
			assert.Equal(t, errNotLeader, last.Err)
			assert.False(t, f.Paused())
		}, executor.ErrorHandler(told.Handle))
	}
	assert.Empty(t, told.Told())
}

func TestTheFutureOfASkippedTaskGetsItsError(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		f, err := s.Submit(leavesOut, executor.Retry(3, every(time.Second)))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.Equal(t, errNotLeader, err)
		require.NoError(t, s.Execute(leavesOut))
		require.NoError(t, s.Execute(leavesOut, executor.Name("with options")))
		assert.Equal(t, []uint64{3, 0, 3}, skippedOf(s))
	}, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
		t.Errorf("the handler is told of %v", err)
	}))
}

func TestNothingIsLoggedOfASkippedTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := executor.NewPool(1, executor.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		require.NoError(t, p.Execute(leavesOut))
		require.NoError(t, p.Execute(leavesOut, executor.Name("named")))
		require.NoError(t, p.Close())
		assert.Empty(t, log.String())
		assert.EqualValues(t, []uint64{2, 0, 2}, []uint64{p.Stats().Runs, p.Stats().Failures, p.Stats().Skipped})
	})
}

func TestARowOfFailuresGoesOnAfterASkippedRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		ends := []error{errBoom, errNotLeader, errNotLeader, errBoom}
		f := rate(t, s, func(ctx context.Context) error {
			r := d.run(ctx)
			return ends[(r.Number-1)%uint64(len(ends))]
		}, executor.PauseAfter(2))
		d.until(100)
		assert.Equal(t, []string{"10", "20", "30", "40"}, d.starts())
		assert.True(t, f.Paused())
	})
}

func TestASkippedRunBeforeTheEndOfASeriesSlowsNothingDown(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		f := rate(t, s, leavesOut, executor.SlowDown(2, time.Hour), executor.Until(time.Now().Add(25*time.Second)))
		_, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, []uint64{2, 0, 2}, skippedOf(s))
	})
}

func TestASkippedRunIsOneOfMaxRuns(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		f := rate(t, s, leavesOut, executor.MaxRuns(2))
		_, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, []uint64{2, 0, 2}, skippedOf(s))
	})
}

func TestWhatMakesARunFailIsStrongerThanErrSkipped(t *testing.T) {
	for name, end := range map[string]func(ctx context.Context) error{
		"panic": func(context.Context) error { panic(errNotLeader) },
		"timeout": func(ctx context.Context) error {
			<-ctx.Done()
			return errNotLeader
		},
		"deaf": func(ctx context.Context) error {
			time.Sleep(time.Minute)
			return errNotLeader
		},
		"method that panics":       func(context.Context) error { return hostile{func() { panic("is") }} },
		"method that calls Goexit": func(context.Context) error { return hostile{runtime.Goexit} },
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, s scheduler) {
				f, err := s.Submit(end, executor.Timeout(time.Second))
				require.NoError(t, err)
				_, err = f.Get(t.Context())
				assert.Error(t, err)
				g := rate(t, s, end, executor.Timeout(time.Second), executor.FailurePolicy(executor.StopSeries))
				_, err = g.Get(t.Context())
				assert.Error(t, err)
				require.NoError(t, s.Execute(end))
				time.Sleep(time.Hour)
				if name == "timeout" || name == "deaf" {
					s.ShutdownNow() // the last one has no timeout
					assert.Equal(t, []uint64{3, 2, 1}, skippedOf(s))
					return
				}
				assert.Equal(t, []uint64{3, 3, 0}, skippedOf(s))
			})
		})
	}
}

// hostile is an error whose method does something else.
type hostile struct{ does func() }

func (hostile) Error() string   { return "hostile" }
func (h hostile) Is(error) bool { h.does(); return true }

func TestACancelledRunThatIsSkippedCountsAsBoth(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		f, err := s.Submit(func(ctx context.Context) error { <-ctx.Done(); return errNotLeader })
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.True(t, f.Cancel())
		result, _ := f.Poll()
		assert.ErrorIs(t, result.Err, future.ErrCancelled)
		assert.Equal(t, []uint64{1, 0, 1}, skippedOf(s))
		assert.EqualValues(t, 1, booksOf(s).Cancelled)
	})
}

// breaking is a calendar of each minute, until it is broken: then it answers a time that has passed.
type breaking struct{ broken atomic.Bool }

func (c *breaking) Next(after time.Time) time.Time {
	if c.broken.Load() {
		return after
	}
	return after.Truncate(time.Minute).Add(time.Minute)
}

func TestACalendarThatFailsEndsASeriesThatWasSkipped(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		on := s.(interface {
			On(executor.Calendar, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
		}).On
		c := new(breaking)
		f, err := on(c, func(context.Context) error {
			c.broken.Store(true)
			return errNotLeader
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, executor.ErrCalendar)
		assert.NotErrorIs(t, err, executor.ErrSkipped)
		assert.Equal(t, []uint64{1, 1, 0}, skippedOf(s))
	})
}

// insights are what a scheduler shows that is watched.
func insights(s scheduler) insight.View { return s.(insight.Source).Insight() }

func TestASkippedRunIsNoSuccessThatIsExpected(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		var skip atomic.Bool
		rate(t, s, func(context.Context) error {
			if skip.Load() {
				return errNotLeader
			}
			return nil
		}, executor.Name("poll"), executor.Expect(insight.SuccessWithin(30*time.Second)))
		d.until(25)
		skip.Store(true)
		d.until(49)
		h := insights(s).Health()
		assert.Equal(t, insight.HealthOK, h.Status)
		assert.Zero(t, h.Tasks[0].FailuresInRow)
		d.until(51)
		h = insights(s).Health()
		assert.Equal(t, insight.HealthDegraded, h.Status, "the last success was at 20 s")
		assert.Equal(t, "late", h.Tasks[0].State)
		assert.Equal(t, d.began.Add(20*time.Second), h.Tasks[0].LastSuccess)
		assert.Zero(t, h.Tasks[0].FailuresInRow)
	})
}

func TestASkippedTaskThatRunsOnceDegradesNoHealth(t *testing.T) {
	var told []insight.Health
	onEach(t, func(t *testing.T, s scheduler) {
		for _, opts := range [][]executor.TaskOption{nil, {executor.Retry(2, every(time.Second))}} {
			opts = append(opts, executor.Name("once"), executor.Expect(insight.SuccessWithin(time.Hour)))
			f, err := s.Submit(leavesOut, opts...)
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.ErrorIs(t, err, executor.ErrSkipped)
			synctest.Wait()
			assert.Equal(t, insight.HealthOK, insights(s).Health().Status)
			assert.Empty(t, insights(s).Health().Tasks)
		}
		time.Sleep(time.Minute)
		assert.Empty(t, told)
		_, err := s.Submit(func(context.Context) error { return errBoom }, executor.Name("once"),
			executor.Expect(insight.SuccessWithin(time.Hour)))
		require.NoError(t, err)
		synctest.Wait()
		_, err = s.Submit(leavesOut, executor.Name("once"))
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, insight.HealthDegraded, insights(s).Health().Status, "no success has made up for it")
		told = nil
	}, executor.Watch(insight.Config{OnHealth: func(h insight.Health) { told = append(told, h) }}))
}

func TestASkippedRunIsCountedApartWhereverRunsAre(t *testing.T) {
	var tape bytes.Buffer
	onEach(t, func(t *testing.T, s scheduler) {
		tape.Reset()
		d := newDiary()
		f := rate(t, s, func(ctx context.Context) error {
			if r := d.run(ctx); r.Number < 3 {
				return errNotLeader
			}
			return nil
		}, executor.Name("poll"), executor.MaxRuns(3))
		d.until(25)
		m := insights(s).Measurements()
		assert.EqualValues(t, []uint64{0, 2}, []uint64{m.Failures, m.Skipped})
		assert.EqualValues(t, []uint64{0, 2}, []uint64{m.Tasks[0].Failures, m.Tasks[0].Skipped})
		assert.Zero(t, m.LastSuccess)
		past := insights(s).History().Seconds
		require.Len(t, past, 2)
		assert.Equal(t, insight.Second{At: past[0].At, Runs: 1, Skipped: 1, Name: "poll", Number: 1}, past[0])
		runs := f.History()
		require.Len(t, runs, 2)
		assert.True(t, runs[0].Skipped)
		assert.Equal(t, errNotLeader, runs[0].Err)
		_, err := f.Get(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.Close())

		recording, err := replay.Read(&tape)
		require.NoError(t, err)
		assert.Equal(t, []string{"skipped", "skipped", "ok"}, outcomes(recording))
		again, err := recording.Play(nil)
		require.NoError(t, err)
		assert.Equal(t, outcomes(recording), outcomes(again))
	}, executor.Watch(insight.Config{History: true, Record: &tape}))
}

func outcomes(r *replay.Recording) (all []string) {
	for _, run := range r.Tasks[0].Runs {
		all = append(all, run.Outcome)
	}
	return all
}

func TestTheExpvarOfASkippedRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		require.NoError(t, s.Execute(leavesOut))
		synctest.Wait()
		var text string
		switch s := s.(type) {
		case *executor.ScheduledPool:
			text = s.Expvar().String()
		case *eventloop.Loop:
			text = s.Expvar().String()
		}
		assert.Contains(t, text, `"failures":0,"skipped":1`)
	})
}
