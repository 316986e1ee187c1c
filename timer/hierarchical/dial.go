package hierarchical

import (
	"time"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/internal/wheel"
)

// dial is wheels above wheels: a slot of the first level is one tick wide, and a slot of each further
// level as wide as the whole level below. A timer waits in the lowest level that reaches its tick.
//
// A slot that holds anything is in the queue, for the time of the first of its timers, whatever its
// level. When that is due the slot is emptied: what is not due goes down, to where it belongs by
// then. So nothing is moved down for its own sake, a far timer that is alone goes down never, and one in
// company at most once per level.
type dial struct {
	levels []level
	slots  int // of each level
	queue  *delayqueue.Queue[*slot]
	time   func(tick int64) time.Time
}

// level is one wheel. It reaches as many of its slots far as there are, counted from the one that the hand
// is in.
type level struct {
	width int64 // ticks of a slot
	ring  []*slot
}

// slot holds the timers of the ticks from number×width to the next slot. When its place in the ring
// is wanted for a later turn before it has been emptied, another slot takes the place: this one is
// overdue, in the queue, and knows its timers.
type slot struct {
	timers wheel.List
	number int64
	first  int64 // no timer has an earlier tick; exact unless one has been removed
	item   *delayqueue.Item[*slot]
}

func newDial(slots int) *dial { return &dial{slots: slots, queue: delayqueue.New[*slot]()} }

// Add implements [wheel.Dial]. O(levels), and O(log slots) for the first timer of a slot and for one
// that is earlier than all in it.
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

// level returns the level i, which is made if it is the first beyond those there are. There is an end:
// before a slot could be wider than time is long, a level reaches everything.
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

// slot returns the slot with the given number.
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

// enqueue puts s into the queue, or ahead in it, for the time of its first timer.
func (d *dial) enqueue(s *slot) {
	s.item.Remove()
	s.item, _ = d.queue.PutAt(s, d.time(s.first)) // which is closed by nobody
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

// Expire implements [wheel.Dial]. It empties every slot with a timer that is due: those of ticks gone by
// come in the order in which the queue got them, so it takes all of them.
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
		if t.Tick() > now {
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
