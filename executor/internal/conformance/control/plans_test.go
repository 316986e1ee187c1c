package control_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

func TestANewPeriodCountsFromTheLastRunThatFailuresHavePutOff(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, func(ctx context.Context) error {
			if d.run(ctx).Number == 1 {
				return errBoom
			}
			return nil
		}, executor.SlowDown(4, time.Hour))
		d.until(12) // the next is planned for 50
		require.NoError(t, f.SetPeriod(5*time.Second))
		d.until(36)
		assert.Equal(t, []string{"10", "30", "35"}, d.starts(), "four new periods after 10")
	})
}

// The run at 10 has failed, which doubles the period. What is dropped then, at 30 and 40, leaves
// the next run at 50, which is two periods after 30.
func TestANewPeriodCountsFromWhereTheOldOneDidThoughRunsWereDropped(t *testing.T) {
	pauses := func(d *diary, f *executor.ScheduledFuture[struct{}]) {
		d.until(15)
		f.Pause()
		d.until(45)
		f.Resume()
	}
	for name, c := range map[string]struct {
		policy executor.CatchUpPolicy
		lasts  time.Duration
		meet   func(*diary, *executor.ScheduledFuture[struct{}])
	}{
		"skipped": {executor.Skip, 35 * time.Second, func(*diary, *executor.ScheduledFuture[struct{}]) {}},
		"paused":  {executor.Burst, 0, pauses},
	} {
		for period, next := range map[int]string{8: "47", 9: "48", 12: "54"} {
			t.Run(fmt.Sprint(name, period), func(t *testing.T) {
				onEach(t, func(t *testing.T, s scheduler) {
					d := newDiary()
					f := rate(t, s, func(ctx context.Context) error {
						if d.run(ctx).Number > 1 {
							return nil
						}
						time.Sleep(c.lasts)
						return errBoom
					}, executor.SlowDown(2, time.Hour), executor.CatchUp(c.policy))
					c.meet(d, f)
					d.until(47)
					require.NoError(t, f.SetPeriod(time.Duration(period)*time.Second))
					d.until(70)
					assert.Equal(t, []string{"10", next}, d.starts()[:2])
				})
			})
		}
	}
}

func TestANewPeriodAfterAResetCountsFromTheLastRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0))
		d.until(14)
		f.Reset(3 * time.Second)
		d.until(15)
		require.NoError(t, f.SetPeriod(20*time.Second))
		d.until(51)
		assert.Equal(t, []string{"10", "30", "50"}, d.starts())
	})
}

func TestANewDelayCountsFromTheLastPlannedRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := delayed(t, s, d.task(0))
		d.until(17)
		f.Trigger()
		d.until(18)
		require.NoError(t, f.SetPeriod(9*time.Second))
		d.until(20)
		assert.Equal(t, []string{"10", "17!", "19"}, d.starts())
	})
}

func TestWhatFallsDueDuringAPauseIsCountedThoughThePlanChanges(t *testing.T) {
	for name, change := range map[string]func(f *executor.ScheduledFuture[struct{}]){
		"reset":  func(f *executor.ScheduledFuture[struct{}]) { f.Reset(5 * time.Second) },
		"period": func(f *executor.ScheduledFuture[struct{}]) { _ = f.SetPeriod(15 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, s scheduler) {
				d := newDiary()
				f := rate(t, s, d.task(0))
				d.until(15)
				f.Pause()
				d.until(50.5)
				change(f)
				f.Resume()
				d.until(65.4)
				require.Len(t, d.all(), 2)
				assert.EqualValues(t, 4, d.all()[1].Missed, "20 to 50")
			})
		})
	}
}

func TestARunThatIsMovedByACommandHasMissedNothing(t *testing.T) {
	type series = *executor.ScheduledFuture[struct{}]
	for name, command := range map[string]func(ctx context.Context, f series){
		"Reset":  func(_ context.Context, f series) { f.Reset(time.Second) },
		"NextIn": func(ctx context.Context, _ series) { executor.NextIn(ctx, 0) },
	} {
		for policy := executor.Burst; policy <= executor.Shift; policy++ {
			t.Run(name, func(t *testing.T) {
				onEach(t, func(t *testing.T, s scheduler) {
					d := newDiary()
					var own atomic.Pointer[executor.ScheduledFuture[struct{}]]
					own.Store(rate(t, s, func(ctx context.Context) error {
						if d.run(ctx).Number == 1 {
							command(ctx, own.Load())
							time.Sleep(37 * time.Second) // to 47
						}
						return nil
					}, executor.CatchUp(policy)))
					d.until(48)
					assert.Equal(t, []string{"10", "47"}, d.starts())
					assert.Zero(t, d.all()[1].Missed)
				})
			})
		}
	}
}

func TestAResetReplacesTheChoiceOfAnExtraRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, func(ctx context.Context) error {
			if d.run(ctx).Triggered {
				executor.NextIn(ctx, 30*time.Second)
				time.Sleep(2 * time.Second)
			}
			return nil
		})
		d.until(12)
		f.Trigger()
		d.until(13)
		f.Reset(5 * time.Second)
		d.until(30)
		assert.Equal(t, []string{"10", "12!", "18", "28"}, d.starts())
	})
}

func TestASingleAttemptIsTheFirst(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		rate(t, s, d.task(0), executor.Retry(1, retry.Backoff{}))
		f, err := s.Submit(d.task(0), executor.Retry(1, retry.Backoff{}))
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		require.NoError(t, err)
		d.until(15)
		for _, r := range d.all() {
			assert.EqualValues(t, 1, r.Attempt)
		}
	})
}
