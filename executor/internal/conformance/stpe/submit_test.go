package stpe_test

import (
	"context"
	"math"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestSTPE010_ExecuteRunsAtOnceOnAnIdleWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		require.NoError(t, p.Execute(d.task("a")))
		synctest.Wait()
		assert.Equal(t, theSeconds(0), d.theTimes())
	})
}

func TestSTPE010_ExecuteNeverRunsOnTheGoroutineOfTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		where := make(chan string, 1)
		require.NoError(t, p.Execute(func(context.Context) error { where <- probe.Goroutine(); return nil }))
		assert.NotEqual(t, probe.Goroutine(), <-where)
	})
}

func TestSTPE010_ExecuteGoesThroughTheQueueBehindWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		_, err := p.Schedule(0, d.task("scheduled"))
		require.NoError(t, err)
		require.NoError(t, p.Execute(d.task("executed")))
		assert.Equal(t, 2, p.Stats().Queued)
		release()
		synctest.Wait()
		assert.Equal(t, []string{"scheduled", "executed"}, d.theNames())
	})
}

func TestSTPE011_SubmitYieldsTheValueOfATypedTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := executor.Submit(p, func(context.Context) (string, error) { return "value", nil })
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "value", v)
		assert.Equal(t, future.Succeeded, f.State())
	})
}

// A typed submission takes the place of Java's submit(runnable, value).
func TestSTPE011_SubmitOfAnUntypedTaskYieldsNothingButItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Submit(d.task("a"))
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, struct{}{}, v)
		assert.Equal(t, theSeconds(0), d.theTimes())
	})
}

// Java's submit hands out a scheduled future; ours a plain one, and Schedule(0, …) a scheduled one.
func TestSTPE011_AnImmediateTaskHasNoDelayLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		defer release()
		f, err := p.Schedule(0, pooltest.Nothing)
		require.NoError(t, err)
		assert.Zero(t, f.Delay())
		time.Sleep(time.Second)
		assert.Equal(t, -time.Second, f.Delay())
	})
}

func TestSTPE012_ATypedScheduleStartsExactlyAfterTheDelayAndYieldsItsValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := executor.Schedule(p, 3*time.Second, func(context.Context) (int, error) {
			d.write("body")
			return 7, nil
		})
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		d.write("got")
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		assert.Equal(t, []string{"body", "got"}, d.theNames())
		assert.Equal(t, theSeconds(3, 3), d.theTimes())
	})
}

func TestSTPE013_AnUntypedScheduleStartsExactlyAfterTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Schedule(3*time.Second, d.task("body"))
		require.NoError(t, err)
		v, err := f.GetTimeout(time.Hour)
		d.write("got")
		require.NoError(t, err)
		assert.Equal(t, struct{}{}, v)
		assert.Equal(t, theSeconds(3, 3), d.theTimes())
	})
}

func TestSTPE013_ScheduleAtStartsExactlyAtTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		// Without its monotonic reading, as a time read from a file would be.
		for _, at := range []time.Time{d.began.Add(3 * time.Second), d.began.Add(5 * time.Second).Round(0)} {
			_, err := p.ScheduleAt(at, d.task("body"))
			require.NoError(t, err)
		}
		time.Sleep(time.Minute)
		assert.Equal(t, theSeconds(3, 5), d.theTimes())
	})
}

func TestSTPE013_ScheduleAtATimeGoneByRunsNowInOrderOfSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		for i, at := range []time.Time{time.Now(), time.Now().Add(-time.Hour), {}} {
			_, err := p.ScheduleAt(at, d.task(strconv.Itoa(i)))
			require.NoError(t, err)
		}
		release()
		synctest.Wait()
		assert.Equal(t, []string{"0", "1", "2"}, d.theNames())
		assert.Equal(t, theSeconds(0, 0, 0), d.theTimes())
	})
}

