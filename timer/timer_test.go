package timer_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/goid"
	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

// The tests named TMR answer for what java.util.Timer does. Where ours differs the name, or a
// comment, says so.

const (
	ms       = time.Millisecond
	longest  = time.Duration(math.MaxInt64)
	shortest = time.Duration(math.MinInt64)
)

// aRun is one run of a task: when it began, and the time its task said it was planned for.
type aRun struct {
	name        string
	at, planned time.Duration
}

// log is what happened since a start, written by the goroutine of one timer.
type log struct {
	start time.Time
	runs  []aRun
}

func newLog() *log { return &log{start: time.Now()} }

// task returns a task whose runs are logged; the n-th run takes the n-th of the durations, and
// the last of them is that of all others, too.
func (l *log) task(name string, lasting ...time.Duration) *timer.Task {
	var k *timer.Task
	n := 0
	k = timer.NewTask(func() {
		l.runs = append(l.runs, aRun{name, time.Since(l.start), k.ScheduledTime().Sub(l.start)})
		if len(lasting) > 0 {
			time.Sleep(lasting[min(n, len(lasting)-1)])
		}
		n++
	})
	return k
}

// starts returns when the runs began.
func (l *log) starts() (at []time.Duration) {
	for _, r := range l.runs {
		at = append(at, r.at)
	}
	return at
}

// names returns the tasks in the order of their runs.
func (l *log) names() (names string) {
	for _, r := range l.runs {
		names += r.name
	}
	return names
}

func millis(n ...int) (d []time.Duration) {
	for _, n := range n {
		d = append(d, time.Duration(n)*ms)
	}
	return d
}

// inBubble runs a test with a timer that lives on virtual time.
func inBubble(t *testing.T, test func(t *testing.T, tm *timer.Timer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tm := timer.New(t.Name())
		t.Cleanup(func() {
			tm.Cancel()
			time.Sleep(24 * time.Hour) // for a task that runs
		})
		test(t, tm)
	})
}

func nothing() {}

func TestTMR01_OneGoroutineRunsTasksOneAfterAnother(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		assert.False(t, timer.Serving(tm), "unlike in Java there is no goroutine yet")
		l := newLog()
		var goroutines []uint64
		for i, name := range []string{"a", "b", "c"} {
			k := l.task(name, 5*time.Second)
			require.NoError(t, tm.Schedule(k, time.Duration(i+1)*time.Second))
			who := timer.NewTask(func() { goroutines = append(goroutines, goid.Number()) })
			require.NoError(t, tm.Schedule(who, time.Duration(i+1)*time.Second))
		}
		probe.Elapse(time.Minute)
		assert.Equal(t, []aRun{
			{"a", 1 * time.Second, 1 * time.Second},
			{"b", 6 * time.Second, 2 * time.Second},
			{"c", 11 * time.Second, 3 * time.Second},
		}, l.runs)
		require.Len(t, goroutines, 3)
		assert.Equal(t, []uint64{goroutines[0], goroutines[0], goroutines[0]}, goroutines)
		assert.NotEqual(t, goid.Number(), goroutines[0])
	})
}

func TestTMR02_TasksOfEqualTimeRunInTheOrderOfScheduling(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		at := time.Now().Add(time.Second)
		for _, name := range "abcdefghij" {
			require.NoError(t, tm.ScheduleAt(l.task(string(name)), at))
		}
		require.NoError(t, tm.Schedule(l.task("0"), time.Second-1))
		probe.Elapse(2 * time.Second)
		assert.Equal(t, "0abcdefghij", l.names())
	})
}

func TestTMR02_ARepeatingTaskKeepsItsRankAmongEquals(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.AtFixedRate(l.task("r"), 0, time.Second))
		for range 3 {
			require.NoError(t, tm.Schedule(l.task("a"), time.Second))
		}
		probe.Elapse(1500 * ms)
		assert.Equal(t, "rraaa", l.names())
	})
}

func TestTMR04_A17_ATaskIsScheduledOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		other := timer.New("other")
		for _, delay := range []time.Duration{0, time.Hour} {
			k := timer.NewTask(nothing)
			require.NoError(t, tm.Schedule(k, delay))
			synctest.Wait() // by now one of them has run
			assert.ErrorIs(t, tm.Schedule(k, 0), timer.ErrTaskUsed)
			assert.ErrorIs(t, other.Schedule(k, 0), timer.ErrTaskUsed)
			k.Cancel()
			assert.ErrorIs(t, other.AtFixedRate(k, 0, 1), timer.ErrTaskUsed)
		}
		unborn := timer.NewTask(nothing)
		unborn.Cancel()
		assert.ErrorIs(t, tm.Schedule(unborn, 0), timer.ErrTaskUsed)
		assert.False(t, timer.Serving(other), "what is refused leaves no trace")
	})
}

func TestTMR04_ATaskRefusedForItsArgumentsIsStillFresh(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		dead := timer.New("")
		dead.Cancel()
		l := newLog()
		k := l.task("a")
		require.ErrorIs(t, tm.Schedule(k, -1), timer.ErrInvalid)
		require.ErrorIs(t, tm.Repeat(k, 0, 0), timer.ErrInvalid)
		require.ErrorIs(t, tm.AtFixedRateAt(k, time.Time{}, 1), timer.ErrInvalid)
		require.ErrorIs(t, dead.Schedule(k, 0), timer.ErrClosed)
		assert.True(t, k.ScheduledTime().IsZero())
		require.NoError(t, tm.Schedule(k, 0))
		synctest.Wait()
		assert.Equal(t, "a", l.names())
	})
}

