package wall

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestNobodyWatchesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New()
		mono, shown := c.Read()
		assert.True(t, mono.Equal(shown))
		stop := c.Watch(func() { t.Error("the clocks never part") })
		time.Sleep(100 * time.Hour)
		synctest.Wait()
		stop()
	})
}

func TestComparingCostsAGoroutineUntilItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		stop := compare(func() { t.Error("the clocks never part") })
		time.Sleep(time.Hour)
		stop()
		synctest.Wait()
		assert.Equal(t, before, runtime.NumGoroutine())
	})
}

func TestWatchingEndsWithStop(t *testing.T) {
	defer goleak.VerifyNone(t)
	for range 100 {
		stop := New().Watch(func() {})
		stop()
	}
}

func TestAnotherClockInTests(t *testing.T) {
	restore := Replace(system{})
	restore()
	require.Equal(t, system{}, New())
}