func TestSTPE014_ANilTaskIsRefusedByEveryEntryPoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for name, submit := range pooltest.Submissions(time.Hour) {
			err := submit(p, nil)
			require.ErrorIs(t, err, executor.ErrNilTask, name)
			assert.NotErrorIs(t, err, executor.ErrRejected, name)
		}
		s := p.Stats()
		assert.Zero(t, s.Accepted)
		assert.Zero(t, s.Queued)
		assert.Zero(t, s.Workers)
	})
}

func TestSTPE015_APeriodThatIsNotPositiveIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, period := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
			f, err := p.AtFixedRate(0, period, pooltest.Nothing)
			require.ErrorIs(t, err, executor.ErrInvalid, "rate %v", period)
			assert.Nil(t, f)
			f, err = p.WithFixedDelay(0, period, pooltest.Nothing)
			require.ErrorIs(t, err, executor.ErrInvalid, "delay %v", period)
			assert.Nil(t, f)
		}
		assert.Zero(t, p.Stats().Accepted)
	})
}

func TestSTPE015_AnInitialDelayMayBeZeroOrNegative(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, initial := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
			d := startDiary()
			f, err := p.AtFixedRate(initial, time.Second, d.task("rate"))
			require.NoError(t, err)
			g, err := p.WithFixedDelay(initial, time.Second, d.task("delay"))
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, []string{"rate", "delay"}, d.theNames(), "initial %v", initial)
			assert.Equal(t, theSeconds(0, 0), d.theTimes(), "initial %v", initial)
			f.Cancel()
			g.Cancel()
		}
	})
}

func TestSTPE016_ArgumentErrorsWinOverTheRefusalOfAClosedPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		require.NoError(t, p.Close())
		for name, submit := range pooltest.Submissions(time.Hour) {
			assert.ErrorIs(t, submit(p, nil), executor.ErrNilTask, name)
		}
		_, err := p.AtFixedRate(0, 0, pooltest.Nothing)
		require.ErrorIs(t, err, executor.ErrInvalid)
		_, err = p.WithFixedDelay(0, 0, pooltest.Nothing)
		require.ErrorIs(t, err, executor.ErrInvalid)
		_, err = p.Schedule(0, pooltest.Nothing, executor.Timeout(-1))
		require.ErrorIs(t, err, executor.ErrInvalid)
		assert.Zero(t, p.Stats().Rejected)
	})
}

func TestSTPE016_ANilTaskIsToldBeforeABadPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		_, err := p.AtFixedRate(0, 0, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = p.WithFixedDelay(0, 0, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
	})
}

func TestSTPE016_ANilTaskIsToldBeforeABadOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		bad := executor.Timeout(-1)
		_, err := executor.Schedule[int](p, 0, nil, bad)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = p.Schedule(0, nil, bad)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		_, err = p.Submit(nil, bad)
		assert.ErrorIs(t, err, executor.ErrNilTask)
	})
}

func TestSTPE016_TheDecoratorSeesATaskThatIsThenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		decorated := 0
		p := startPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			decorated++
			return task
		}))
		require.NoError(t, p.Close())
		submitted := 0
		for name, submit := range pooltest.Submissions(time.Hour) {
			require.ErrorIs(t, submit(p, pooltest.Nothing), executor.ErrShutdown, name)
			submitted++
			assert.Equal(t, submitted, decorated, name)
		}
	})
}

func TestSTPE016_TheDecoratorIsNotAskedAboutABadSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		decorated := 0
		p := startPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			decorated++
			return task
		}))
		for name, submit := range pooltest.Submissions(time.Hour) {
			require.Error(t, submit(p, nil), name)
		}
		_, err := p.AtFixedRate(0, 0, pooltest.Nothing)
		require.Error(t, err)
		_, err = p.Submit(pooltest.Nothing, nil)
		require.Error(t, err)
		assert.Zero(t, decorated)
	})
}

func TestSTPE017_ANegativeDelayMeansNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, delay := range []time.Duration{-1, -time.Hour, math.MinInt64 + 1, math.MinInt64} {
			d := startDiary()
			_, err := p.Schedule(delay, d.task("a"))
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, theSeconds(0), d.theTimes(), "delay %v", delay)
		}
	})
}