func TestTMR04_TheZeroTaskIsRefusedLikeNone(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		for name, way := range ways {
			zero := new(timer.Task)
			for range 2 {
				assert.Equal(t, timer.ErrNilTask, way(tm, zero, time.Now(), time.Second), name)
			}
			assert.True(t, zero.ScheduledTime().IsZero(), name)
			assert.False(t, zero.Cancel(), name)
			assert.Equal(t, timer.ErrNilTask, way(tm, zero, time.Now(), time.Second), "%s, cancelled", name)
		}
		assert.Zero(t, timer.Queued(tm))
		assert.False(t, timer.Serving(tm))
		l := newLog()
		require.NoError(t, tm.Schedule(l.task("a"), 0))
		probe.Elapse(time.Second)
		require.NoError(t, tm.Err())
		require.NoError(t, timer.Validate(tm))
		assert.Equal(t, "a", l.names())
	})
}

// Every call is wrong in all ways that come after the first one named, too.
func TestTMR05_ArgumentsAreCheckedInJavasOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alive, dead := timer.New(""), timer.New("")
		dead.Cancel()
		used := timer.NewTask(nothing)
		used.Cancel()
		var never time.Time // what a null Date is in Go
		now := time.Now()
		for i, row := range []struct {
			err  error
			want error
			text string
		}{
			{dead.Schedule(nil, -1), timer.ErrInvalid, "negative delay -1ns"},
			{dead.Repeat(nil, -1, 0), timer.ErrInvalid, "negative delay -1ns"},
			{dead.AtFixedRate(nil, shortest, 0), timer.ErrInvalid, "negative delay"},
			{dead.Repeat(nil, 0, 0), timer.ErrInvalid, "period 0s is not positive"},
			{dead.AtFixedRate(nil, 0, -1), timer.ErrInvalid, "period -1ns is not positive"},
			{dead.RepeatAt(nil, never, 0), timer.ErrInvalid, "period"},
			{dead.AtFixedRateAt(nil, never, shortest), timer.ErrInvalid, "period"},
			{dead.ScheduleAt(nil, never), timer.ErrInvalid, "before 1970"},
			{dead.RepeatAt(nil, never, 1), timer.ErrInvalid, "before 1970"},
			{dead.AtFixedRateAt(nil, time.Unix(0, -1), 1), timer.ErrInvalid, "before 1970"},
			{dead.Schedule(nil, 0), timer.ErrClosed, "closed"},
			{dead.ScheduleAt(nil, now), timer.ErrClosed, "closed"},
			{dead.Repeat(used, 0, 1), timer.ErrClosed, "closed"},
			{dead.RepeatAt(used, now, 1), timer.ErrClosed, "closed"},
			{dead.AtFixedRate(used, 0, 1), timer.ErrClosed, "closed"},
			{dead.AtFixedRateAt(used, now, 1), timer.ErrClosed, "closed"},
			{alive.Schedule(nil, 0), timer.ErrNilTask, "nil task"},
			{alive.RepeatAt(nil, now, 1), timer.ErrNilTask, "nil task"},
			{alive.Schedule(used, 0), timer.ErrTaskUsed, "before"},
			{alive.AtFixedRateAt(used, now, 1), timer.ErrTaskUsed, "before"},
		} {
			if assert.ErrorIs(t, row.err, row.want, "row %d", i) {
				assert.Contains(t, row.err.Error(), row.text, "row %d", i)
			}
			for _, other := range []error{timer.ErrInvalid, timer.ErrClosed, timer.ErrNilTask, timer.ErrTaskUsed} {
				assert.Equal(t, other == row.want, isErr(row.err, other), "row %d", i)
			}
		}
		assert.PanicsWithValue(t, "timer: nil function", func() { timer.NewTask(nil) })
		assert.PanicsWithValue(t, "timer: nil function", func() { alive.AfterFunc(0, nil) })
	})
}

// Java refuses them.
func TestTMR05_TimesPastTheEndOfTheClockMeanNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // not inBubble, which sleeps afterwards
		tm := timer.New("")
		probe.Elapse(time.Second)
		l := newLog()
		tasks := []*timer.Task{l.task("a"), l.task("b"), l.task("c")}
		require.NoError(t, tm.Schedule(tasks[0], longest))
		require.NoError(t, tm.ScheduleAt(tasks[1], time.Now().AddDate(1000, 0, 0)))
		require.NoError(t, tm.AtFixedRate(tasks[2], longest, longest))
		probe.Elapse(200 * 365 * 24 * time.Hour)
		probe.Elapse(longest) // to the end of the bubble's time, where a timer of package time would ring at last
		assert.Empty(t, l.runs)
		for _, k := range tasks {
			assert.True(t, k.Cancel())
		}
		tm.Cancel()
	})
}

func TestTMR06_APeriodPastTheEndOfTheClockMeansOneRun(t *testing.T) {
	for _, period := range []time.Duration{longest, longest/2 + 1, longest - 1} {
		inBubble(t, func(t *testing.T, tm *timer.Timer) {
			probe.Elapse(longest / 2)
			l := newLog()
			rate, repeat := l.task("a"), l.task("b")
			require.NoError(t, tm.AtFixedRate(rate, 0, period))
			require.NoError(t, tm.Repeat(repeat, 0, period))
			probe.Elapse(time.Hour)
			assert.Equal(t, []aRun{{"a", 0, 0}, {"b", 0, 0}}, l.runs)
			assert.True(t, l.start.Equal(rate.ScheduledTime()))
			assert.True(t, rate.Cancel())
			assert.True(t, repeat.Cancel())
		})
	}
}
