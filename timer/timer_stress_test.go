package timer_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

// fates counts what became of the tasks of a stress. Every task that runs once has exactly one.
type fates struct {
	scheduled, ran, cancelled, refused, dropped atomic.Int64
}

// Real time, so that -race sees real threads.
func TestEveryTaskHasOneFateWhateverRacesForIt(t *testing.T) {
	for round := range 20 {
		tm := timer.New("stress")
		var f fates
		var running atomic.Int32
		var wg sync.WaitGroup
		var kept [8][]*timer.Task // neither run nor cancelled, as far as their owner knows
		for worker := range kept {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
			wg.Go(func() {
				for range 1000 {
					if k := stressOne(t, tm, rng, &f, &running); k != nil {
						kept[worker] = append(kept[worker], k)
					}
				}
			})
		}
		if round%2 == 0 {
			time.Sleep(time.Duration(round) * 100 * time.Microsecond)
			tm.Cancel()
		}
		wg.Wait()
		for _, tasks := range kept {
			for _, k := range tasks {
				if k.Cancel() {
					f.cancelled.Add(1)
				} else if timer.Dropped(k) {
					f.dropped.Add(1)
				}
			}
		}
		tm.Purge()
		tm.Cancel()
		drained(t, tm)
		assert.EqualValues(t, 8000, f.scheduled.Load()+f.refused.Load())
		assert.Equal(t, f.scheduled.Load(), f.ran.Load()+f.cancelled.Load()+f.dropped.Load(), "round %d", round)
		if round%2 == 1 {
			assert.Zero(t, f.refused.Load()+f.dropped.Load())
		}
	}
}

// stressOne schedules one task and may cancel it, or purge, and returns the task if it may be
// queued still.
func stressOne(t *testing.T, tm *timer.Timer, rng *rand.Rand, f *fates, running *atomic.Int32) *timer.Task {
	due := time.Now().Add(time.Duration(rng.IntN(2000)) * time.Microsecond)
	k := timer.NewTask(func() {
		if time.Now().Before(due) {
			t.Error("early")
		}
		if running.Add(1) != 1 {
			t.Error("two tasks at once")
		}
		f.ran.Add(1)
		running.Add(-1)
	})
	switch err := tm.ScheduleAt(k, due); {
	case errors.Is(err, timer.ErrClosed):
		f.refused.Add(1)
		return nil
	case err != nil:
		t.Error(err)
		return nil
	}
	f.scheduled.Add(1)
	switch n := rng.IntN(100); {
	case n == 0:
		tm.Purge()
	case n < 40 && k.Cancel():
		f.cancelled.Add(1)
		return nil
	}
	k.ScheduledTime()
	return k
}

// drained waits until the goroutine of a cancelled timer has ended.
func drained(t *testing.T, tm *timer.Timer) {
	t.Helper()
	require.Eventually(t, func() bool { return !timer.Serving(tm) }, time.Minute, time.Millisecond)
}

func TestATaskScheduledOnTwoTimersAtOnceIsTakenByOne(t *testing.T) {
	for range 1000 {
		var runs atomic.Int32
		timers := [2]*timer.Timer{timer.New("a"), timer.New("b")}
		k := timer.NewTask(func() { runs.Add(1) })
		var taken, cancelled atomic.Int32
		var wg sync.WaitGroup
		for _, tm := range timers {
			wg.Go(func() {
				if err := tm.Schedule(k, 0); err == nil {
					taken.Add(1)
				} else if err != timer.ErrTaskUsed {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if k.Cancel() {
				cancelled.Add(1)
			}
		})
		wg.Wait()
		for _, tm := range timers {
			drained(t, tm)
		}
		assert.LessOrEqual(t, taken.Load(), int32(1))
		assert.Equal(t, taken.Load(), runs.Load()+cancelled.Load())
	}
}

func TestTheMethodsOfAHandleRaceWithItsRun(t *testing.T) {
	tm := timer.New("handles")
	defer tm.Cancel()
	var wg sync.WaitGroup
	for worker := range 8 {
		rng := rand.New(rand.NewPCG(7, uint64(worker)))
		wg.Go(func() {
			var runs, kept atomic.Int64
			armings := int64(1)
			h := tm.AfterFunc(0, func() { runs.Add(1) })
			for range 2000 {
				if rng.IntN(3) == 0 && h.Stop() {
					kept.Add(1)
				}
				if h.Reset(time.Duration(rng.IntN(20)) * time.Microsecond) {
					kept.Add(1)
				}
				armings++
			}
			if h.Stop() {
				kept.Add(1)
			}
			assert.NoError(t, timer.Err(h))
			// All that were due before have begun by now; the last may be running.
			assert.Eventually(t, func() bool { return runs.Load()+kept.Load() == armings }, time.Minute, time.Millisecond)
		})
	}
	wg.Wait()
}