func TestSTPE017_AMoreNegativeDelayOvertakesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		var want []string
		for i := range 200 {
			delay := -time.Duration(i) * time.Second
			if i == 199 {
				delay = math.MinInt64
			}
			name := strconv.Itoa(i)
			_, err := p.Schedule(delay, d.task(name))
			require.NoError(t, err)
			want = append(want, name)
		}
		release()
		synctest.Wait()
		assert.Equal(t, want, d.theNames())
	})
}

// Java caps a delay at 146 or 292 years; ours saturates at the end of the clock, 292 years after
// the pool was made, less the nanosecond that its clock starts with.
func TestSTPE018_A5_HugeDelayNeverWraps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		time.Sleep(time.Hour) // now + delay is past the end of the clock
		for _, delay := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 - time.Hour} {
			f, err := p.Schedule(delay, d.task("never"))
			require.NoError(t, err)
			assert.Equal(t, time.Duration(math.MaxInt64-1)-time.Hour, f.Delay(), "delay %v", delay)
		}
		time.Sleep(100 * 365 * 24 * time.Hour)
		assert.Empty(t, d.theNames())
		assert.Equal(t, 3, p.Stats().Queued)
	})
}

func TestSTPE018_A5_AHugeDelayShrinksAndCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Schedule(math.MaxInt64, pooltest.Nothing)
		require.NoError(t, err)
		before := f.Delay()
		time.Sleep(time.Hour)
		assert.Equal(t, before-time.Hour, f.Delay())
		assert.True(t, f.Cancel())
		assert.Zero(t, p.Stats().Queued)
	})
}

// The worker is kept busy, so that the head of the queue is overdue when the far task comes.
func TestSTPE018_B9_A6_NoPairOfNowAndEndOfTimeIsConfused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nows := []time.Duration{math.MinInt64, -1, 0, 1}
		fars := []time.Duration{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64/2 + 1, math.MaxInt64 / 2}
		for _, now := range nows {
			for _, far := range fars {
				p := startPool(t, 1)
				release := startBlocker(t, p)
				d := startDiary()
				for _, delay := range []time.Duration{now, far, now} {
					name := map[bool]string{true: "now", false: "far"}[delay == now]
					_, err := p.Schedule(delay, d.task(name))
					require.NoError(t, err)
					time.Sleep(time.Second)
				}
				release()
				time.Sleep(time.Hour)
				assert.Equal(t, []string{"now", "now"}, d.theNames(), "pair %d, %d", now, far)
				require.NoError(t, p.Close())
			}
		}
	})
}

// Java starts a worker for every submission below the core size; ours only one that is needed.
func TestSTPE019_TasksThatWaitCostOneWorkerTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 4)
		for range 10 {
			_, err := p.Schedule(time.Hour, pooltest.Nothing)
			require.NoError(t, err)
		}
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
	})
}

func TestSTPE019_TasksDueTogetherRunOnAllWorkersOfTheCore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 4)
		d := startDiary()
		for range 10 {
			_, err := p.Schedule(time.Second, func(context.Context) error {
				d.write("a")
				time.Sleep(time.Second)
				return nil
			})
			require.NoError(t, err)
		}
		time.Sleep(time.Minute)
		assert.Equal(t, theSeconds(1, 1, 1, 1, 2, 2, 2, 2, 3, 3), d.theTimes())
		assert.Equal(t, 4, p.Stats().Largest)
	})
}

func TestSTPE019_AnIdleWorkerIsUsedBeforeAnotherStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 4)
		for range 10 {
			require.NoError(t, p.Execute(pooltest.Nothing))
			synctest.Wait()
		}
		assert.Equal(t, 1, p.Stats().Largest)
	})
}

