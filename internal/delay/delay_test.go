package delay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/delay"
)

func TestAHookIsCalledWhileItIsSet(t *testing.T) {
	var passed []delay.Point
	delay.At(delay.LeaderLeft)
	unset := delay.Set(func(p delay.Point) { passed = append(passed, p) })
	delay.At(delay.RunReturned)
	delay.At(delay.CellSettled)
	unset()
	delay.At(delay.TimerDue)
	assert.Equal(t, []delay.Point{delay.RunReturned, delay.CellSettled}, passed)
}

func TestThereIsOneHookAtATime(t *testing.T) {
	unset := delay.Set(func(delay.Point) {})
	assert.PanicsWithValue(t, "delay: a hook is already set", func() { delay.Set(func(delay.Point) {}) })
	unset()
	called := false
	defer delay.Set(func(delay.Point) { called = true })()
	unset() // a second time does nothing to the next
	delay.At(delay.TimerDue)
	assert.True(t, called)
}

func TestTwoPointsLieUnderALock(t *testing.T) {
	var locked []delay.Point
	for p := range delay.Points {
		if p.Locked() {
			locked = append(locked, p)
		}
	}
	assert.Equal(t, []delay.Point{delay.WheelRestsLocked, delay.LoopSleepsLocked}, locked)
}

// What a point costs in a program that sets no hook.
func BenchmarkAt(b *testing.B) {
	for b.Loop() {
		delay.At(delay.RunReturned)
	}
}
