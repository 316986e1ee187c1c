package wheel

// List is a slot kept as a doubly linked list through the timers themselves: first in, first out,
// and O(1) to remove from anywhere. It allocates nothing. The zero List is empty.
type List struct {
	first, last *Timer

	Tag any // for the dial's own use
}

// First returns the timer that has waited longest, or nil.
func (l *List) First() *Timer { return l.first }

// Add appends t, which is in no list.
func (l *List) Add(t *Timer) {
	t.List, t.prev = l, l.last
	if l.last != nil {
		l.last.next = t
	} else {
		l.first = t
	}
	l.last = t
}

// Remove removes t, which is in the list.
func (l *List) Remove(t *Timer) {
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		l.first = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	} else {
		l.last = t.prev
	}
	t.List, t.prev, t.next = nil, nil, nil
}

// Next returns the timer behind t in its list, or nil.
func (t *Timer) Next() *Timer { return t.next }