// Java may hand out a cancelled future here; ours either refuses or, if the submission came first,
// cancels with the reason.
func TestSTPE020_ASubmissionThatRacesWithShutdownIsRefusedOrSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 {
			p := startPool(t, 2)
			p.SetExecuteDelayedAfterShutdown(false)
			var futures [32]*executor.ScheduledFuture[struct{}]
			var errs [32]error
			var wg sync.WaitGroup
			for i := range futures {
				wg.Go(func() { futures[i], errs[i] = p.Schedule(time.Hour, pooltest.Nothing) })
				if i == len(futures)/2 {
					wg.Go(p.Shutdown)
				}
			}
			wg.Wait()
			<-p.Terminated()
			for i, f := range futures {
				if errs[i] != nil {
					require.ErrorIs(t, errs[i], executor.ErrShutdown)
					require.Nil(t, f)
					continue
				}
				r, settled := f.Poll()
				require.True(t, settled)
				require.ErrorIs(t, r.Err, future.ErrCancelled)
				require.ErrorIs(t, r.Err, executor.ErrShutdown)
			}
		}
	})
}

func TestSTPE021_EveryEntryPointRefusesAfterShutdownWhileOldTasksRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		startBlocker(t, p)
		p.Shutdown()
		theRefusals(t, p, "shutting down")
	})
}

func TestSTPE021_EveryEntryPointRefusesAfterShutdownNowWhileOldTasksRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		startBlocker(t, p)
		p.ShutdownNow()
		theRefusals(t, p, "stopping")
	})
}

func TestSTPE021_EveryEntryPointRefusesAfterTermination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		require.NoError(t, p.Execute(pooltest.Nothing))
		require.NoError(t, p.Close())
		theRefusals(t, p, "terminated")
	})
}

// theRefusals checks that p refuses whatever is submitted and that nothing else changes.
func theRefusals(t *testing.T, p *executor.ScheduledPool, state string) {
	t.Helper()
	before := p.Stats()
	require.Equal(t, state, before.State)
	want := before
	want.Rejected = 0
	for name, submit := range pooltest.Submissions(time.Hour) {
		require.ErrorIs(t, submit(p, pooltest.Nothing), executor.ErrShutdown, name)
		want.Rejected++
		assert.Equal(t, want, p.Stats(), name)
	}
}

// Java hands out a future that never ends when the handler does not throw; ours hands out none, and
// a task that was accepted and then dropped has a settled one.
func TestSTPE022_NoFutureIsLeftPendingByAShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		p.ShutdownNow()
		g, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.ErrorIs(t, err, executor.ErrShutdown)
		assert.Nil(t, g)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

func TestSTPE024_TheQueueIsUnboundedByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		startBlocker(t, p)
		for range 20_000 {
			require.NoError(t, p.Execute(pooltest.Nothing))
		}
		assert.Equal(t, 20_000, p.Stats().Queued)
		assert.Zero(t, p.Stats().Rejected)
	})
}

// Java has no bound; ours is an option.
func TestSTPE024_APendingLimitRefusesWhatIsTooMuchAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1, executor.PendingLimit(2))
		startBlocker(t, p) // a task that runs is not pending
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		require.NoError(t, p.Execute(pooltest.Nothing))

		refused := p.Execute(pooltest.Nothing)
		require.ErrorIs(t, refused, executor.ErrSaturated)
		require.ErrorIs(t, refused, executor.ErrRejected)
		assert.NotErrorIs(t, refused, executor.ErrShutdown)
		assert.Equal(t, 2, p.Stats().Queued)

		f.Cancel()
		assert.NoError(t, p.Execute(pooltest.Nothing), "a cancelled task makes room")
	})
}

func TestSTPE024_APendingLimitNeverRefusesTheNextRunOfASeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1, executor.PendingLimit(1))
		d := startDiary()
		_, err := p.AtFixedRate(0, 2*time.Second, d.lasting("series", time.Second))
		require.NoError(t, err)
		synctest.Wait()
		// The series is in its run, so this takes the only place.
		_, err = p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		assert.Equal(t, theSeconds(0, 2, 4), d.theTimes())
	})
}
