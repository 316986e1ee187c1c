package wheel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

func TestTheIntakeGivesBackInTheOrderOfArrivalAndCounts(t *testing.T) {
	var in intake
	require.True(t, in.empty())
	require.Nil(t, in.takeAll())
	timers := make([]*Timer, 5)
	for range 2 { // the count begins again
		for i := range timers {
			timers[i] = &Timer{}
			assert.EqualValues(t, i+1, in.push(timers[i]))
			assert.False(t, in.empty())
		}
		next := in.takeAll()
		for _, want := range timers {
			require.Same(t, want, next)
			next = next.next
		}
		assert.Nil(t, next)
		assert.True(t, in.empty())
	}
}

func TestManyPushWhileOneTakesAndNoneIsLostOrTwice(t *testing.T) {
	const pushers, each = 4, 20_000
	var in intake
	var pushing sync.WaitGroup
	for p := range pushers {
		pushing.Go(func() {
			for i := range each {
				in.push(&Timer{seq: uint64(p*each + i)})
			}
		})
	}
	var over atomic.Bool
	go func() {
		pushing.Wait()
		over.Store(true)
	}()
	last, taken := [pushers]int{}, 0
	for !over.Load() || !in.empty() {
		for tm := in.takeAll(); tm != nil; tm = tm.next {
			p, i := int(tm.seq)/each, int(tm.seq)%each
			require.GreaterOrEqual(t, i, last[p], "out of order, or twice")
			last[p] = i + 1
			taken++
		}
		runtime.Gosched()
	}
	assert.Equal(t, pushers*each, taken)
}

// kept returns how many timers the intake holds.
func (w *Wheel) kept() (n int) {
	for t := w.intake.top.Load(); t != nil; t = t.next {
		n++
	}
	return n
}

// The turn empties the intake when it has handed over its batch, and who arms meanwhile helps it.
func TestHWT19_AFunctionThatArmsManyDoesNotLetTheIntakeGrow(t *testing.T) {
	for _, d := range []time.Duration{0, ms, time.Hour} {
		inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
			const many = 50_000
			deepest := 0
			w.AfterFunc(ms, func() {
				for range many {
					w.AfterFunc(d, nothing)
					deepest = max(deepest, w.kept())
				}
			})
			time.Sleep(ms)
			synctest.Wait()
			assert.Equal(t, backlog-1, deepest)
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			assert.Zero(t, w.Armed())
		})
	}
}

func TestAMillionStoppedTimersAreNotKeptByAWheelThatSleeps(t *testing.T) {
	million := 1_000_000
	if probe.RaceEnabled {
		million /= 10
	}
	for first, many := range map[time.Duration]int{0: 50_000, time.Hour: million, 48 * time.Hour: 50_000} {
		t.Run(first.String(), func(t *testing.T) {
			w, p := plainWheel(timer.Config{})
			want := 0
			if first > 0 {
				w.AfterFunc(first, nothing)
				want = 1
			}
			before := int64(probe.HeapInUse())
			for range many {
				if !w.AfterFunc(24*time.Hour, nothing).Stop() {
					t.Fatal("an armed timer cannot be stopped")
				}
			}
			assert.Less(t, w.kept(), backlog)
			assert.Len(t, p.timers, want)
			assert.Equal(t, want, w.Armed())
			assert.Less(t, int64(probe.HeapInUse())-before, int64(1<<20))
			assert.Zero(t, w.Wakeups())
			runtime.KeepAlive(w)
		})
	}
}
