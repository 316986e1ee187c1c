package wheel_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

const ms = time.Millisecond

func nothing() {}

// facility is what the wheels have in common.
type facility interface {
	timer.Scheduler
	Close() []timer.Handle
	Armed() int
	Wakeups() uint64
}

var wheels = map[string]func(timer.Config) facility{
	"hashedwheel":  func(c timer.Config) facility { return hashedwheel.New(c) },
	"hierarchical": func(c timer.Config) facility { return hierarchical.New(c) },
	"revolver":     func(c timer.Config) facility { return revolver.New(c) },
}

// forEach runs f with a new wheel of each kind.
func forEach(t *testing.T, c timer.Config, f func(t *testing.T, w facility)) {
	for name, make := range wheels {
		t.Run(name, func(t *testing.T) {
			w := make(c)
			defer w.Close()
			f(t, w)
		})
	}
}

// forEachInABubble does so in bubbles.
func forEachInABubble(t *testing.T, c timer.Config, f func(t *testing.T, w facility, j *wheeltest.Journal)) {
	for name, make := range wheels {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, j := make(c), wheeltest.NewJournal()
				defer w.Close()
				f(t, w, j)
			})
		})
	}
}

func TestG10_ADayWithOneTimerIsOneWakeupAtMost(t *testing.T) {
	const day = 24 * time.Hour
	config := timer.Config{Tick: ms, Slots: 64}
	forEachInABubble(t, config, func(t *testing.T, w facility, j *wheeltest.Journal) {
		w.AfterFunc(25*time.Hour, j.Func("after a day"))
		j.Sleep(day)
		assert.Zero(t, w.Wakeups())
		assert.Empty(t, j.Lines())
	})
	forEachInABubble(t, config, func(t *testing.T, w facility, j *wheeltest.Journal) {
		w.AfterFunc(day, j.Func("a day"))
		j.Sleep(day)
		assert.EqualValues(t, 1, w.Wakeups())
		assert.Equal(t, []string{wheeltest.At("a day", day)}, j.Lines())
	})
}

func TestAWakeupIsOneTurnHoweverMuchIsDue(t *testing.T) {
	forEachInABubble(t, timer.Config{Tick: ms}, func(t *testing.T, w facility, j *wheeltest.Journal) {
		for i := range 3000 {
			w.AfterFunc(time.Hour, nothing)
			w.AfterFunc(time.Hour+time.Duration(i%10)*ms, nothing)
		}
		j.Sleep(2 * time.Hour)
		assert.Zero(t, w.Armed())
		assert.EqualValues(t, 10, w.Wakeups(), "one for each tick")
	})
}

func TestAStoppedTimerCostsOneWakeupAtMost(t *testing.T) {
	forEachInABubble(t, timer.Config{Tick: ms}, func(t *testing.T, w facility, j *wheeltest.Journal) {
		for i := range 100 {
			require.True(t, w.AfterFunc(time.Hour-time.Duration(i)*time.Second, nothing).Stop())
		}
		j.Sleep(24 * time.Hour)
		assert.LessOrEqual(t, w.Wakeups(), uint64(1), "the alarm was set for the first of them")
	})
}

func TestATimerThatIsAlwaysPutOffNeedsFewWakeups(t *testing.T) {
	forEachInABubble(t, timer.Config{Tick: ms}, func(t *testing.T, w facility, j *wheeltest.Journal) {
		h := w.AfterFunc(30*time.Second, j.Func("idle"))
		for range 36_000 { // traffic, for an hour
			time.Sleep(101 * ms)
			require.True(t, h.Reset(30*time.Second))
		}
		last := j.Now()
		assert.LessOrEqual(t, w.Wakeups(), uint64(last/(30*time.Second)), "once each 30 seconds")
		j.Sleep(24 * time.Hour)
		assert.Equal(t, []string{wheeltest.At("idle", last+30*time.Second)}, j.Lines())
	})
}

func TestAWheelHasNoGoroutineWhileItWaits(t *testing.T) {
	forEachInABubble(t, timer.Config{Tick: ms}, func(t *testing.T, w facility, j *wheeltest.Journal) {
		for i := range 1000 {
			w.AfterFunc(time.Duration(i)*ms, nothing)
		}
		j.Sleep(500*ms + 1)
		assert.Zero(t, wheeltest.Goroutines())
		assert.Equal(t, 499, w.Armed())
	})
}

// It is not stopped, and in the bubble it would have to be if anything of it ran.
func TestAWheelThatIsDroppedLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, make := range wheels {
		t.Run(name, func(t *testing.T) {
			make(timer.Config{}).AfterFunc(time.Hour, nothing)
			synctest.Test(t, func(t *testing.T) {
				w := make(timer.Config{})
				begun := false
				w.AfterFunc(time.Second, func() { begun = true })
				w.AfterFunc(time.Hour, nothing)
				time.Sleep(time.Second)
				synctest.Wait()
				assert.True(t, begun)
			})
		})
	}
}
