package hierarchical

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
)

const tick = 10 * time.Millisecond

// newWheelOn returns a wheel that calls functions in order, on a dial that may be wrapped.
func newWheelOn(d *dial, wrapped wheel.Dial) *wheel.Wheel {
	w := wheel.New(timer.Config{Tick: tick, Executor: wheeltest.Inline}, wrapped)
	d.time = w.Time
	return w
}

// A slot of the third level comes down, in pieces, when its first is due.
func TestKAFKA12_D5_B43_AFunctionStoppedWhileItsSlotMovesIsNeitherKeptNorCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 3 * wheel.Piece
		var arming sync.Mutex
		var handles []timer.Handle
		moved, waiting, begun := 0, 0, 0
		d := newDial(3)
		between := &wheeltest.Between{Dial: d, Meddle: func(piece int) {
			arming.Lock()
			defer arming.Unlock()
			for i := piece; i < many; i += 7 {
				if d.levels[2].holds(handles[i].(*wheel.Timer)) {
					waiting++
				} else {
					moved++
				}
				assert.True(t, handles[i].Stop())
			}
		}}
		w := newWheelOn(d, between)
		arming.Lock()
		w.AfterFunc(9*tick, nothing)
		for i := range many {
			handles = append(handles, w.AfterFunc(time.Duration(10+i%7)*tick, func() { begun++ }))
		}
		arming.Unlock()
		time.Sleep(9 * tick)
		synctest.Wait()
		require.Positive(t, moved)
		require.Positive(t, waiting)
		left := many - moved - waiting
		assert.Equal(t, left, w.Armed())
		assert.Equal(t, left, d.size())
		require.NoError(t, w.Validate())
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, left, begun)
		assert.Zero(t, w.Armed())
		assert.Zero(t, d.size())
	})
}

func nothing() {}

// holds reports whether t is in a slot of l.
func (l *level) holds(t *wheel.Timer) bool {
	for _, s := range l.ring {
		if s != nil && t.List == &s.timers {
			return true
		}
	}
	return false
}

// counted counts how often each timer is put into a slot, by the wheel or on its way down.
type counted struct {
	*dial
	t    *testing.T
	adds map[*wheel.Timer]int
}

func (c *counted) Add(t *wheel.Timer, hand int64) {
	c.adds[t]++
	c.dial.Add(t, hand)
}

// Expire counts for every timer that has to leave its slot, and demands that no other does.
func (c *counted) Expire(tick, now int64, due func(*wheel.Timer)) (hand int64, more bool) {
	stay := map[*wheel.Timer]*slot{}
	for _, s := range c.queue.All() {
		for t := s.timers.First(); t != nil; t = t.Next() {
			switch {
			case s.first > now:
				stay[t] = s
			case t.Tick() > now:
				c.adds[t]++
			}
		}
	}
	hand, more = c.dial.Expire(tick, now, due)
	require.False(c.t, more, "what is left would be counted twice")
	for t, s := range stay {
		require.Same(c.t, &s.timers, t.List, "moved, and none of its slot was due")
	}
	return hand, more
}

// One function for each tick: there is always another that brings the slot down.
func TestAFunctionIsPutIntoASlotAtMostOncePerLevel(t *testing.T) {
	for slots, levels := range map[int]int{2: 8, 3: 5, 7: 3} {
		synctest.Test(t, func(t *testing.T) {
			d := newDial(slots)
			c := &counted{dial: d, t: t, adds: map[*wheel.Timer]int{}}
			w := newWheelOn(d, c)
			ticks := 1
			for range levels {
				ticks *= slots
			}
			for n := range ticks {
				w.AfterFunc(time.Duration(n)*tick, nothing)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			require.Zero(t, w.Armed())
			require.Len(t, d.levels, levels)
			most := 0
			for _, n := range c.adds {
				most = max(most, n)
			}
			assert.Equal(t, levels, most, "%d slots", slots)
		})
	}
}
