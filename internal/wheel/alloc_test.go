package wheel_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hierarchical"
)

// asleep has the wheel wait for a timer that is earlier than all others.
func asleep(w facility) { w.AfterFunc(time.Hour, nothing) }

func TestToArmIsOneAllocation(t *testing.T) {
	forEach(t, timer.Config{Tick: time.Minute}, func(t *testing.T, w facility) {
		asleep(w)
		assert.EqualValues(t, 1, testing.AllocsPerRun(10_000, func() { w.AfterFunc(2*time.Hour, nothing) }))
	})
}

// Each of these has a slot of its own, which has been used before. The last of them has all be
// moved there.
func TestToArmInAnEmptySlotIsOneAllocationAndAnItemOfTheQueue(t *testing.T) {
	forEach(t, timer.Config{Tick: time.Minute, Slots: 1024}, func(t *testing.T, w facility) {
		asleep(w)
		var handles [128]timer.Handle
		got := testing.AllocsPerRun(20, func() {
			for i := range handles {
				handles[i] = w.AfterFunc(time.Duration(100+i)*time.Minute, nothing)
			}
			for _, h := range handles {
				h.Stop()
			}
		})
		assert.Equal(t, 1+items(w), got/float64(len(handles)))
	})
}

// items is how many objects a wheel makes for a slot that is not empty any more.
func items(w facility) float64 {
	if _, queued := w.(*hierarchical.Wheel); queued {
		return 1
	}
	return 0
}

func TestToResetAllocatesNothingButForAnEmptySlot(t *testing.T) {
	forEach(t, timer.Config{Tick: time.Minute, Slots: 64}, func(t *testing.T, w facility) {
		asleep(w)
		h := w.AfterFunc(2*time.Hour, nothing)
		i := time.Duration(0)
		got := testing.AllocsPerRun(1000, func() {
			i++
			h.Reset((1 + i%50) * time.Minute)
		})
		assert.Equal(t, items(w), got)
	})
}

func TestToStopAllocatesNothing(t *testing.T) {
	forEach(t, timer.Config{Tick: time.Minute}, func(t *testing.T, w facility) {
		asleep(w)
		handles := make([]timer.Handle, 1001)
		for i := range handles {
			handles[i] = w.AfterFunc(2*time.Hour, nothing)
		}
		i := 0
		assert.Zero(t, testing.AllocsPerRun(len(handles)-1, func() {
			require.True(t, handles[i].Stop())
			i++
		}))
	})
}

// The goroutine of a function has one object that it starts with.
func TestToHandOverAllocatesTheGoroutineAndNothingElse(t *testing.T) {
	forEach(t, timer.Config{Tick: ms}, func(t *testing.T, w facility) {
		const many = 1000
		var begun sync.WaitGroup
		handles := make([]timer.Handle, many)
		for i := range handles {
			handles[i] = w.AfterFunc(time.Hour, begun.Done)
		}
		round := func() {
			begun.Add(many)
			for _, h := range handles {
				h.Reset(20 * ms)
			}
			begun.Wait()
		}
		round()
		// The goroutine, and a share of the batch. Turns of a few ticks have a few batches.
		assert.Less(t, testing.AllocsPerRun(5, round)/many, 1.2)
	})
}

func TestAPendingTimerIsAtMost128Bytes(t *testing.T) {
	forEach(t, timer.Config{Tick: ms, Slots: 4096}, func(t *testing.T, w facility) {
		const many = 20_000
		handles := make([]timer.Handle, many) // of the user
		before := heap()
		for i := range handles {
			handles[i] = w.AfterFunc(time.Hour+rand.N(time.Hour), nothing)
		}
		each := float64(heap()-before) / many
		t.Logf("%.1f bytes", each)
		assert.LessOrEqual(t, each, 128.0)
		runtime.KeepAlive(handles)
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
