package driver_test

import (
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/driver"
)

// What is handed over is cancelled by the other side, all of it, and nothing is left on the way.
func TestWhatIsHandedOverIsCancelledByTheOther(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 1000, 10_000} {
		if here, there := driver.HandOver(n, n); here != n || there != n {
			t.Errorf("of %d each: %d and %d", n, here, there)
		}
		if here, there := driver.HandOver(n, 0); here != 0 || there != n {
			t.Errorf("of %d and none: %d and %d", n, here, there)
		}
	}
}

// BenchmarkHandOver is what it costs to hand a task over and to cancel it, if that costs nothing.
func BenchmarkHandOver(b *testing.B) { driver.HandOver(b.N, b.N) }
