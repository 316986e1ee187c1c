package timer_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

// On the real clock, as the times of a bubble have no monotonic reading.

// wallAhead returns at with a wall clock that is an hour ahead of its monotonic reading, as if it
// had been set meanwhile. A test cannot set the clock, so this relies on the first word of a time:
// below its top bit are the seconds of the wall, above thirty bits of nanoseconds.
func wallAhead(t *testing.T, at time.Time) time.Time {
	wrong := at
	*(*uint64)(unsafe.Pointer(&wrong)) += 3600 << 30
	require.Equal(t, time.Hour, wrong.Round(0).Sub(at.Round(0)), "by the wall clock")
	require.Zero(t, wrong.Sub(at), "by the monotonic one")
	return wrong
}

func TestTMR03_B49_TheOrderIsThatOfTheMonotonicClock(t *testing.T) {
	tm := timer.New("")
	defer tm.Cancel()
	epoch := timer.Epoch(tm)
	require.Contains(t, epoch.String(), " m=", "the zero has a monotonic reading")
	at := time.Now().Add(10 * time.Hour)
	want := at.Sub(epoch)
	for name, schedule := range map[string]func(k *timer.Task, at time.Time) error{
		"ScheduleAt":    tm.ScheduleAt,
		"RepeatAt":      func(k *timer.Task, at time.Time) error { return tm.RepeatAt(k, at, time.Hour) },
		"AtFixedRateAt": func(k *timer.Task, at time.Time) error { return tm.AtFixedRateAt(k, at, time.Hour) },
	} {
		for _, at := range []time.Time{at, wallAhead(t, at)} {
			k := timer.NewTask(nothing)
			require.NoError(t, schedule(k, at))
			assert.Equal(t, want, timer.Key(tm, k), name)
			assert.Zero(t, k.ScheduledTime().Sub(at), name)
		}
	}
	k := timer.NewTask(nothing)
	before := time.Since(epoch)
	require.NoError(t, tm.Schedule(k, time.Hour))
	after := time.Since(epoch)
	assert.GreaterOrEqual(t, timer.Key(tm, k), before+time.Hour)
	assert.LessOrEqual(t, timer.Key(tm, k), after+time.Hour, "a delay counts from the call")
}

func TestTMR03_ATimeIsTurnedIntoAMonotonicOneAndKept(t *testing.T) {
	const soon = 5 * ms
	ran := make(chan time.Time, 2)
	tm := timer.New("")
	defer tm.Cancel()
	at := time.Now().Add(soon)
	exact := timer.NewTask(func() { ran <- time.Now() })
	require.NoError(t, tm.ScheduleAt(exact, at))
	assert.True(t, at.Equal(exact.ScheduledTime()), "to the nanosecond")
	require.NoError(t, tm.ScheduleAt(timer.NewTask(func() { ran <- time.Now() }), at.Round(0)))
	for range 2 {
		assert.False(t, (<-ran).Before(at), "early")
	}
}
