package revolver

import "github.com/punctual-go/punctual/internal/wheel"

// dial is one array of slots, each an array itself. A timer of tick n waits, beside its tick, in
// slot n modulo their number. Walking a slot touches no timer that stays, and to leave a slot is to
// swap places with the last entry.
type dial struct {
	slots  []slot
	size   int // timers in all slots
	cursor int // Expire has yet to look at the entries below it; 0 between ticks
}

// slot holds the timers of one slot, of whatever turn, in no order.
type slot struct {
	entries []entry
	first   int64 // no entry has an earlier tick; exact after a visit
}

// entry is a timer with a copy of its tick, to be read without touching the timer.
type entry struct {
	tick  int64
	timer *wheel.Timer
}

// later is after every tick: the first of a slot in which nothing has been seen yet.
const later = 1<<63 - 1

// spare is the capacity up to which a slot keeps its array when its timers leave.
const spare = 64

func newDial(slots int) *dial { return &dial{slots: make([]slot, slots)} }

// at returns the slot of a tick. The number of slots is a power of two.
func (d *dial) at(tick int64) *slot { return &d.slots[tick&int64(len(d.slots)-1)] }

// Add implements [wheel.Dial]. O(1).
func (d *dial) Add(t *wheel.Timer, _ int64) {
	s := d.at(t.Tick())
	if len(s.entries) == 0 {
		s.first = later
	}
	s.first = min(s.first, t.Tick())
	t.Place = int32(len(s.entries))
	s.entries = append(s.entries, entry{t.Tick(), t})
	d.size++
}

// Remove implements [wheel.Dial]. O(1).
func (d *dial) Remove(t *wheel.Timer) {
	d.at(t.Tick()).remove(int(t.Place))
	d.size--
}

// remove fills the hole at i with the last entry, and shrinks an array of which three quarters are
// unused: after a storm of timers the wheel is to be small again.
func (s *slot) remove(i int) {
	last := len(s.entries) - 1
	s.entries[i] = s.entries[last]
	s.entries[i].timer.Place = int32(i)
	s.entries[last] = entry{}
	s.entries = s.entries[:last]
	if n, c := len(s.entries), cap(s.entries); c > spare && n < c/4 {
		s.entries = append(make([]entry, 0, max(2*n, spare)), s.entries...)
	}
}

// Next implements [wheel.Dial]. It goes round once, starting behind the hand. The first slot with
// an entry of this turn has the answer. If all are of later turns, the answer is the earliest.
func (d *dial) Next(hand int64) (tick int64, ok bool) {
	if d.size == 0 {
		return 0, false
	}
	tick = later
	for distance := range int64(len(d.slots)) {
		at := hand + 1 + distance
		s := d.at(at)
		if len(s.entries) == 0 {
			continue
		}
		if s.first == at {
			return at, true
		}
		tick = min(tick, s.first)
	}
	return tick, true
}

// Expire implements [wheel.Dial]. It looks at the entries from the last to the first, so that
// others may add and remove entries between two pieces: what is added is not due yet, and a removal
// moves an entry that has been looked at already, or moves it to where it will be looked at.
func (d *dial) Expire(tick, _ int64, due func(*wheel.Timer)) (hand int64, more bool) {
	s := d.at(tick)
	if d.cursor == 0 { // the first piece
		d.cursor = len(s.entries)
		s.first = later
	}
	d.cursor = min(d.cursor, len(s.entries))
	for range wheel.Piece {
		if d.cursor == 0 {
			return tick, false
		}
		d.cursor--
		e := s.entries[d.cursor]
		if e.tick > tick {
			s.first = min(s.first, e.tick)
			continue
		}
		s.remove(d.cursor)
		d.size--
		due(e.timer)
	}
	return tick, d.cursor > 0
}

// Drain implements [wheel.Dial].
func (d *dial) Drain(out func(*wheel.Timer)) {
	for i := range d.slots {
		for _, e := range d.slots[i].entries {
			out(e.timer)
		}
		d.slots[i] = slot{}
	}
	d.size, d.cursor = 0, 0
}
