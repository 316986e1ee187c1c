package control_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/timer/cron"
)

// unknown is what nextAt returns if Next reports false.
const unknown = -1.0

// nextAt returns the time of the next run, in seconds since the diary was begun. The status has to
// say the same.
func (d *diary) nextAt(t *testing.T, h executor.Handle) float64 {
	t.Helper()
	at, planned := h.Next()
	assert.True(t, at.Equal(h.Status().Next), "the status says %v, and Next %v", h.Status().Next, at)
	if !planned {
		require.Zero(t, at)
		return unknown
	}
	return at.Sub(d.began).Seconds()
}

// During its run, from 10 s to 35 s, a series at a rate knows its next one, by its policy.
func TestNextDuringARunOfASeriesAtARate(t *testing.T) {
	for policy, want := range map[executor.CatchUpPolicy][3]float64{ // at 11 s, 20 s and 32 s
		executor.Burst:    {20, 20, 20},
		executor.Coalesce: {20, 20, 20},
		executor.Skip:     {20, 20, 40},
		executor.Shift:    {20, 20, 32},
	} {
		onEach(t, func(t *testing.T, s scheduler) {
			d := newDiary()
			f := rate(t, s, d.task(25*time.Second), executor.CatchUp(policy))
			for i, at := range []float64{11, 20, 32} {
				d.until(at)
				assert.InDelta(t, want[i], d.nextAt(t, f.Handle), 0, "policy %v, at %v s", policy, at)
			}
		})
	}
}

// onCalendar is what pools and loops have for that.
type onCalendar interface {
	On(when executor.Calendar, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
}

func TestNextDuringARunOfASeriesOnACalendar(t *testing.T) {
	for policy, want := range map[executor.CatchUpPolicy][2]float64{ // at 61 s and 190 s
		executor.Burst:    {120, 120},
		executor.Coalesce: {120, 120},
		executor.Skip:     {120, unknown},
	} {
		onEach(t, func(t *testing.T, s scheduler) {
			d := newDiary()
			f, err := s.(onCalendar).On(cron.MustParse("* * * * *", cron.Zone(time.FixedZone("there", 3600))), d.task(200*time.Second),
				executor.CatchUp(policy))
			require.NoError(t, err)
			first, _ := f.Next()
			for i, at := range []float64{61, 190} {
				d.until(at)
				assert.InDelta(t, want[i], d.nextAt(t, f.Handle), 0, "policy %v, at %v s", policy, at)
			}
			if at, planned := f.Next(); planned {
				assert.Equal(t, first.Location(), at.Location())
			}
		})
	}
}

func TestNextDuringARunThatDecidesIt(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		takes := d.task(2 * time.Second)
		byItself := func(last executor.LastRun) (time.Duration, bool) { return time.Second, true }
		chooses := func(ctx context.Context) error {
			executor.NextIn(ctx, time.Second)
			return takes(ctx)
		}
		for what, f := range map[string]*executor.ScheduledFuture[struct{}]{
			"a fixed delay": delayed(t, s, takes),
			"DelayBy":       rate(t, s, takes, executor.DelayBy(byItself)),
			"NextIn":        rate(t, s, chooses),
			"SlowDown":      rate(t, s, takes, executor.SlowDown(2, time.Hour)),
		} {
			before := d.now()
			for f.State().String() != "running" {
				time.Sleep(time.Second)
				synctest.Wait()
				require.Less(t, d.now(), before+100)
			}
			assert.InDelta(t, unknown, d.nextAt(t, f.Handle), 0, what)
			f.Reset(time.Minute)
			assert.InDelta(t, d.now()+60, d.nextAt(t, f.Handle), 0, "%s, but somebody has decided", what)
			f.Cancel()
			assert.InDelta(t, unknown, d.nextAt(t, f.Handle), 0, "%s, cancelled", what)
		}
	})
}

// A pause during the run leaves no next one, and the end of the pause drops what has passed.
func TestNextDuringARunAndAPause(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(30*time.Second))
		d.until(11)
		f.Pause()
		assert.InDelta(t, unknown, d.nextAt(t, f.Handle), 0)
		d.until(35)
		f.Trigger()
		assert.InDelta(t, 35, d.nextAt(t, f.Handle), 0, "the extra run comes in a pause too")
		f.Resume()
		assert.InDelta(t, 35, d.nextAt(t, f.Handle), 0)
		d.until(41)
		assert.Equal(t, []string{"10", "40!"}, d.starts())
		assert.InDelta(t, 40, d.nextAt(t, f.Handle), 0, "the plan stays during an extra run")
		d.until(71)
		assert.Equal(t, []string{"10", "40!", "70"}, d.starts())
	})
}

func TestNextDuringTheLastRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		body := d.task(2 * time.Second)
		until := rate(t, s, body, executor.Until(d.began.Add(30*time.Second)))
		d.until(15)
		runs := rate(t, s, body, executor.MaxRuns(1)) // the first at 25 s
		d.until(21)
		assert.InDelta(t, unknown, d.nextAt(t, until.Handle), 0, "30 s is the end")
		assert.InDelta(t, 25, d.nextAt(t, runs.Handle), 0)
		d.until(26)
		assert.InDelta(t, unknown, d.nextAt(t, runs.Handle), 0)
	})
}

// During an attempt, and between two, it is another matter: the run is not over.
func TestNextDuringAnAttempt(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		body := d.task(2 * time.Second)
		f := rate(t, s, func(ctx context.Context) error {
			_ = body(ctx)
			return errBoom
		}, executor.Retry(2, retry.Backoff{Base: 3 * time.Second, Spread: retry.NoSpread}))
		d.until(11)
		assert.InDelta(t, 20, d.nextAt(t, f.Handle), 0, "the first attempt")
		d.until(13)
		assert.InDelta(t, 15, d.nextAt(t, f.Handle), 0, "the second waits")
		d.until(16)
		assert.InDelta(t, 20, d.nextAt(t, f.Handle), 0, "the second")
		assert.Equal(t, []string{"10", "15"}, d.starts())
	})
}

// After a shutdown no other run comes.
func TestNextDuringARunAndAShutdown(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(5*time.Second))
		d.until(11)
		assert.InDelta(t, 20, d.nextAt(t, f.Handle), 0)
		s.Shutdown()
		assert.InDelta(t, unknown, d.nextAt(t, f.Handle), 0)
	})
}

// The body may ask about itself, and the jitter of the next run is not drawn yet.
func TestNextWithinTheBody(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		var next []float64
		f := rate(t, s, func(ctx context.Context) error {
			h, ok := executor.HandleFrom(ctx)
			require.True(t, ok)
			next = append(next, d.nextAt(t, h))
			return nil
		}, executor.Jitter(5*time.Second))
		d.until(36)
		f.Cancel()
		assert.Equal(t, []float64{20, 30, 40}, next)
	})
}
