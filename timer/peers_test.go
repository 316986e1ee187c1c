package timer_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	base "github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

// The tests of this file hold bugs of other timers, whose threads docs/rows.md names, against all
// wheels.

const pbTick = 10 * ms

// pbInline is a configuration whose functions begin one after the other.
var pbInline = timer.Config{Tick: pbTick, Executor: wheeltest.Inline}

func TestB4_DelaysOfWholeTicksBeginOnTheirTick(t *testing.T) {
	onEachWheel(t, pbInline, func(t *testing.T, w wheel) {
		j := wheeltest.NewJournal()
		var want []string
		for _, n := range []time.Duration{1, 2, 3, 511, 512, 513} {
			w.AfterFunc(n*pbTick, j.Func("whole"))
			want = append(want, wheeltest.At("whole", n*pbTick))
		}
		j.Sleep(time.Minute)
		assert.Equal(t, want, j.Lines())
	})
}

// One of two functions of a tick stops the other, or puts it off, when both are due.
func TestB4_OneOfATickMayStopAndResetTheOthersOfIt(t *testing.T) {
	onEachWheel(t, pbInline, func(t *testing.T, w wheel) {
		j := wheeltest.NewJournal()
		stopped := w.AfterFunc(time.Hour, j.Func("stopped"))
		later := w.AfterFunc(time.Hour, j.Func("later"))
		now := w.AfterFunc(time.Hour, j.Func("now"))
		w.AfterFunc(pbTick, func() {
			assert.True(t, stopped.Stop())
			assert.True(t, later.Reset(pbTick))
			assert.True(t, now.Reset(0))
		})
		for _, h := range []timer.Handle{stopped, later, now} {
			h.Reset(pbTick) // after the first, and due with it
		}
		j.Sleep(time.Minute)
		assert.Equal(t, []string{wheeltest.At("now", pbTick), wheeltest.At("later", 2*pbTick)}, j.Lines())
	})
}

// What has expired, be it in the executor or over, can be armed again, and stopped, at the very
// tick.
func TestB4_WhatHasExpiredCanBeResetAndStopped(t *testing.T) {
	var shelf wheeltest.Shelf
	onEachWheel(t, timer.Config{Tick: pbTick, Executor: shelf.Execute}, func(t *testing.T, w wheel) {
		j := wheeltest.NewJournal()
		reset, stopped := w.AfterFunc(pbTick, j.Func("reset")), w.AfterFunc(pbTick, j.Func("stopped"))
		over := w.AfterFunc(0, j.Func("over"))
		synctest.Wait()
		shelf.Clear()
		j.Sleep(pbTick) // the first two are due, and have not begun
		assert.True(t, reset.Reset(pbTick))
		assert.True(t, stopped.Stop())
		assert.False(t, over.Reset(pbTick))
		assert.Equal(t, 2, shelf.Clear(), "shells")
		assert.Equal(t, []string{wheeltest.At("over", 0)}, j.Lines())
		j.Sleep(2 * pbTick)
		shelf.Clear()
		again := []string{wheeltest.At("reset", 2*pbTick), wheeltest.At("over", 2*pbTick)}
		assert.ElementsMatch(t, again, j.Lines()[1:])
		assert.False(t, over.Stop())
		assert.False(t, reset.Reset(0))
		synctest.Wait()
		assert.True(t, reset.Reset(-time.Hour), "overdue again")
		synctest.Wait()
		shelf.Clear()
		assert.Equal(t, []string{wheeltest.At("reset", 2*pbTick)}, j.Lines()[3:])
	})
}

// pbExtreme is a delay at, or near, which a sum, a difference or a count of ticks overflows.
var pbExtreme = rapid.Custom(func(t *rapid.T) time.Duration {
	d := rapid.SampledFrom([]time.Duration{
		shortest, shortest / 2, math.MinInt32, -1, 0, 1, pbTick, math.MaxInt32, math.MaxUint32, math.MaxInt32 * pbTick,
		math.MaxUint32 * pbTick, longest/2 + 1, longest - 100*365*24*time.Hour, longest - pbTick, longest - 3, longest,
	}).Draw(t, "extreme")
	near := time.Duration(rapid.IntRange(-2, 2).Draw(t, "near"))
	if sum := d + near; (sum > d) == (near > 0) {
		return sum
	}
	return d
})

func TestB11_ExtremeDelaysAreNeitherEarlyNorLost(t *testing.T) {
	const horizon = 2 * time.Hour
	for name, newWheel := range wheels {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				age := rapid.SampledFrom([]time.Duration{0, 1, pbTick, math.MaxInt32, 100 * 365 * 24 * time.Hour}).Draw(t, "age")
				delays := rapid.SliceOfN(pbExtreme, 1, 10).Draw(t, "delays")
				rapid.SyncTest(t, func(t *rapid.T) {
					w := newWheel(pbInline)
					defer w.Close()
					time.Sleep(age)
					start := time.Now()
					begun := make([]int, len(delays))
					pending := 0
					for i, d := range delays {
						w.AfterFunc(d, func() {
							begun[i]++
							late := time.Since(start) - max(d, 0)
							if late < 0 || late >= pbTick {
								t.Errorf("%v late after %v", late, d)
							}
						})
						if d > horizon {
							pending++
						}
					}
					time.Sleep(horizon + pbTick)
					synctest.Wait()
					for i, d := range delays {
						require.Equal(t, d <= horizon, begun[i] == 1, "%v has begun %d times", d, begun[i])
					}
					require.Len(t, w.Close(), pending)
				})
			})
		})
	}
}

