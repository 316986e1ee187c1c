package eventloop_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// Unlike the original, where a due task goes behind those that came while it was overdue, a fresh
// one does not overtake it.
func TestNETTYLOOP09_DueTasksRunInOrderAmongTasksForNow(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		release := block(t, l)
		for _, delay := range []int{30, 10, 20} {
			_, err := l.Schedule(time.Duration(delay)*ms, d.task(fmt.Sprint("due at ", delay)))
			require.NoError(t, err)
		}
		dropped, err := l.Schedule(15*ms, d.task("cancelled"))
		require.NoError(t, err)
		for at := 5; at <= 35; at += 10 {
			time.Sleep(time.Until(d.began.Add(time.Duration(at) * ms)))
			require.NoError(t, l.Execute(d.task(fmt.Sprint("came at ", at))))
		}
		assert.True(t, dropped.Cancel())
		release()
		assert.Equal(t, []string{"came at 5", "due at 10", "came at 15", "due at 20", "came at 25", "due at 30", "came at 35"},
			d.readNames())
		assert.Zero(t, l.Stats().Tombstones)
	})
}

func TestNETTYLOOP10_B18_ATaskThatResubmitsItselfForEverHidesNothing(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		for name, again := range map[string]func(turn eventloop.Turn, task executor.Task) error{
			"from outside": func(_ eventloop.Turn, task executor.Task) error { return l.Execute(task) },
			"inside":       func(turn eventloop.Turn, task executor.Task) error { return turn.Execute(task) },
			"scheduled": func(turn eventloop.Turn, task executor.Task) error {
				_, err := turn.Schedule(-1, task)
				return err
			},
		} {
			start, fired, spins := time.Now(), time.Duration(0), 0
			_, err := l.Schedule(10*ms, func(context.Context) error { fired = time.Since(start); return nil })
			require.NoError(t, err)
			var spin executor.Task
			spin = func(ctx context.Context) error {
				if fired > 0 {
					return nil
				}
				spins++
				time.Sleep(ms)
				turn, _ := l.Turn(ctx)
				return again(turn, spin)
			}
			require.NoError(t, l.Execute(spin))
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Equal(t, 10*ms, fired, name)
			assert.Equal(t, 10, spins, name)
		}
	})
}

// The original looks at the clock every 64 tasks of a long drain. Here what becomes due during one
// takes the place that its time gives it: behind what was due before, ahead of what came after.
func TestNETTYLOOP11_ALongDrainKeepsTheOrderOfTimes(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		release := block(t, l)
		for range 1000 {
			require.NoError(t, l.Execute(d.lasting("first", ms)))
		}
		_, err := l.Schedule(300*ms, d.task("due meanwhile"))
		require.NoError(t, err)
		release()
		time.Sleep(500 * ms)
		require.NoError(t, l.Execute(d.task("came meanwhile")))
		time.Sleep(time.Second)
		names, times := d.read()
		assert.Equal(t, []string{"first", "due meanwhile", "came meanwhile"}, names[999:])
		for i, at := range times[:1000] {
			require.Equal(t, time.Duration(i)*ms, at)
		}
		assert.Equal(t, inMs(1000, 1000), times[1000:])
	})
}

func TestNETTYLOOP12_ATaskFromOutsideIsItsOwnIntakeNode(t *testing.T) {
	l := quiet()
	_, err := l.Schedule(time.Hour, pooltest.Nothing)
	require.NoError(t, err)
	assert.EqualValues(t, 1, testing.AllocsPerRun(1000, func() { _, _ = l.Schedule(2*time.Hour, pooltest.Nothing) }))
	assert.LessOrEqual(t, testing.AllocsPerRun(1000, func() { _ = l.Execute(pooltest.Nothing) }), 2.0, "a goroutine at times")
	assert.NotEmpty(t, l.ShutdownNow())
	require.NoError(t, l.AwaitTermination(t.Context()))
	assertBalanced(t, l)
}

func TestNETTYLOOP13_OnlyAnEarlierDeadlineWakesTheLoop(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		wakeups := func() uint64 { synctest.Wait(); return l.Stats().Wakeups }
		_, err := l.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		require.Zero(t, wakeups())
		for range 1000 {
			f, err := l.Schedule(time.Hour, pooltest.Nothing)
			require.NoError(t, err)
			_, err = l.Schedule(2*time.Hour, pooltest.Nothing)
			require.NoError(t, err)
			f.Cancel()
		}
		assert.Zero(t, wakeups(), "not later, nor at the same time, nor a cancel")
		for i := range uint64(10) {
			_, err := l.Schedule(30*time.Minute-time.Duration(i)*time.Minute, pooltest.Nothing)
			require.NoError(t, err)
			assert.Equal(t, i+1, wakeups(), "earlier")
		}
		require.NoError(t, l.Execute(pooltest.Nothing))
		assert.EqualValues(t, 11, wakeups(), "now")
		require.NoError(t, l.Validate())
	})
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		release := block(t, l)
		for i := range time.Duration(100) {
			_, err := l.Schedule(100*ms-i*ms, pooltest.Nothing)
			require.NoError(t, err)
		}
		release()
		time.Sleep(ms)
		synctest.Wait()
		assert.EqualValues(t, 1, l.Stats().Wakeups, "an awake loop needs no waking")
	})
}

func TestNETTYLOOP14_ANoticeIsHeededWhenSomethingElseWakesTheLoop(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		_, err := l.Schedule(time.Minute, pooltest.Nothing)
		require.NoError(t, err)
		f, err := l.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		synctest.Wait() // it has them in its heap
		assert.True(t, f.Cancel())
		synctest.Wait()
		require.NoError(t, l.Validate())
		assert.Equal(t, 1, l.TombstonesLeft())
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Zero(t, l.TombstonesLeft())
		assert.EqualValues(t, 1, l.Stats().Wakeups)
		assert.Zero(t, loopGoroutines(), "nothing is left to do")
	})
}

func TestNETTYLOOP21_TheGoroutineEndsWithTheLastTaskAndStartsAgainOnDemand(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		assert.Zero(t, loopGoroutines(), "not before the first task")
		require.NoError(t, l.Execute(pooltest.Nothing))
		assert.Zero(t, loopGoroutines())
		f, err := l.Schedule(time.Minute, pooltest.Nothing)
		require.NoError(t, err)
		kept, err := l.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		assert.Equal(t, 1, loopGoroutines(), "a task waits")
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, kept.Cancel())
		assert.Equal(t, 1, loopGoroutines(), "a cancel does not wake it")
		require.NoError(t, l.Execute(pooltest.Nothing))
		assert.Zero(t, loopGoroutines(), "but once awake it finds that nothing is left")
		assert.Zero(t, l.AgendaLen())
		assert.EqualValues(t, 2, l.Stats().Starts)
		require.NoError(t, l.Validate())
	})
}

func TestNETTYLOOP07_WhatComesDuringARunIsBeforeTheNextOfItsSeries(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		_, err := l.AtFixedRate(0, 10*ms, d.lasting("series", 5*ms), executor.MaxRuns(2))
		require.NoError(t, err)
		time.Sleep(2 * ms)
		_, err = l.Schedule(8*ms, d.task("once"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"series", "once", "series"}, d.readNames())
	})
}
