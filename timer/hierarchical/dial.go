package hierarchical

import (
	"time"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/internal/wheel"
)

// dial is a stack of wheels, the levels. A slot of the first level is one tick wide, a slot of any
// other as wide as the whole level below. A timer waits in the lowest level that reaches its tick.
//
// A slot that holds anything is in the queue, for the time of its first timer, whatever its level.
// When that is due the slot is emptied: what is not due moves down, to where it belongs by then. So
// no timer is moved for its own sake: a far one that is alone never moves down, and one in company
// at most once per level.
type dial struct {
	levels []level                    // made on demand, narrowest first
	slots  int                        // in each level
	queue  *delayqueue.Queue[*slot]   // of the slots in use, by first; only its order is used
	time   func(tick int64) time.Time // when a tick is due
}

// level is one wheel. It reaches len(ring) slots far, counting the one that the hand is in.
type level struct {
	width int64   // of a slot, in ticks
	ring  []*slot // nil where a slot has never been used
}

// slot holds the timers of ticks from number*width to the beginning of the next slot. If its place
// in the ring is wanted for a later turn before it has been emptied, a new slot takes the place.
// The old one is overdue then, and is still reached by way of the queue and of its timers.
type slot struct {
	timers wheel.List
	number int64
	first  int64                   // no timer has an earlier tick; exact unless one was removed
	item   *delayqueue.Item[*slot] // its place in the queue
}

func newDial(slots int) *dial { return &dial{slots: slots, queue: delayqueue.New[*slot]()} }

// Add implements [wheel.Dial]. O(levels), and O(log slots) for the first timer of a slot and for
// one that is earlier than all in it.
func (d *dial) Add(t *wheel.Timer, hand int64) {
	s := d.slotOf(t.Tick(), hand)
	empty := s.timers.First() == nil
	s.timers.Add(t)
	if empty || t.Tick() < s.first {
		s.first = t.Tick()
		d.enqueue(s)
	}
}

// slotOf finds the slot of a tick in the lowest level that reaches it.
func (d *dial) slotOf(tick, hand int64) *slot {
	for i := 0; ; i++ {
		l := d.level(i)
		number := tick / l.width
		if number-hand/l.width < int64(d.slots) {
			return l.slot(number)
		}
	}
}

// level returns level i, and makes it if it is the first beyond those there are. This comes to an
// end: a level reaches every tick before its slots could be too wide for an int64.
func (d *dial) level(i int) *level {
	if i == len(d.levels) {
		width := int64(1)
		if i > 0 {
			width = d.levels[i-1].width * int64(d.slots)
		}
		d.levels = append(d.levels, level{width: width, ring: make([]*slot, d.slots)})
	}
	return &d.levels[i]
}

// slot returns the slot with the given number, reusing the one in its place if that is empty.
func (l *level) slot(number int64) *slot {
	i := number % int64(len(l.ring))
	s := l.ring[i]
	if s == nil || s.number != number && s.timers.First() != nil {
		s = new(slot)
		s.timers.Tag = s
		l.ring[i] = s
	}
	s.number = number
	return s
}

// enqueue puts s into the queue for the time of its first timer, or moves it forward there.
func (d *dial) enqueue(s *slot) {
	s.item.Remove()
	s.item, _ = d.queue.PutAt(s, d.time(s.first)) // no error: nobody closes the queue
}

// Remove implements [wheel.Dial]. O(1), and O(log slots) for the last timer of a slot.
func (d *dial) Remove(t *wheel.Timer) {
	list := t.List
	list.Remove(t)
	if list.First() == nil {
		list.Tag.(*slot).item.Remove()
	}
}

// Next implements [wheel.Dial]. O(1).
func (d *dial) Next(int64) (tick int64, ok bool) {
	s, _, ok := d.queue.Peek()
	if !ok {
		return 0, false
	}
	return s.first, true
}

// Expire implements [wheel.Dial]. It empties every slot that has a timer due by now, not by tick
// only: slots whose time had passed when they were queued stand in the order in which they came, so
// that of the given tick need not be the first.
func (d *dial) Expire(_, now int64, due func(*wheel.Timer)) (hand int64, more bool) {
	var s *slot
	for range wheel.Piece {
		if s == nil || s.timers.First() == nil {
			var ok bool
			if s, _, ok = d.queue.Peek(); !ok || s.first > now {
				return now, false
			}
		}
		t := s.timers.First()
		d.Remove(t)
		if t.Tick() > now { // moves down, to the level that fits by now
			d.Add(t, now)
			continue
		}
		due(t)
	}
	return now, true
}

// Drain implements [wheel.Dial].
func (d *dial) Drain(out func(*wheel.Timer)) {
	for s, _, ok := d.queue.Peek(); ok; s, _, ok = d.queue.Peek() {
		for t := s.timers.First(); t != nil; t = s.timers.First() {
			d.Remove(t)
			out(t)
		}
	}
}
