package hashedwheel

import (
	"fmt"
	"reflect"

	"github.com/punctual-go/punctual/internal/wheel"
)

// Validate checks the dial, between two turns, and returns its timers.
func (d *dial) Validate(hand int64) (all []*wheel.Timer, err error) {
	if d.cursor != nil {
		return nil, fmt.Errorf("dial: a slot is being expired")
	}
	for i := range d.slots {
		s := &d.slots[i]
		if err := s.timers.ValidateLinks(); err != nil {
			return nil, err
		}
		if bit := d.occupied[i/64]>>(i%64)&1 == 1; bit != (s.timers.First() != nil) {
			return nil, fmt.Errorf("dial: slot %d is marked as occupied: %v", i, bit)
		}
		for t := s.timers.First(); t != nil; t = t.Next() {
			if d.index(t.Tick()) != i || s.first > t.Tick() || s.first <= hand || d.index(s.first) != i {
				return nil, fmt.Errorf("dial: slot %d, first %d, holds tick %d", i, s.first, t.Tick())
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// Validate checks the whole wheel.
func (w *Wheel) Validate() error { return w.core.Validate() }

// Slots returns how many slots the dial has.
func (w *Wheel) Slots() int {
	return reflect.ValueOf(w.core).Elem().FieldByName("dial").Elem().Elem().FieldByName("slots").Len()
}
