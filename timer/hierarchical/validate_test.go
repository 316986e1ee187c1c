package hierarchical

import (
	"fmt"

	"github.com/punctual-go/punctual/internal/wheel"
)

// Validate checks the dial, between two turns, and returns its timers.
func (d *dial) Validate(hand int64) (all []*wheel.Timer, err error) {
	queued := map[*slot]bool{}
	for at, s := range d.queue.All() {
		if queued[s] || s.timers.First() == nil || !at.Equal(d.time(s.first)) || s.first <= hand {
			return nil, fmt.Errorf("dial: a slot with first tick %d is queued for %v, with the hand at %d", s.first, at, hand)
		}
		queued[s] = true
	}
	inRings := 0
	for i := range d.levels {
		l := &d.levels[i]
		if i == 0 && l.width != 1 || i > 0 && l.width != d.levels[i-1].width*int64(d.slots) {
			return nil, fmt.Errorf("dial: level %d has slots of %d ticks", i, l.width)
		}
		for place, s := range l.ring {
			if s == nil || s.timers.First() == nil {
				continue
			}
			inRings++
			if s.number%int64(d.slots) != int64(place) || !queued[s] {
				return nil, fmt.Errorf("dial: slot %d of level %d is at %d, queued %v", s.number, i, place, queued[s])
			}
			if err := s.timers.ValidateLinks(); err != nil {
				return nil, err
			}
			for t := s.timers.First(); t != nil; t = t.Next() {
				if t.Tick()/l.width != s.number || s.first > t.Tick() {
					return nil, fmt.Errorf("dial: slot %d of level %d, first %d, holds tick %d", s.number, i, s.first, t.Tick())
				}
				all = append(all, t)
			}
		}
	}
	if inRings != len(queued) {
		return nil, fmt.Errorf("dial: %d slots hold timers, %d are queued", inRings, len(queued))
	}
	return all, nil
}

// Levels returns how many levels there are.
func (w *Wheel) Levels() int { return len(w.dial.levels) }

// size returns how many timers there are in all slots.
func (d *dial) size() (n int) {
	for _, s := range d.queue.All() {
		for t := s.timers.First(); t != nil; t = t.Next() {
			n++
		}
	}
	return n
}

// Size returns how many timers are in the dial, between two turns.
func (w *Wheel) Size() int {
	defer w.Wakeups() // takes the lock, so that the next turn comes after this
	return w.dial.size()
}

// Validate checks the whole wheel.
func (w *Wheel) Validate() error { return w.core.Validate() }
