package timer_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

func TestTMR14_CancelDropsAllThatIsQueuedAndIsFinal(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.Schedule(l.task("long", time.Hour), 0))
		require.NoError(t, tm.Schedule(l.task("later"), time.Second))
		require.NoError(t, tm.AtFixedRate(l.task("rate"), time.Second, time.Second))
		ended := false
		require.NoError(t, tm.Schedule(timer.NewTask(func() { ended = true }), 0))
		probe.Elapse(time.Minute)
		require.NoError(t, tm.Err())
		tm.Cancel()
		tm.Cancel()
		assert.Equal(t, timer.ErrClosed, tm.Err())
		assert.Zero(t, timer.Queued(tm))
		assert.ErrorIs(t, tm.Schedule(timer.NewTask(nothing), 0), timer.ErrClosed)
		assert.ErrorIs(t, tm.Schedule(timer.NewTask(nothing), 0), timer.ErrRejected)
		probe.Elapse(24 * time.Hour)
		assert.Equal(t, "long", l.names(), "which was not disturbed")
		assert.False(t, ended)
	})
}

func TestTMR14_C11_ARunThatCancelsItsTimerIsTheLast(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		var refused error
		runs := 0
		require.NoError(t, tm.AtFixedRate(timer.NewTask(func() {
			runs++
			tm.Cancel()
			refused = tm.Schedule(timer.NewTask(nothing), 0)
		}), 0, time.Second))
		probe.Elapse(time.Minute)
		assert.Equal(t, 1, runs)
		assert.ErrorIs(t, refused, timer.ErrClosed)
	})
}

func TestTMR15_CancelTellsWhetherARunWasToCome(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		fresh := l.task("fresh")
		assert.False(t, fresh.Cancel(), "not scheduled")
		assert.ErrorIs(t, tm.Schedule(fresh, 0), timer.ErrTaskUsed)

		waiting := l.task("waiting")
		require.NoError(t, tm.Schedule(waiting, time.Second))
		assert.True(t, waiting.Cancel())
		assert.False(t, waiting.Cancel(), "twice")

		long := l.task("long", 10*time.Second)
		require.NoError(t, tm.Schedule(long, 2*time.Second))
		probe.Elapse(5 * time.Second)
		assert.False(t, long.Cancel(), "running")
		probe.Elapse(10 * time.Second)
		assert.False(t, long.Cancel(), "finished")

		repeating := l.task("repeating")
		require.NoError(t, tm.AtFixedRate(repeating, 0, time.Second))
		probe.Elapse(1500 * ms)
		assert.True(t, repeating.Cancel())
		assert.False(t, repeating.Cancel())
		probe.Elapse(time.Minute)
		assert.Equal(t, "longrepeatingrepeating", l.names())
		assert.Zero(t, timer.Queued(tm))
	})
}

func TestTMR15_ARepeatingTaskMayCancelItself(t *testing.T) {
	for _, schedule := range []func(*timer.Timer, *timer.Task, time.Duration, time.Duration) error{
		(*timer.Timer).Repeat, (*timer.Timer).AtFixedRate,
	} {
		inBubble(t, func(t *testing.T, tm *timer.Timer) {
			var k *timer.Task
			var told []bool
			k = timer.NewTask(func() { told = append(told, k.Cancel(), k.Cancel()) })
			require.NoError(t, schedule(tm, k, 0, time.Second))
			probe.Elapse(time.Minute)
			assert.Equal(t, []bool{true, false}, told)
		})
	}
}

// cancelledTask returns a task due in a hundred hours, cancelled, and the thing its function holds.
func cancelledTask(t *testing.T, tm *timer.Timer) (weak.Pointer[timer.Task], weak.Pointer[[1 << 20]byte]) {
	thing := new([1 << 20]byte)
	k := timer.NewTask(func() { thing[0]++ })
	require.NoError(t, tm.Schedule(k, 100*time.Hour))
	require.True(t, k.Cancel())
	return weak.Make(k), weak.Make(thing)
}

func TestTMR16_ACancelledTaskStaysInMemoryUntilPurge(t *testing.T) {
	tm := timer.New("")
	defer tm.Cancel()
	require.NoError(t, tm.Schedule(timer.NewTask(nothing), time.Hour)) // so that it does not reach the top
	task, thing := cancelledTask(t, tm)
	runtime.GC()
	assert.Equal(t, 2, timer.Queued(tm))
	assert.NotNil(t, task.Value())
	assert.NotNil(t, thing.Value())
	assert.Equal(t, 1, tm.Purge())
	runtime.GC()
	assert.Nil(t, task.Value())
	assert.Nil(t, thing.Value())
	runtime.KeepAlive(tm)
}

func TestTMR16_OrUntilItReachesTheTop(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		var tasks []*timer.Task
		for i := range 10 {
			k := timer.NewTask(func() { t.Error("a cancelled task has run") })
			require.NoError(t, tm.Schedule(k, time.Duration(i+1)*time.Second))
			tasks = append(tasks, k)
		}
		synctest.Wait()
		for _, k := range tasks {
			k.Cancel()
		}
		require.NoError(t, tm.Schedule(timer.NewTask(nothing), 4*time.Second+1))
		assert.Equal(t, 11, timer.Queued(tm))
		probe.Elapse(time.Second)
		synctest.Wait()
		assert.Equal(t, 7, timer.Queued(tm), "the goroutine drops all on top when it wakes")
		probe.Elapse(4 * time.Second)
		assert.Zero(t, timer.Queued(tm))
	})
}

func TestTMR17_PurgeCountsWhatItRemoves(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		var tasks []*timer.Task
		for i := range 10 {
			k := l.task(string(rune('a' + i)))
			require.NoError(t, tm.Schedule(k, time.Duration(10-i)*time.Second))
			tasks = append(tasks, k)
		}
		for i := 0; i < 10; i += 2 {
			require.True(t, tasks[i].Cancel())
		}
		assert.Equal(t, 5, tm.Purge())
		assert.Zero(t, tm.Purge())
		assert.Equal(t, 5, timer.Queued(tm))
		require.NoError(t, timer.Validate(tm))
		probe.Elapse(time.Minute)
		assert.Equal(t, "jhfdb", l.names())

		k := l.task("x")
		require.NoError(t, tm.Schedule(k, time.Second))
		synctest.Wait()
		k.Cancel()
		require.Equal(t, 1, timer.Queued(tm))
		tm.Cancel()
		assert.Zero(t, tm.Purge())
	})
}

func TestTMR17_PurgeMayBeCalledFromATask(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		victim := l.task("victim")
		purged := -1
		require.NoError(t, tm.Schedule(timer.NewTask(func() {
			victim.Cancel()
			purged = tm.Purge()
		}), time.Second))
		require.NoError(t, tm.Schedule(victim, 2*time.Second))
		probe.Elapse(3 * time.Second)
		assert.Equal(t, 1, purged)
		assert.Empty(t, l.runs)
	})
}

func TestTMR17_PurgeOfAllEndsTheGoroutine(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		for _, delay := range []time.Duration{time.Hour, longest} {
			k := timer.NewTask(nothing)
			require.NoError(t, tm.Schedule(k, delay))
			synctest.Wait()
			k.Cancel()
			assert.True(t, timer.Serving(tm), "a cancelled task holds it")
			assert.Equal(t, 1, tm.Purge())
			synctest.Wait()
			assert.False(t, timer.Serving(tm))
		}
	})
}