// Where a timer is found by an id, two with one id are one. Here they share the slot, the tick and
// the function.
func TestB44_TimersThatLookAlikeAreToldApart(t *testing.T) {
	onEachWheel(t, pbInline, func(t *testing.T, w wheel) {
		j := wheeltest.NewJournal()
		same := j.Func("same")
		first, second := w.AfterFunc(pbTick, same), w.AfterFunc(pbTick, same)
		require.True(t, first.Stop())
		require.False(t, first.Stop())
		j.Sleep(pbTick)
		assert.Len(t, j.Lines(), 1)
		third := w.AfterFunc(pbTick, same)
		assert.False(t, second.Stop(), "over")
		assert.False(t, first.Stop(), "stopped before")
		assert.True(t, third.Stop(), "and neither has stopped this one")
	})
}

func TestB45_AFunctionMayStopItsWheelAndArmOnIt(t *testing.T) {
	for name, config := range map[string]timer.Config{"inline": pbInline, "goroutines": {Tick: pbTick}} {
		t.Run(name, func(t *testing.T) {
			onEachWheel(t, config, func(t *testing.T, w wheel) {
				j := wheeltest.NewJournal()
				w.AfterFunc(2*pbTick, j.Func("other"))
				returned := -1
				w.AfterFunc(pbTick, func() {
					returned = len(w.Close())
					assert.ErrorIs(t, timer.Err(w.AfterFunc(0, j.Func("late"))), timer.ErrClosed)
				})
				j.Sleep(time.Minute)
				assert.Equal(t, 1, returned)
				assert.Empty(t, j.Lines())
			})
		})
	}
}

// As many of one tick as a wheel looks at in one go, and one more or less.
func TestB55_AnyNumberOfFunctionsOfATickBeginsInOrder(t *testing.T) {
	for _, n := range []int{1, base.Piece - 1, base.Piece, base.Piece + 1, 2*base.Piece + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			onEachWheel(t, pbInline, func(t *testing.T, w wheel) {
				var got, want []int
				start := time.Now()
				for i := range n {
					w.AfterFunc(3*pbTick, func() {
						if time.Since(start) == 3*pbTick {
							got = append(got, i)
						}
					})
					want = append(want, i)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				assert.True(t, slices.Equal(want, got), "%d of %d, or not in order", len(got), n)
			})
		})
	}
}

// pbCounts is what the wheels tell.
type pbCounts interface {
	wheel
	Armed() int
	Wakeups() uint64
}

// pbReal are the facilities on the real clock, with what they tell.
func pbReal(t *testing.T) map[string]func() (timer.Scheduler, func()) {
	c := timer.Config{Tick: ms}
	counts := func(w pbCounts) (timer.Scheduler, func()) {
		t.Cleanup(func() { w.Close() })
		return w, func() { _, _ = w.Armed(), w.Wakeups() }
	}
	return map[string]func() (timer.Scheduler, func()){
		"hashed":       func() (timer.Scheduler, func()) { return counts(hashedwheel.New(c)) },
		"hierarchical": func() (timer.Scheduler, func()) { return counts(hierarchical.New(c)) },
		"revolver":     func() (timer.Scheduler, func()) { return counts(revolver.New(c)) },
		"timer": func() (timer.Scheduler, func()) {
			tm := timer.New("")
			t.Cleanup(tm.Cancel)
			return tm, func() { _ = tm.Err() }
		},
	}
}

// It is the race detector that looks here.
func TestB19_WhatWheelsTellMayBeAskedAtAnyTime(t *testing.T) {
	for name, facility := range pbReal(t) {
		t.Run(name, func(t *testing.T) {
			s, ask := facility()
			var parties sync.WaitGroup
			for range 2 {
				parties.Go(func() {
					for i := range 300 {
						h := s.AfterFunc(time.Duration(i%3)*time.Microsecond, nothing)
						if i%2 == 0 {
							h.Reset(0)
						}
						h.Stop()
						_ = timer.Err(h)
					}
				})
				parties.Go(func() {
					for range 300 {
						ask()
						runtime.Gosched()
					}
				})
			}
			parties.Wait()
		})
	}
}

// Timers must not get lost when processors come and go. The end of the test is that all have begun.
func TestB54_NoTimerIsLostWhileGOMAXPROCSChanges(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for name, facility := range pbReal(t) {
		t.Run(name, func(t *testing.T) {
			s, _ := facility()
			var begun sync.WaitGroup
			var early atomic.Int32
			for i := range 200 {
				runtime.GOMAXPROCS(1 + i%4)
				begun.Add(1)
				delay, start := time.Duration(i%20)*100*time.Microsecond, time.Now()
				s.AfterFunc(delay, func() {
					if time.Since(start) < delay {
						early.Add(1)
					}
					begun.Done()
				})
			}
			begun.Wait()
			assert.Zero(t, early.Load())
		})
	}
}
