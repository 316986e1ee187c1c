package revolver

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/wheel"
)

// Validate checks the dial, between two turns, and returns its timers.
func (d *dial) Validate(hand int64) (all []*wheel.Timer, err error) {
	if d.cursor != 0 {
		return nil, fmt.Errorf("dial: a slot is being expired")
	}
	for i := range d.slots {
		s := &d.slots[i]
		for at, e := range s.entries {
			if e.tick != e.timer.Tick() || int(e.timer.Place) != at || d.at(e.tick) != s {
				return nil, fmt.Errorf("dial: slot %d has at %d a timer of tick %d and place %d", i, at, e.timer.Tick(), e.timer.Place)
			}
			if s.first > e.tick || s.first <= hand || d.at(s.first) != s {
				return nil, fmt.Errorf("dial: slot %d, first %d, holds tick %d", i, s.first, e.tick)
			}
			all = append(all, e.timer)
		}
		for _, e := range s.entries[len(s.entries):cap(s.entries)] {
			if e.timer != nil {
				return nil, fmt.Errorf("dial: slot %d keeps a timer that has left", i)
			}
		}
	}
	if len(all) != d.size {
		return nil, fmt.Errorf("dial: %d timers, counted %d", len(all), d.size)
	}
	return all, nil
}

// Validate checks the whole wheel.
func (w *Wheel) Validate() error { return w.core.Validate() }

// Slots returns how many slots the dial has.
func (w *Wheel) Slots() int {
	return reflect.ValueOf(w.core).Elem().FieldByName("dial").Elem().Elem().FieldByName("slots").Len()
}

// The comment of the package says what a timer costs that stays in a slot which is looked through.
func TestAnEntryIsATickAndAPointer(t *testing.T) {
	assert.Equal(t, 8+unsafe.Sizeof(uintptr(0)), unsafe.Sizeof(entry{}))
	assert.LessOrEqual(t, unsafe.Sizeof(entry{}), uintptr(16))
}
