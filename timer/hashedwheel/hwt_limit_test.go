package hashedwheel_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

func TestHWT13_ThereIsRoomAgainAsSoonAsOneIsStoppedOrBegins(t *testing.T) {
	config := timer.Config{Tick: tick, Slots: slots, PendingLimit: 2, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		refused := func() {
			t.Helper()
			_, err := w.Schedule(tick, j.Func("refused"))
			assert.ErrorIs(t, err, timer.ErrSaturated)
			assert.Equal(t, 2, w.Armed())
		}
		first := w.AfterFunc(tick, j.Func("first"))
		w.AfterFunc(tick, j.Func("second"))
		refused()
		refused()
		require.True(t, first.Stop())
		w.AfterFunc(tick, j.Func("third"))
		refused()
		j.Sleep(tick)
		assert.Equal(t, []string{"second", "third"}, j.Names())
		w.AfterFunc(tick, j.Func("fourth"))
		w.AfterFunc(tick, j.Func("fifth"))
		refused()
	})
}

func TestHWT13_B21_ManyAtOnceGetExactlyTheRoomThereIs(t *testing.T) {
	const limit = 100
	w := hashedwheel.New(timer.Config{PendingLimit: limit})
	defer w.Close()
	var accepted atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range limit {
				if _, err := w.Schedule(time.Hour, nothing); err == nil {
					accepted.Add(1)
				}
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, limit, accepted.Load())
	assert.Equal(t, limit, w.Armed())
}

func TestHWT14_PendingCountsWhatIsArmedAndNotWhatIsStopped(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		var handles []timer.Handle
		for i := range 300 { // some of them not in a slot yet
			handles = append(handles, w.AfterFunc(100*turn, nothing))
			assert.Equal(t, i+1, w.Armed())
		}
		for i, h := range handles[:200] {
			h.Stop()
			assert.Equal(t, 299-i, w.Armed())
		}
		j.Sleep(100 * turn)
		assert.Zero(t, w.Armed())
	})
}
