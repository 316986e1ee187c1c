package stpe_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/probe"
)

// The wall clock cannot be set in a test, but what would follow from reading it late can be seen:
// the time of a task does not move while it waits.
func TestSTPE030_TheTimeOfATaskIsFixedAtSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		at := time.Now().Add(time.Hour)
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		for range 3 {
			next, planned := f.Next()
			assert.True(t, planned)
			assert.Equal(t, at, next)
			time.Sleep(10 * time.Minute)
		}
	})
}

func TestSTPE031_TheEarlierTimeRunsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		for _, n := range []int{50, 40, 10, 30, 20} {
			_, err := p.Schedule(time.Duration(n)*time.Second, d.task(strconv.Itoa(n)))
			require.NoError(t, err)
		}
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"10", "20", "30", "40", "50"}, d.theNames())
		assert.Equal(t, theSeconds(10, 20, 30, 40, 50), d.theTimes())
	})
}

func TestSTPE031_EqualTimesRunInOrderOfSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		var want []string
		for i := range 200 {
			// Submitted at different times, due at the same.
			_, err := p.Schedule(time.Hour-time.Since(d.began), d.task(strconv.Itoa(i)))
			require.NoError(t, err)
			want = append(want, strconv.Itoa(i))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Hour)
		assert.Equal(t, want, d.theNames())
	})
}

func TestSTPE031_CancellationsDoNotDisturbTheOrderOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		random := rand.New(rand.NewPCG(1, 2))
		var all []*executor.ScheduledFuture[struct{}]
		for range 300 {
			at := time.Duration(1+random.IntN(50)) * time.Second
			f, err := p.Schedule(at, d.task(at.String()))
			require.NoError(t, err)
			all = append(all, f)
		}
		for _, i := range random.Perm(len(all))[:150] {
			require.True(t, all[i].Cancel())
		}
		time.Sleep(time.Minute)
		require.Len(t, d.theNames(), 150)
		for i, at := range d.theTimes() {
			assert.Equal(t, at.String(), d.theNames()[i], "exactly on time, hence in order")
		}
	})
}

// In Java a series keeps its number for life and beats every younger task; ours takes a new one
// for each run, as if that had been submitted when the last ended.
func TestSTPE032_ARunOfASeriesQueuesBehindYoungerTasksOfTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		_, err := p.AtFixedRate(10*time.Second, 10*time.Second, d.task("series"))
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		_, err = p.Schedule(15*time.Second, d.task("once"))
		require.NoError(t, err)
		time.Sleep(20 * time.Second)
		assert.Equal(t, []string{"series", "once", "series"}, d.theNames())
		assert.Equal(t, theSeconds(10, 20, 20), d.theTimes())
	})
}

func TestSTPE032_SeriesOfOnePeriodKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		for _, name := range []string{"a", "b", "c"} {
			_, err := p.AtFixedRate(0, time.Second, d.task(name))
			require.NoError(t, err)
		}
		time.Sleep(2500 * time.Millisecond)
		assert.Equal(t, []string{"a", "b", "c", "a", "b", "c", "a", "b", "c"}, d.theNames())
	})
}

func TestSTPE033_OverdueTasksRunInOrderOfTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		for _, n := range []int{60, 20, 0} {
			_, err := p.Schedule(time.Duration(n)*time.Second, d.task(strconv.Itoa(n)))
			require.NoError(t, err)
		}
		time.Sleep(90 * time.Second)
		_, err := p.Schedule(0, d.task("late 0"))
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		release()
		synctest.Wait()
		assert.Equal(t, []string{"0", "20", "60", "late 0"}, d.theNames())
	})
}

func TestSTPE033_AFreshExecuteTakesItsPlaceByTheTimeOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		for _, n := range []int{60, 20} {
			_, err := p.Schedule(time.Duration(n)*time.Second, d.task(strconv.Itoa(n)))
			require.NoError(t, err)
		}
		time.Sleep(30 * time.Second)
		require.NoError(t, p.Execute(d.task("executed at 30")))
		time.Sleep(time.Minute)
		release()
		synctest.Wait()
		assert.Equal(t, []string{"20", "executed at 30", "60"}, d.theNames())
	})
}

func TestSTPE033_G9_B18_AFloodOfExecutesDoesNotStarveATimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		var flood executor.Task
		flood = func(context.Context) error {
			time.Sleep(300 * time.Millisecond)
			if time.Since(d.began) > time.Minute {
				return nil
			}
			return p.Execute(flood)
		}
		for range 5 {
			require.NoError(t, p.Execute(flood))
		}
		_, err := p.Schedule(time.Second, d.task("timer"))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		// Before it come the first five and those three of their successors, executed at 0.3, 0.6
		// and 0.9 s, whose time is earlier: eight bodies of 0.3 s.
		assert.Equal(t, []time.Duration{2400 * time.Millisecond}, d.theTimes())
	})
}

