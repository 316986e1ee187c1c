package observe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// A submission after the end must be refused, also if there is a recording.
func TestZZSubmitAfterCloseWithRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := executor.NewScheduledPool(1, executor.Record(&out))
		require.NoError(t, p.Close())
		assert.NotPanics(t, func() {
			_, err := p.Schedule(0, lasts(0))
			assert.Error(t, err)
		})
	})
}

type zzBadCalendar struct{ n *atomic.Int32 }

func (c zzBadCalendar) Next(t time.Time) time.Time {
	if c.n.Add(1) > 1 {
		panic("calendar is broken")
	}
	return t.Truncate(time.Minute).Add(time.Minute)
}

// A run whose calendar fails before the body: Ended without Began, with a context of another task, or none.
func TestZZCalendarFailsBeforeTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began, ended, nilCtx, foreign int
		type key struct{}
		p := executor.NewScheduledPool(1, executor.Observe(executor.Observer{
			Began: func(ctx context.Context, r executor.Run) context.Context {
				if r.Name == "cal" {
					began++
				}
				return context.WithValue(ctx, key{}, r.Name)
			},
			Ended: func(ctx context.Context, r executor.Run, err error) {
				if r.Name != "cal" {
					return
				}
				ended++
				if ctx == nil {
					nilCtx++
				} else if ctx.Value(key{}) != r.Name {
					foreign++
				}
			},
		}))
		defer p.Close()
		_, err := p.On(zzBadCalendar{new(atomic.Int32)}, lasts(0), executor.Name("cal"))
		require.NoError(t, err)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		t.Logf("stats %+v", p.Stats())
		assert.Equal(t, began, ended, "began and ended")
		assert.Zero(t, nilCtx, "Ended with a nil context")
		assert.Zero(t, foreign)
	})
}

// Jitter is not late.
func TestZZJitterOnACalendarIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.On(zzMinutes{}, lasts(0), executor.Name("cal"), executor.Jitter(30*time.Second))
		require.NoError(t, err)
		time.Sleep(20 * time.Minute)
		assert.Empty(t, b.read())
	})
}

type zzMinutes struct{}

func (zzMinutes) Next(t time.Time) time.Time { return t.Truncate(time.Minute).Add(time.Minute) }

func TestZZResetOnACalendarIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		f, err := p.On(zzMinutes{}, lasts(0), executor.Name("cal"))
		require.NoError(t, err)
		time.Sleep(90 * time.Second)
		assert.True(t, f.Reset(10*time.Minute))
		time.Sleep(20 * time.Minute)
		assert.Empty(t, b.read(), "reset")
		f.Pause()
		time.Sleep(30 * time.Minute)
		f.Resume()
		time.Sleep(5 * time.Minute)
		assert.Empty(t, b.read(), "resumed")
		f.Trigger()
		time.Sleep(5 * time.Minute)
		assert.Empty(t, b.read(), "triggered")
	})
}

func TestZZNextInOnACalendarIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		n := 0
		_, err := p.On(zzMinutes{}, func(ctx context.Context) error {
			if n++; n == 2 {
				executor.NextIn(ctx, 5*time.Minute)
			}
			return nil
		}, executor.Name("cal"))
		require.NoError(t, err)
		time.Sleep(20 * time.Minute)
		assert.Empty(t, b.read())
	})
}

func TestZZSeriesCommandsAreNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		for _, c := range []executor.CatchUpPolicy{executor.Burst, executor.Coalesce, executor.Skip, executor.Shift} {
			f, err := p.AtFixedRate(time.Second, time.Second, lasts(0), executor.Name("s"), executor.CatchUp(c))
			require.NoError(t, err)
			time.Sleep(2500 * ms)
			f.Pause()
			time.Sleep(10 * time.Second)
			f.Resume()
			time.Sleep(3 * time.Second)
			assert.Empty(t, b.read(), "resume %v", c)
			f.Trigger()
			time.Sleep(3 * time.Second)
			assert.Empty(t, b.read(), "trigger %v", c)
			f.Reset(7 * time.Second)
			time.Sleep(10 * time.Second)
			assert.Empty(t, b.read(), "reset %v", c)
			require.NoError(t, f.SetPeriod(300*ms))
			time.Sleep(5 * time.Second)
			require.NoError(t, f.SetPeriod(3*time.Second))
			time.Sleep(10 * time.Second)
			assert.Empty(t, b.read(), "period %v", c)
			f.Pause()
			f.Trigger()
			time.Sleep(10 * time.Second)
			f.Resume()
			time.Sleep(3 * time.Second)
			assert.Empty(t, b.read(), "trigger paused %v", c)
			f.Cancel()
		}
	})
}

func TestZZRetryIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.AtFixedRate(time.Second, 10*time.Second, func(ctx context.Context) error {
			r, _ := executor.RunFrom(ctx)
			if r.Attempt < 3 {
				return errors.New("x")
			}
			return nil
		}, executor.Name("r"), executor.Retry(3, executor.Backoff{Base: time.Second}))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Empty(t, b.read())
	})
}

