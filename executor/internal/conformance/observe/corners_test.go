package observe_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/retry"
)

// A submission after the end must be refused, also if there is a recording.
func TestSubmitAfterCloseWithRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{Record: &out}))
		require.NoError(t, p.Close())
		assert.NotPanics(t, func() {
			_, err := p.Schedule(0, lasts(0))
			assert.Error(t, err)
		})
	})
}

type failingCalendar struct{ n *atomic.Int32 }

func (c failingCalendar) Next(t time.Time) time.Time {
	if c.n.Add(1) > 1 {
		panic("calendar is broken")
	}
	return t.Truncate(time.Minute).Add(time.Minute)
}

// A run whose calendar fails before the body: Ended without Began, with a context of another task,
// or none.
func TestCalendarFailsBeforeTheBody(t *testing.T) {
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
		_, err := p.On(failingCalendar{new(atomic.Int32)}, lasts(0), executor.Name("cal"))
		require.NoError(t, err)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		assert.Equal(t, began, ended, "began and ended")
		assert.Zero(t, nilCtx, "Ended with a nil context")
		assert.Zero(t, foreign)
	})
}

// Jitter is not late.
func TestJitterOnACalendarIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.On(everyMinute{}, lasts(0), executor.Name("cal"), executor.Jitter(30*time.Second))
		require.NoError(t, err)
		time.Sleep(20 * time.Minute)
		assert.Empty(t, b.read())
	})
}

type everyMinute struct{}

func (everyMinute) Next(t time.Time) time.Time { return t.Truncate(time.Minute).Add(time.Minute) }

func TestResetOnACalendarIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		f, err := p.On(everyMinute{}, lasts(0), executor.Name("cal"))
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

func TestNextInOnACalendarIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		n := 0
		_, err := p.On(everyMinute{}, func(ctx context.Context) error {
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

func TestSeriesCommandsAreNotLate(t *testing.T) {
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

func TestRetryIsNotLate(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.AtFixedRate(time.Second, 10*time.Second, func(ctx context.Context) error {
			r, _ := executor.RunFrom(ctx)
			if r.Attempt < 3 {
				return errors.New("x")
			}
			return nil
		}, executor.Name("r"), executor.Retry(3, retry.Backoff{Base: time.Second}))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Empty(t, b.read())
	})
}

// A refused submission must not make the failure of its predecessor forgotten.
func TestARefusedSubmissionClearsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Queue(queue.Bounded(1)), pooltest.Quiet())
		defer p.Close()
		opts := []executor.TaskOption{executor.Name("a"),
			executor.Expect(insight.SuccessWithin(time.Hour))}
		_, err := p.Submit(func(context.Context) error { return errors.New("x") }, opts...)
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, insight.HealthDegraded, p.Insight().Health().Status)
		require.NoError(t, p.Execute(lasts(time.Second)))
		synctest.Wait()
		require.NoError(t, p.Execute(lasts(time.Second)))
		_, err = p.Submit(lasts(0), opts...)
		require.Error(t, err)
		assert.Equal(t, insight.HealthDegraded, p.Insight().Health().Status)
	})
}

// A task that has ended well is no measure of whether the pool is stuck.
func TestAnEndedTaskMakesNoPoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		_, err := p.Schedule(0, lasts(0), executor.Expect(insight.SuccessWithin(10*ms)))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		require.NoError(t, p.Execute(lasts(time.Second)))
		require.NoError(t, p.Execute(lasts(0)))
		time.Sleep(500 * ms)
		h := p.Insight().Health()
		assert.Empty(t, h.Tasks)
		assert.Equal(t, insight.HealthOK, h.Status, "%v", h.Err())
	})
}