func TestSTPE034_NothingStartsEarlyAndWithAnIdleWorkerNothingStartsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 2)
		random := rand.New(rand.NewPCG(3, 4))
		d := startDiary()
		for range 500 {
			delay := time.Duration(random.Int64N(int64(time.Hour)))
			at := time.Since(d.began) + delay
			_, err := p.Schedule(delay, d.task(at.String()))
			require.NoError(t, err)
			time.Sleep(time.Duration(random.Int64N(int64(time.Second))))
		}
		time.Sleep(2 * time.Hour)
		require.Len(t, d.theNames(), 500)
		for i, at := range d.theTimes() {
			assert.Equal(t, d.theNames()[i], at.String())
		}
	})
}

func TestSTPE034_ATaskStartsLateWhenAllWorkersAreBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		_, err := p.Schedule(time.Second, d.task("late"))
		require.NoError(t, err)
		time.Sleep(7 * time.Second)
		release()
		synctest.Wait()
		assert.Equal(t, []theRun{{1, time.Second, 7 * time.Second, 0}}, d.theRuns())
	})
}

func TestSTPE035_DelayIsWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		f, err := p.Schedule(900*time.Millisecond, pooltest.Nothing)
		require.NoError(t, err)
		assert.Equal(t, 900*time.Millisecond, f.Delay())
		time.Sleep(899 * time.Millisecond)
		assert.Equal(t, time.Millisecond, f.Delay())
		time.Sleep(2 * time.Millisecond)
		assert.Equal(t, -time.Millisecond, f.Delay(), "overdue")
		release()
	})
}

func TestSTPE035_DelayCountsOnForEndedTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		finished, err := p.Schedule(time.Second, pooltest.Nothing)
		require.NoError(t, err)
		cancelled, err := p.Schedule(20*time.Second, pooltest.Nothing)
		require.NoError(t, err)
		cancelled.Cancel()
		time.Sleep(10 * time.Second)
		assert.Equal(t, -9*time.Second, finished.Delay())
		assert.Equal(t, 10*time.Second, cancelled.Delay())
	})
}

func TestSTPE035_DuringARunDelayIsThatOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.AtFixedRate(5*time.Second, 10*time.Second, d.lasting("series", 4*time.Second))
		require.NoError(t, err)
		time.Sleep(8 * time.Second)
		assert.Equal(t, -3*time.Second, f.Delay())
		next, planned := f.Next()
		assert.True(t, planned)
		assert.Equal(t, d.began.Add(15*time.Second), next, "of the run after this one")
		time.Sleep(2 * time.Second)
		next, planned = f.Next()
		assert.True(t, planned)
		assert.Equal(t, d.began.Add(15*time.Second), next)
		assert.Equal(t, 5*time.Second, f.Delay())
	})
}

func TestSTPE035_AnEndedTaskHasNoNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		finished, err := p.Schedule(time.Second, pooltest.Nothing)
		require.NoError(t, err)
		cancelled, err := p.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		cancelled.Cancel()
		time.Sleep(2 * time.Second)
		for _, f := range []*executor.ScheduledFuture[struct{}]{finished, cancelled} {
			next, planned := f.Next()
			assert.False(t, planned)
			assert.Zero(t, next)
		}
	})
}

func TestSTPE037_ATaskIsPeriodicIfItHasAPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		rate, err := p.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		delay, err := p.WithFixedDelay(time.Hour, time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		once, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		// An option that only periodic tasks heed makes none of them.
		limited, err := p.Schedule(time.Hour, pooltest.Nothing, executor.MaxRuns(3))
		require.NoError(t, err)
		assert.True(t, rate.Periodic())
		assert.True(t, delay.Periodic())
		assert.False(t, once.Periodic())
		assert.False(t, limited.Periodic())
	})
}

func TestSTPE037_A17_OneFunctionScheduledTwiceIsTwoTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		body := d.task("a")
		f, err := p.Schedule(time.Second, body)
		require.NoError(t, err)
		g, err := p.Schedule(time.Second, body)
		require.NoError(t, err)
		assert.NotSame(t, f, g)
		f.Cancel()
		_, err = g.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, theSeconds(1), d.theTimes())
	})
}

// The race detector watches the plain variable.
func TestSTPE038_ARunHappensBeforeTheNextAlsoOnAnotherWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 2)
		count := 0
		workers := map[string]bool{}
		f, err := p.AtFixedRate(10*time.Second, 10*time.Second, func(context.Context) error {
			count++
			workers[probe.Goroutine()] = true
			return nil
		}, executor.MaxRuns(8))
		require.NoError(t, err)
		// The worker that has made a run waits for the next: it is drawn away, now the one and now
		// the other.
		for i := range 8 {
			at := time.Duration(10*i+5) * time.Second
			_, err := p.Schedule(at, func(context.Context) error { time.Sleep(8 * time.Second); return nil })
			require.NoError(t, err)
		}
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 8, count)
		assert.Len(t, workers, 2)
	})
}

func TestSTPE038_B_17_WhatComesBeforeSubmissionIsSeenByTheBodyAndItsEffectsByGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 2)
		for i := range 100 {
			shared := i
			f, err := p.Schedule(time.Duration(i%3), func(context.Context) error { shared++; return nil })
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			require.Equal(t, i+1, shared)
		}
	})
}
