package wheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer"
)

// stalled is a wheel with a tick of an hour, whose turn is held up until the function returned is
// called.
func stalled(c timer.Config) (w *Wheel, release func()) {
	gate := make(chan struct{})
	c.Tick = time.Hour
	c.Executor = func(f func()) error { f(); return nil }
	w = New(c, new(plain))
	w.AfterFunc(0, func() { <-gate })
	synctest.Wait()
	return w, func() { close(gate) }
}

func TestResetOfWhatIsDueDoesNotPileUpBehindAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, release := stalled(timer.Config{PendingLimit: 3})
		begun := 0
		h, other := w.AfterFunc(0, func() { begun++ }), w.AfterFunc(0, func() { begun++ })
		for range 100_000 {
			assert.True(t, h.Reset(0))
		}
		w.mu.Lock()
		kept := len(w.late)
		w.mu.Unlock()
		assert.LessOrEqual(t, kept, 2*3+backlog+1)
		release()
		synctest.Wait()
		assert.Equal(t, 2, begun)
		assert.False(t, other.Stop())
		assert.NoError(t, w.Validate())
	})
}

func TestAPanicOfOnPanicHarmsNobody(t *testing.T) {
	for name, executor := range map[string]timer.Executor{
		"goroutines": nil,
		"inline":     func(f func()) error { f(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told, begun := 0, 0
				w := New(timer.Config{Tick: ms, Executor: executor, OnPanic: func(any, []byte) { told++; panic("too") }}, new(plain))
				w.AfterFunc(ms, func() { panic("oh") })
				w.AfterFunc(2*ms, func() { begun++ })
				time.Sleep(3 * ms)
				synctest.Wait()
				assert.Equal(t, []int{1, 1}, []int{told, begun})
			})
		})
	}
}
