// Package delaytest has one goroutine held up at a delay point.
package delaytest

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/punctual-go/punctual/internal/delay"
)

// Once has act called once, by the first goroutine that passes the point, until the function
// returned is called, or the test ends. Then one must have passed, or the test fails.
func Once(t testing.TB, point delay.Point, act func()) (over func()) {
	t.Helper()
	var passed atomic.Bool
	unset := delay.Set(func(p delay.Point) {
		if p == point && passed.CompareAndSwap(false, true) {
			act()
		}
	})
	over = sync.OnceFunc(func() {
		unset()
		if !passed.Load() {
			t.Error("nobody has passed the delay point")
		}
	})
	t.Cleanup(over)
	return over
}
