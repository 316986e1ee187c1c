package future_test

import (
	"context"
	"os"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// links is how many futures of Then a chain has: a quarter of a million; less under the race
// detector, and if it is to be short; and ten million, which take 5 GB, if the environment variable
// PUNCTUAL_STRESS is set.
func links() int {
	switch {
	case testing.Short(), probe.RaceEnabled:
		return 100_000
	case os.Getenv("PUNCTUAL_STRESS") != "":
		return 10_000_000
	}
	return 250_000
}

// chain returns the last of many futures of Then, the first of which is that of f.
func chain(f *future.Future[int], fn func(int) (int, error)) *future.Future[int] {
	for range links() {
		f = future.Then(f, fn)
	}
	return f
}

// Not in a bubble: it is about the stack of whoever settles the first, and with that the last.
func TestAChainOfAnyLengthSettlesWithoutADeepStack(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(2 << 20)) // 8 bytes a link; who needs more ends the process
	mustNotRun := func(int) (int, error) { panic("must not run") }
	t.Run("failed", func(t *testing.T) {
		p := future.NewPromise[int]()
		last := chain(p.Future(), mustNotRun)
		assert.True(t, p.Fail(errBoom))
		requireOutcome(t, last, 0, errBoom)
		assert.True(t, probe.IsClosed(last.Stopped()))
	})
	t.Run("cancelled", func(t *testing.T) {
		p := future.NewPromise[int]()
		last := chain(p.Future(), mustNotRun)
		assert.True(t, p.Future().CancelCause(errBoom))
		_, want := p.Future().Get(context.Background())
		requireOutcome(t, last, 0, want)
		assert.Equal(t, future.Cancelled, last.State())
	})
	t.Run("failed on the way", func(t *testing.T) {
		p := future.NewPromise[int]()
		middle := future.Then(p.Future(), func(int) (int, error) { return 0, errBoom })
		last := chain(middle, mustNotRun)
		p.Complete(7)
		_, err := last.Get(context.Background())
		assert.Equal(t, errBoom, err)
	})
	t.Run("succeeded", func(t *testing.T) {
		p := future.NewPromise[int]()
		last := chain(p.Future(), func(n int) (int, error) { return n + 1, nil })
		p.Complete(0)
		n, err := last.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, links(), n)
	})
}
