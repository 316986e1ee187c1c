package control_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestAPausedSeriesDoesNotRunAndKeepsItsPhase(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0))
		d.until(25)
		assert.True(t, f.Pause())
		assert.False(t, f.Pause(), "it is paused already")
		assert.True(t, f.Paused())
		_, planned := f.Next()
		assert.False(t, planned)
		d.until(63)
		assert.True(t, f.Resume())
		assert.False(t, f.Resume())
		d.until(85)
		assert.Equal(t, []string{"10", "20", "70", "80"}, d.starts())
		runs := d.all()
		assert.EqualValues(t, 4, runs[2].Missed, "30 to 60")
		assert.EqualValues(t, 3, runs[2].Number)
		assert.Zero(t, runs[3].Missed)
	})
}

func TestASlotThatFallsOnTheResumeIsKept(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0))
		f.Pause()
		d.until(30)
		f.Resume()
		d.until(45)
		assert.Equal(t, []string{"30", "40"}, d.starts())
	})
}

func TestAPauseThatIsShorterThanTheWaitChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		for _, f := range []*executor.ScheduledFuture[struct{}]{rate(t, s, d.task(0)), delayed(t, s, d.task(0))} {
			f.Pause()
			d.until(5)
			f.Resume()
		}
		d.until(25)
		assert.Equal(t, []string{"10", "10", "20", "20"}, d.starts())
	})
}

func TestAPauseDuringARunLetsItEnd(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(25*time.Second))
		d.until(15)
		f.Pause()
		d.until(100)
		assert.Equal(t, []string{"10"}, d.starts())
		f.Resume()
		d.until(101)
		assert.Equal(t, []string{"10", "100"}, d.starts())
	})
}

func TestAPauseAndResumeWithinOneRunDropWhatFellDue(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, func(ctx context.Context) error {
			if d.run(ctx).Number == 1 {
				time.Sleep(48 * time.Second) // to 58
			}
			return nil
		})
		d.until(15)
		f.Pause()
		d.until(45)
		f.Resume()
		d.until(75)
		assert.Equal(t, []string{"10", "58", "60", "70"}, d.starts(), "a burst for 50 only")
		assert.EqualValues(t, 3, d.all()[1].Missed)
	})
}

func TestAFixedDelayResumesAfterWholeDelays(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := delayed(t, s, d.task(3*time.Second)) // 10 to 13, 23 to 26
		d.until(15)
		f.Pause()
		d.until(60)
		f.Resume()
		d.until(80)
		assert.Equal(t, []string{"10", "63", "76"}, d.starts())
	})
}

func TestAPausedSeriesCanBeCancelledAndIsHandedBack(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, g := rate(t, s, d.task(0)), rate(t, s, d.task(0), executor.Name("kept"))
		f.Pause()
		g.Pause()
		assert.True(t, f.Cancel())
		assert.False(t, f.Resume())
		assert.False(t, f.Trigger())
		assert.False(t, f.Paused())
		requireBalanced(t, s)
		report := s.ShutdownNow()
		require.Len(t, report, 1)
		assert.Equal(t, "kept", report[0].Name)
		assert.Zero(t, report[0].Scheduled, "it has no time")
		assert.False(t, g.Resume())
	})
}

func TestATriggerRunsOnceMoreAndLeavesThePlan(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0), executor.MaxRuns(3))
		d.until(3)
		assert.True(t, f.Trigger())
		d.until(25)
		assert.True(t, f.Trigger())
		_, err := f.Get(context.Background())
		require.NoError(t, err)
		assert.Equal(t, []string{"3!", "10", "20", "25!", "30"}, d.starts(), "the maximum is of planned runs")
		assert.EqualValues(t, 5, f.Runs())
		assert.False(t, f.Trigger(), "it has ended")
		for _, r := range d.all() {
			assert.Equal(t, r.Scheduled, r.Started)
		}
	})
}

func TestTheNextRunIsTheOneThatWasTriggered(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0))
		for range 3 { // no worker is free
			_, err := s.Submit(func(context.Context) error { time.Sleep(2 * time.Second); return nil })
			require.NoError(t, err)
		}
		d.until(1)
		assert.True(t, f.Trigger())
		next, ok := f.Next()
		assert.True(t, ok)
		assert.Equal(t, d.began.Add(time.Second), next)
		d.until(8)
		next, _ = f.Next()
		assert.Equal(t, d.began.Add(10*time.Second), next)
	})
}

func TestTriggersDuringARunAreOneRunAfterIt(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(4*time.Second))
		d.until(11)
		for range 3 {
			assert.True(t, f.Trigger())
		}
		d.until(16)
		assert.True(t, f.Trigger(), "during the extra run")
		d.until(35)
		assert.Equal(t, []string{"10", "14!", "18!", "22", "30"}, d.starts())
	})
}

func TestATriggerWorksDuringAPause(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0))
		f.Pause()
		d.until(34)
		f.Trigger()
		d.until(50)
		assert.Equal(t, []string{"34!"}, d.starts())
		assert.True(t, f.Paused())
	})
}

