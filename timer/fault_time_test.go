package timer_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

// The tests of this file are about times at which wheels go wrong, and about those that are
// changed.

const (
	flTick  = 10 * ms
	flSlots = 8
)

// flEdges are the delays around a tick, and around what each level of a wheel reaches.
func flEdges() (edges []time.Duration) {
	for span := flTick; span <= flTick*flSlots*flSlots*flSlots*flSlots; span *= flSlots {
		edges = append(edges, span-flTick, span-1, span, span+1, span+flTick)
	}
	return edges
}

func TestF9_AtTheEdgesOfTicksAndLevelsNothingIsEarlyNorATickLate(t *testing.T) {
	for _, age := range []time.Duration{0, 1, flTick - 1, flTick, flTick*flSlots - 1, 3*flTick*flSlots + 1} {
		t.Run(fmt.Sprint("at the age of ", age), func(t *testing.T) {
			onEachWheel(t, timer.Config{Tick: flTick, Slots: flSlots}, func(t *testing.T, w wheel) {
				time.Sleep(age)
				edges := flEdges()
				begun := make([][]time.Duration, len(edges))
				start := time.Now()
				for i, d := range edges {
					w.AfterFunc(d, func() { begun[i] = append(begun[i], time.Since(start)) })
				}
				probe.Elapse(time.Minute)
				for i, d := range edges {
					require.Len(t, begun[i], 1, "%v", d)
					late := begun[i][0] - d
					assert.True(t, 0 <= late && late < flTick, "%v, late by %v", d, late)
				}
			})
		})
	}
}

func TestF10_AfterATurnThatWasHeldUpAllTicksAreDealtWithInOrder(t *testing.T) {
	for _, held := range []int{1, 3, flSlots - 1, flSlots, flSlots + 1, 5*flSlots + 3, 600} {
		t.Run(fmt.Sprint(held, " ticks"), func(t *testing.T) {
			inline := func(f func()) error { f(); return nil }
			onEachWheel(t, timer.Config{Tick: flTick, Slots: flSlots, Executor: inline}, func(t *testing.T, w wheel) {
				start := time.Now()
				end := time.Duration(held+1) * flTick
				var order []int
				var at []time.Duration
				w.AfterFunc(flTick, func() { time.Sleep(end - flTick) })
				for i := 2; i <= held+3; i++ {
					w.AfterFunc(time.Duration(i)*flTick, func() {
						order, at = append(order, i), append(at, time.Since(start))
					})
				}
				probe.Elapse(end + 3*flTick)
				for n, i := range order {
					require.Equal(t, n+2, i, "none is missing, and in order")
					require.Equal(t, max(time.Duration(i)*flTick, end), at[n])
				}
				assert.Len(t, order, held+2)
			})
		})
	}
}

func TestF7_OnAClockOfCoarseStepsNothingIsEarlyAndNobodySpins(t *testing.T) {
	const step = 15_625 * time.Microsecond
	inline := func(f func()) error { f(); return nil }
	onEachWheel(t, timer.Config{Tick: step, Executor: inline}, func(t *testing.T, w wheel) {
		const many = 1000
		begun, wrong := 0, 0
		start := time.Now()
		for i := range many {
			d := time.Duration(i) * ms
			w.AfterFunc(d, func() {
				begun++
				if now := time.Since(start); now < d || now >= d+step || now%step != 0 {
					wrong++
				}
			})
		}
		probe.Elapse(many * ms)
		assert.Equal(t, many, begun)
		assert.Zero(t, wrong, "early, or a step late")
		wakeups := w.(interface{ Wakeups() uint64 }).Wakeups()
		assert.LessOrEqual(t, wakeups, uint64(many*ms/step)+2, "once for each step")
	})
}

func TestD10_WhatIsResetBeginsOnceAtTheTimeSetLast(t *testing.T) {
	const planned, after = 10 * time.Second, 4 * time.Second
	kinds := map[string]func() timer.Scheduler{"runtime": timer.Runtime}
	for name, newWheel := range wheels {
		kinds[name] = func() timer.Scheduler { return newWheel(timer.Config{Tick: time.Second}) }
	}
	for kind, make := range kinds {
		for name, row := range map[string]struct {
			resets []time.Duration
			begins time.Duration // since it was armed
		}{
			"earlier":         {[]time.Duration{time.Second}, after + time.Second},
			"later":           {[]time.Duration{time.Minute}, after + time.Minute},
			"past":            {[]time.Duration{-time.Hour}, after},
			"now":             {[]time.Duration{0}, after},
			"equal":           {[]time.Duration{planned - after}, planned},
			"later, earlier":  {[]time.Duration{time.Minute, time.Second}, after + time.Second},
			"earlier, later":  {[]time.Duration{time.Second, time.Minute}, after + time.Minute},
			"far, and nearer": {[]time.Duration{time.Hour, 30 * time.Minute, time.Minute}, after + time.Minute},
		} {
			t.Run(kind+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					on := make()
					if w, ok := on.(wheel); ok {
						defer w.Close()
					}
					start := time.Now()
					var begun []time.Duration
					h := on.AfterFunc(planned, func() { begun = append(begun, time.Since(start)) })
					probe.Elapse(after)
					for _, d := range row.resets {
						require.True(t, h.Reset(d), "it was armed")
					}
					probe.Elapse(2 * time.Hour)
					assert.Equal(t, []time.Duration{row.begins}, begun)
				})
			})
		}
	}
}
