package timer_test

import (
	"fmt"
	"reflect"
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

// There are no interrupts in Go; being woken for nothing is what comes near.
func TestTMR18_BeingWokenForNothingChangesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.Schedule(l.task("a"), time.Second))
		for range 100 {
			probe.Elapse(7 * ms)
			k := timer.NewTask(nothing)
			require.NoError(t, tm.Schedule(k, ms)) // a new head: the goroutine wakes
			k.Cancel()
			tm.Purge()
		}
		probe.Elapse(time.Second)
		assert.Equal(t, []aRun{{"a", time.Second, time.Second}}, l.runs)
	})
}

// forgotten schedules on a timer that nobody knows afterwards.
func forgotten(t *testing.T, schedule func(tm *timer.Timer) error) weak.Pointer[timer.Timer] {
	tm := timer.New("forgotten")
	require.NoError(t, schedule(tm))
	return weak.Make(tm)
}

func TestTMR19_AForgottenTimerRunsWhatIsQueuedAndIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		tm := forgotten(t, func(tm *timer.Timer) error {
			for i := range 5 {
				require.NoError(t, tm.Schedule(l.task("a"), time.Duration(5-i)*time.Second))
			}
			return nil
		})
		runtime.GC()
		probe.Elapse(10 * time.Second)
		assert.Equal(t, "aaaaa", l.names())
		synctest.Wait()
		runtime.GC()
		assert.Nil(t, tm.Value())
		// That its goroutine has ended is checked by the bubble, which does not end before.
	})
}

func TestTMR19_AForgottenTimerRepeatsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		k := l.task("a")
		tm := forgotten(t, func(tm *timer.Timer) error { return tm.Repeat(k, 0, time.Second) })
		for range 10 {
			runtime.GC()
			probe.Elapse(950 * ms)
		}
		synctest.Wait()
		assert.Len(t, l.runs, 10)
		require.NotNil(t, tm.Value())
		assert.True(t, k.Cancel())
		probe.Elapse(2 * time.Second)
		runtime.GC()
		assert.Nil(t, tm.Value(), "once it does not repeat any more")
	})
}

func TestTMR19_ATimerThatHasRunOutTakesNewTasks(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		for range 3 {
			require.NoError(t, tm.Schedule(l.task("a"), time.Second))
			probe.Elapse(time.Minute)
			assert.False(t, timer.Serving(tm))
		}
		assert.Len(t, l.runs, 3)
	})
}

func TestTMR20_TasksMayCallEveryMethod(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		calls := []func(k *timer.Task){
			func(*timer.Task) { assert.NoError(t, tm.Schedule(l.task("a"), 0)) },
			func(*timer.Task) { assert.NoError(t, tm.ScheduleAt(l.task("b"), time.Now())) },
			func(*timer.Task) { assert.NoError(t, tm.Repeat(l.task("c"), 0, time.Hour)) },
			func(*timer.Task) { assert.NoError(t, tm.AtFixedRate(l.task("d"), 0, time.Hour)) },
			func(*timer.Task) { tm.AfterFunc(0, nothing).Reset(time.Second) },
			func(*timer.Task) { assert.True(t, tm.AfterFunc(0, nothing).Stop()) },
			func(k *timer.Task) { assert.True(t, time.Now().Equal(k.ScheduledTime())) },
			func(k *timer.Task) { assert.False(t, k.Cancel()) },
			func(*timer.Task) { assert.LessOrEqual(t, tm.Purge(), 2) },
			func(*timer.Task) { assert.NoError(t, tm.Err()) },
			func(*timer.Task) { tm.Cancel() },
		}
		done := 0
		for i, call := range calls {
			var k *timer.Task
			k = timer.NewTask(func() { call(k); done++ })
			require.NoError(t, tm.Schedule(k, time.Duration(i+1)*time.Second))
		}
		probe.Elapse(time.Minute)
		assert.Equal(t, len(calls), done)
		assert.Equal(t, "abcd", l.names())
	})
}

// A Java Timer refuses a null name; a Go string has none to refuse.
func TestTMR21_ANameMayBeEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		require.NoError(t, timer.New("").Schedule(l.task("a"), 0))
		synctest.Wait()
		assert.Equal(t, "a", l.names())
	})
}

func TestTMR22_ATaskHasNoResult(t *testing.T) {
	var methods []string
	task := reflect.TypeFor[*timer.Task]()
	for i := range task.NumMethod() {
		methods = append(methods, fmt.Sprint(task.Method(i).Name, " ", task.Method(i).Type))
	}
	assert.Equal(t, []string{
		"Cancel func(*timer.Task) bool",
		"ScheduledTime func(*timer.Task) time.Time",
	}, methods)
}
