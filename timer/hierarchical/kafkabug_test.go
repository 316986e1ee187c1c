package hierarchical_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hierarchical"
)

// The tests of this file are named after bugs that wheels like this one have had.

func TestKAFKABug_ManyReachForALevelThatIsNotMadeYet(t *testing.T) {
	for range 100 {
		w := hierarchical.New(timer.Config{})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { w.AfterFunc(24*time.Hour, nothing) })
		}
		all.Wait()
		require.Len(t, w.Close(), 4)
	}
}

func TestKAFKABug_TheTimeoutOfFinishedWorkIsNotKeptUntilItsTime(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(15*time.Second, j.Func("unfinished"))
		for range 10_000 {
			w.AfterFunc(15*time.Second, nothing).Stop()
			require.Equal(t, 1, w.Armed())
		}
		assert.NoError(t, w.Validate())
	})
}

func TestKAFKABug_AFunctionMayUseTheWheelItRunsOn(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		other := w.AfterFunc(time.Minute, j.Func("other"))
		w.AfterFunc(10*ms, func() {
			assert.True(t, other.Reset(20*ms))
			w.AfterFunc(0, j.Func("at once"))
			assert.Equal(t, 2, w.Armed())
		})
		j.Sleep(time.Hour)
		assert.Equal(t, []string{at("at once", 10*ms), at("other", 30*ms)}, j.Lines())
	})
}

// A slot of the third level is overdue, and its place in the ring is wanted for the next turn.
func TestKAFKABug_ASlotReceivesItsNextTurnBeforeItHasBeenEmptied(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(100*ms, j.Func("old"))
		w.AfterFunc(110*ms, j.Func("old too"))
		w.AfterFunc(10*ms, func() {
			time.Sleep(290 * ms)
			for range 200 { // more than fit in the intake, so that the dial has them now
				w.AfterFunc(70*ms, nothing)
			}
			w.AfterFunc(80*ms, j.Func("new"))
			w.AfterFunc(800*ms, j.Func("far"))
		})
		j.Sleep(time.Hour)
		assert.Equal(t, []string{at("old", 300*ms), at("old too", 300*ms), at("new", 380*ms), at("far", 1100*ms)}, j.Lines())
		assert.NoError(t, w.Validate())
	})
}

func TestKAFKABug_ASlotOfManyIsEmptiedInPiecesWhileOthersAreArmed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		const many = 3*wheel.Piece + 1
		begun := map[time.Duration]int{}
		for range many {
			w.AfterFunc(100*ms, func() {
				begun[j.Now()]++
				w.AfterFunc(270*ms, func() { begun[j.Now()]++ })
			})
			w.AfterFunc(110*ms, func() { begun[j.Now()]++ })
		}
		j.Sleep(time.Hour)
		assert.Equal(t, map[time.Duration]int{100 * ms: many, 110 * ms: many, 370 * ms: many}, begun)
	})
}

func TestKAFKABug_MoreThanTwoToTheThirtyFirstTicks(t *testing.T) {
	config := timer.Config{Tick: ms, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		var want []string
		for _, n := range []time.Duration{1 << 31 * ms, 1 << 32 * ms} {
			left := n - j.Now()
			w.AfterFunc(left-ms, j.Func("before"))
			w.AfterFunc(left, j.Func("at"))
			w.AfterFunc(left+ms, j.Func("after"))
			j.Sleep(n - 2*ms)
			w.AfterFunc(2*ms, j.Func("across"))
			j.Sleep(n + 2*ms)
			want = append(want, at("before", n-ms), at("at", n), at("across", n), at("after", n+ms))
		}
		assert.Equal(t, want, j.Lines())
	})
}
