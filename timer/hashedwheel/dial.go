package hashedwheel

import (
	"math/bits"

	"github.com/punctual-go/punctual/internal/wheel"
)

// dial is one array of slots. A timer of tick n waits in slot n modulo their number, together with
// timers of other turns.
type dial struct {
	slots    []slot
	occupied []uint64     // one bit for each slot, so that Next skips 64 empty ones at a time
	cursor   *wheel.Timer // where the next piece of Expire starts; nil between ticks
}

// slot holds the timers of one slot, of whatever turn.
type slot struct {
	timers wheel.List

	// first is a bound: no timer in the slot has an earlier tick. Adding keeps it exact. Removing
	// the earliest does not raise it, as that would take a walk; the next visit does.
	first int64
}

func newDial(slots int) *dial {
	return &dial{slots: make([]slot, slots), occupied: make([]uint64, (slots+63)/64)}
}

// index returns the slot of a tick. The number of slots is a power of two.
func (d *dial) index(tick int64) int { return int(tick & int64(len(d.slots)-1)) }

// Add implements [wheel.Dial]. O(1).
func (d *dial) Add(t *wheel.Timer, _ int64) {
	i := d.index(t.Tick())
	s := &d.slots[i]
	if s.timers.First() == nil {
		d.occupied[i/64] |= 1 << (i % 64)
		s.first = t.Tick()
	}
	s.first = min(s.first, t.Tick())
	s.timers.Add(t)
}

// Remove implements [wheel.Dial]. O(1).
func (d *dial) Remove(t *wheel.Timer) {
	if t == d.cursor { // removed between two pieces of Expire
		d.cursor = t.Next()
	}
	i := d.index(t.Tick())
	d.slots[i].timers.Remove(t)
	d.vacate(i)
}

// vacate clears the bit of slot i if the slot is empty.
func (d *dial) vacate(i int) {
	if d.slots[i].timers.First() == nil {
		d.occupied[i/64] &^= 1 << (i % 64)
	}
}

// Next implements [wheel.Dial]. It goes round once, starting behind the hand. The first slot with a
// timer of this turn has the answer. If all timers are of later turns, the answer is the earliest.
// Where first is too early, so is the answer, once: the visit corrects it.
func (d *dial) Next(hand int64) (tick int64, ok bool) {
	n := int64(len(d.slots))
	for distance := int64(1); distance <= n; {
		i := d.index(hand + distance)
		run := d.free(i)
		if run > 0 {
			distance += int64(run)
			continue
		}
		first := d.slots[i].first
		if first == hand+distance {
			return first, true
		}
		if !ok || first < tick {
			tick, ok = first, true
		}
		distance++
	}
	return tick, ok
}

// free returns how many slots from i on are empty, as far as one word of the bitmap tells.
func (d *dial) free(i int) int {
	left := min(64, len(d.slots)) - i%64
	return min(bits.TrailingZeros64(d.occupied[i/64]>>(i%64)), left)
}

// Expire implements [wheel.Dial]. It walks the whole slot, since timers of later turns stand
// between those that are due, and computes first anew on the way.
func (d *dial) Expire(tick, _ int64, due func(*wheel.Timer)) (hand int64, more bool) {
	i := d.index(tick)
	s := &d.slots[i]
	if d.cursor == nil { // the first piece
		d.cursor = s.timers.First()
		s.first = later
	}
	// A timer added between two pieces joins the end of the list, where the cursor will meet it.
	for range wheel.Piece {
		t := d.cursor
		if t == nil {
			d.vacate(i)
			return tick, false
		}
		d.cursor = t.Next()
		if t.Tick() > tick {
			s.first = min(s.first, t.Tick())
			continue
		}
		s.timers.Remove(t)
		due(t)
	}
	if d.cursor == nil {
		d.vacate(i)
	}
	return tick, d.cursor != nil
}

// later is after every tick: the first of a slot in which nothing has been seen yet.
const later = 1<<63 - 1

// Drain implements [wheel.Dial].
func (d *dial) Drain(out func(*wheel.Timer)) {
	d.cursor = nil
	for i := range d.slots {
		for t := d.slots[i].timers.First(); t != nil; t = d.slots[i].timers.First() {
			d.slots[i].timers.Remove(t)
			out(t)
		}
		d.vacate(i)
	}
}