// What a pace or a gap holds up is not "wake": no worker was woken late.
func TestZZPaceAndGapAreNoLateWake(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		for i := range 2 {
			at(p, 0, fmt.Sprint("paced", i), 0)
		}
		time.Sleep(3 * time.Second)
		for _, line := range b.read() {
			assert.NotContains(t, line, "wake")
		}
	}, executor.Pace(1, time.Second))
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		s := executor.NewSerial(p, executor.Gap(time.Second))
		for i := range 2 {
			require.NoError(t, s.Execute(lasts(0), executor.Name(fmt.Sprint("gap", i))))
		}
		time.Sleep(3 * time.Second)
		for _, line := range b.read() {
			assert.NotContains(t, line, "wake")
		}
	})
}

// An expired run of a calendar is measured, though it has not run; one of another series is not.
func TestZZExpiredRunsOfACalendarAreNotMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told int
		p := executor.NewScheduledPool(1, executor.ExplainLate(0), executor.Observe(executor.Observer{
			Late: func(context.Context, executor.Run, executor.Lateness) { told++ }}))
		defer p.Close()
		_, err := p.On(zzMinutes{}, lasts(0), executor.Name("cal"), executor.BeginWithin(time.Second))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		require.NoError(t, p.Execute(lasts(40*time.Second)))
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		s, m := p.Stats(), p.Measurements()
		require.NotZero(t, s.Expired)
		assert.Equal(t, s.Runs, m.Late.Count())
		assert.Equal(t, m.Took.Count(), m.Late.Count())
		_ = told
	})
}

// A task of the name has been submitted since: so it is not failed any more.
func TestZZAFailureIsForgottenOnceTheNameIsThereAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		fail := func(context.Context) error { return errors.New("x") }
		_, err := p.Schedule(0, fail, executor.Name("a"), executor.Expect(executor.SuccessWithin(time.Hour)))
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, executor.HealthDegraded, p.Health().Status)
		_, err = p.Schedule(0, lasts(0), executor.Name("a"))
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, executor.HealthOK, p.Health().Status)
	})
}

// A refused submission must not make the failure of its predecessor forgotten.
func TestZZARefusedSubmissionClearsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.BoundedFIFO(1), pooltest.Quiet())
		defer p.Close()
		opts := []executor.TaskOption{executor.Name("a"), executor.Expect(executor.SuccessWithin(time.Hour))}
		_, err := p.Submit(func(context.Context) error { return errors.New("x") }, opts...)
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, executor.HealthDegraded, p.Health().Status)
		require.NoError(t, p.Execute(lasts(time.Second)))
		synctest.Wait()
		require.NoError(t, p.Execute(lasts(time.Second)))
		_, err = p.Submit(lasts(0), opts...)
		require.Error(t, err)
		assert.Equal(t, executor.HealthDegraded, p.Health().Status)
	})
}

// A task that has ended well is no measure of whether the pool is stuck.
func TestZZAnEndedTaskMakesNoPoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		_, err := p.Schedule(0, lasts(0), executor.Expect(executor.SuccessWithin(10*ms)))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		require.NoError(t, p.Execute(lasts(time.Second)))
		require.NoError(t, p.Execute(lasts(0)))
		time.Sleep(500 * ms)
		h := p.Health()
		assert.Empty(t, h.Tasks)
		assert.Equal(t, executor.HealthOK, h.Status, "%v", h.Err())
	})
}

// "Nothing has to be reset: one success clears all." And a pause: nothing is expected.
func TestZZOneSuccessClearsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		_, err := p.AtFixedRate(0, time.Hour, lasts(0), executor.Name("a"),
			executor.Expect(executor.StartWithin(time.Second, 1)))
		require.NoError(t, err)
		time.Sleep(59 * time.Minute)
		p.Pause()
		time.Sleep(2 * time.Minute)
		p.Resume()
		synctest.Wait()
		assert.Equal(t, executor.HealthOK, p.Health().Status, "after a pause: %v", p.Health().Err())
		time.Sleep(48 * time.Hour)
		assert.Equal(t, executor.HealthOK, p.Health().Status, "48 runs in time later")
	})
}

// Expect of tasks with one name must not take quadratic time.
func TestZZExpectIsNotQuadratic(t *testing.T) {
	took := func(n int) time.Duration {
		p := executor.NewScheduledPool(1)
		defer p.ShutdownNow()
		begun := time.Now()
		for range n {
			_, _ = p.Schedule(time.Hour, lasts(0), executor.Name("a"),
				executor.Expect(executor.SuccessWithin(2*time.Hour)))
		}
		return time.Since(begun)
	}
	a, b := took(2500), took(10000)
	t.Logf("2500: %v, 10000: %v", a, b)
	assert.Less(t, b, 10*a)
}