func TestATriggerAtTheTimeOfAPlannedRunIsAnother(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(time.Second))
		time.Sleep(10 * time.Second)
		f.Trigger()
		d.until(25)
		assert.ElementsMatch(t, []string{"10", "11!", "20"}, d.starts())
	})
}

func TestAnOverduePlannedRunComesBeforeALaterTrigger(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		for range 3 {
			_, err := s.Schedule(9*time.Second, func(context.Context) error { time.Sleep(8 * time.Second); return nil })
			require.NoError(t, err)
		}
		f := rate(t, s, d.task(0))
		d.until(12)
		f.Trigger()
		d.until(60)
		first := d.all()[0]
		assert.False(t, first.Triggered)
		assert.True(t, d.all()[1].Triggered)
	})
}

func TestATriggerOfASeriesThatEndsWithItsRunIsVoid(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(5*time.Second), executor.MaxRuns(1))
		d.until(12)
		f.Trigger()
		d.until(60)
		assert.Equal(t, []string{"10"}, d.starts())
		assert.True(t, f.State() >= future.Succeeded)
	})
}

func TestAResetBeginsANewGrid(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0))
		d.until(14)
		assert.True(t, f.Reset(3*time.Second))
		d.until(40)
		assert.Equal(t, []string{"10", "17", "27", "37"}, d.starts())
	})
}

func TestAResetDuringARunWaitsForItsEnd(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(4*time.Second))
		d.until(11)
		f.Reset(time.Second)
		d.until(26)
		assert.Equal(t, []string{"10", "14", "24"}, d.starts(), "the grid begins at the end of the run")
		f.Reset(9 * time.Second)
		d.until(50)
		assert.Equal(t, []string{"10", "14", "24", "35", "45"}, d.starts())
	})
}

func TestAResetOfAPausedSeriesKeepsItPaused(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0))
		f.Pause()
		assert.True(t, f.Reset(3*time.Second))
		d.until(31)
		assert.Empty(t, d.starts())
		f.Resume()
		d.until(45)
		assert.Equal(t, []string{"33", "43"}, d.starts())
	})
}

func TestATaskThatRunsOnceIsPutOffAndBroughtForward(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.Schedule(10*time.Second, d.task(0))
		require.NoError(t, err)
		g, err := s.Schedule(time.Hour, d.task(0), executor.Name("far"))
		require.NoError(t, err)
		for at := 5.0; at <= 50; at += 5 {
			d.until(at)
			require.True(t, f.Reset(10*time.Second))
			next, ok := f.Next()
			require.True(t, ok)
			require.Equal(t, d.began.Add(time.Duration(at+10)*time.Second), next)
		}
		assert.True(t, g.Reset(-1), "now")
		d.until(70)
		assert.Equal(t, []string{"50", "60"}, d.starts())
		assert.False(t, f.Reset(0), "it has run")
		requireBalanced(t, s)
	})
}

func TestATaskThatRunsOnceObeysNoOtherCommand(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		f, err := s.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		assert.False(t, f.Pause() || f.Resume() || f.Paused() || f.Trigger())
		assert.ErrorIs(t, f.SetPeriod(time.Second), executor.ErrInvalid)
		_, ok := f.Last()
		assert.False(t, ok)
	})
}

func TestAFutureOfNoSchedulerObeysNoCommand(t *testing.T) {
	f := &executor.ScheduledFuture[struct{}]{Future: future.Of(struct{}{})}
	assert.False(t, f.Pause() || f.Resume() || f.Paused() || f.Trigger() || f.Reset(0))
	assert.ErrorIs(t, f.SetPeriod(time.Second), executor.ErrInvalid)
	_, ok := f.Last()
	assert.False(t, ok)
}

func TestANewPeriodCountsFromTheLastPlannedRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, d.task(0))
		require.NoError(t, f.SetPeriod(3*time.Second))
		d.until(14)
		require.NoError(t, f.SetPeriod(20*time.Second))
		d.until(51)
		assert.Equal(t, []string{"10", "13", "33"}, d.starts(), "the first run stays where it is")
		require.NoError(t, f.SetPeriod(7*time.Second))
		d.until(66)
		assert.Equal(t, []string{"10", "13", "33", "51", "58", "65"}, d.starts(), "40 has passed: a new grid, and no burst")
		require.NoError(t, f.SetPeriod(7*time.Second), "the same")
		d.until(73)
		assert.Equal(t, "72", d.starts()[6])
	})
}

func TestANewDelayCountsFromTheEndOfTheLastRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := delayed(t, s, d.task(2*time.Second))
		d.until(15)
		require.NoError(t, f.SetPeriod(5*time.Second))
		d.until(18) // in a run
		require.NoError(t, f.SetPeriod(time.Second))
		d.until(24)
		assert.Equal(t, []string{"10", "17", "20", "23"}, d.starts())
	})
}

func TestANewPeriodDuringALongRunOwesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
			if d.run(ctx).Number == 1 {
				time.Sleep(100 * time.Second)
			}
			return nil
		})
		require.NoError(t, err)
		d.until(98)
		require.NoError(t, f.SetPeriod(5*time.Second))
		d.until(110)
		assert.Equal(t, []string{"0", "100", "103", "108"}, d.starts())
	})
}

func TestABadPeriodIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		f := rate(t, s, pooltest.Nothing, executor.Jitter(5*time.Second))
		for _, d := range []time.Duration{0, -1, time.Second} {
			assert.ErrorIs(t, f.SetPeriod(d), executor.ErrInvalid, d)
		}
		f.Cancel()
		assert.Error(t, f.SetPeriod(10*time.Second))
	})
}

func TestTheLastRunIsTold(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f := rate(t, s, func(ctx context.Context) error {
			if d.run(ctx).Number == 2 {
				time.Sleep(3 * time.Second)
				return errBoom
			}
			return nil
		}, executor.Name("poll"))
		_, ok := f.Last()
		assert.False(t, ok)
		d.until(15)
		last, ok := f.Last()
		require.True(t, ok)
		assert.NoError(t, last.Err)
		d.until(28)
		last, _ = f.Last()
		assert.ErrorIs(t, last.Err, errBoom)
		assert.Equal(t, 3*time.Second, last.Took)
		assert.Equal(t, executor.Run{Name: "poll", Number: 2, Scheduled: d.began.Add(20 * time.Second), Started: d.began.Add(20 * time.Second)}, last.Run)
	})
}

func TestARunChoosesItsNextTimeOnce(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		body := func(ctx context.Context) error {
			if r := d.run(ctx); r.Number == 2 {
				assert.True(t, executor.NextIn(ctx, time.Hour))
				time.Sleep(time.Second)
				assert.True(t, executor.NextIn(context.WithoutCancel(ctx), 22*time.Second))
			}
			return nil
		}
		f := rate(t, s, body)
		d.until(65)
		assert.Equal(t, []string{"10", "20", "43", "50", "60"}, d.starts(), "the grid stays")
		f.Cancel()
	})
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		delayed(t, s, func(ctx context.Context) error {
			if d.run(ctx).Number < 3 {
				executor.NextIn(ctx, 0)
			}
			return nil
		})
		d.until(25)
		assert.Equal(t, []string{"10", "10", "10", "20"}, d.starts())
	})
}

func TestNextInIsForARunOfASeriesInProgress(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		assert.False(t, executor.NextIn(context.Background(), 1))
		assert.False(t, executor.NextIn(nil, 1)) //nolint:staticcheck // what a caller may do by mistake
		var kept context.Context
		f, err := s.Submit(func(ctx context.Context) error {
			assert.False(t, executor.NextIn(ctx, 1))
			return nil
		})
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		require.NoError(t, err)
		d := newDiary()
		rate(t, s, func(ctx context.Context) error { kept = ctx; return nil })
		d.until(15)
		assert.False(t, executor.NextIn(kept, 1), "the run is over")
	})
}

func TestWithdrawStopsOnlyWhatHasNeverBegun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		f, err := s.Schedule(10*time.Second, d.task(5*time.Second))
		require.NoError(t, err)
		g, err := s.Schedule(time.Hour, d.task(0))
		require.NoError(t, err)
		h := rate(t, s, d.task(0))
		d.until(12)
		assert.False(t, f.Withdraw(), "it runs")
		assert.True(t, g.Withdraw())
		assert.False(t, g.Withdraw())
		d.until(16)
		assert.False(t, f.Withdraw(), "it has run")
		d.until(25)
		assert.False(t, h.Withdraw(), "it has begun, between two runs")
		assert.False(t, h.State() >= future.Succeeded)
		requireBalanced(t, s)
	})
}

func TestCommandsFromInsideTakeEffectAfterTheRun(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		d := newDiary()
		rate(t, s, func(ctx context.Context) error {
			f, ok := executor.HandleFrom(ctx)
			assert.True(t, ok)
			switch d.run(ctx).Number {
			case 1:
				assert.True(t, f.Trigger())
			case 2:
				assert.True(t, f.Pause())
				assert.True(t, f.Trigger())
			case 3:
				assert.True(t, f.Resume())
				assert.NoError(t, f.SetPeriod(3*time.Second))
			case 4:
				assert.True(t, f.Reset(time.Second))
			case 5:
				f.Cancel()
				assert.False(t, f.Reset(0))
			}
			return nil
		})
		d.until(100)
		assert.Equal(t, []string{"10", "10!", "10!", "13", "14"}, d.starts())
	})
}

func TestARunHasAHandleOnlyOfItsOwnTask(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		_, ok := executor.HandleFrom(context.Background())
		assert.False(t, ok)
		_, ok = executor.HandleFrom(nil) //nolint:staticcheck // what a caller may do by mistake
		assert.False(t, ok)
		require.NoError(t, s.Execute(func(ctx context.Context) error {
			_, ok := executor.HandleFrom(ctx)
			assert.False(t, ok)
			return nil
		}))
		f, err := s.Submit(func(ctx context.Context) error {
			h, ok := executor.HandleFrom(context.WithoutCancel(ctx))
			assert.True(t, ok)
			assert.Equal(t, "named", h.Name())
			assert.True(t, h.Cancel())
			return nil
		}, executor.Name("named"))
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		assert.ErrorIs(t, err, future.ErrCancelled)
	})
}
