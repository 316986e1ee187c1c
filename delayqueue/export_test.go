package delayqueue

import (
	"fmt"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
)

// Validate checks what must hold of a queue whenever its lock is free: the heap is one, the places
// of those who wait and of those who have gone are in order, and somebody will look at the head
// when it is due. At rest, when nothing can go on before time passes or somebody calls, nobody is
// on the way, so that is more to ask.
func (q *Queue[E]) Validate(atRest bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.validateHeap(); err != nil {
		return err
	}
	in, err := q.lot.Validate()
	if err != nil {
		return err
	}
	if err := q.validateSpare(in); err != nil {
		return err
	}
	if atRest {
		if err := q.validateRest(in); err != nil {
			return err
		}
	}
	return q.validateWatch(in)
}

// Parked returns how many takers wait.
func (q *Queue[E]) Parked() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lot.Idle()
}

func (q *Queue[E]) validateHeap() error {
	if err := q.heap.Validate(func(n *node[E]) int { return n.place - 1 }); err != nil {
		return err
	}
	_, nodes := q.heap.Sorted()
	for _, n := range nodes {
		if n.queue != q || n.seq == 0 || n.seq > q.seq {
			return fmt.Errorf("an element has number %d of %d, in its own queue: %v", n.seq, q.seq, n.queue == q)
		}
	}
	return nil
}

// validateSpare checks the places of takers that have gone: nobody waits there, and no call lies
// there.
func (q *Queue[E]) validateSpare(in parking.Census) error {
	if len(q.spare) > maxSpare {
		return fmt.Errorf("%d spare places, more than %d", len(q.spare), maxSpare)
	}
	seen := map[*parking.Waiter]bool{}
	for _, w := range q.spare {
		switch {
		case seen[w]:
			return fmt.Errorf("a place is spare twice")
		case in.Places[w]:
			return fmt.Errorf("somebody waits in a spare place")
		case !w.Free():
			return fmt.Errorf("a spare place is not clean")
		}
		seen[w] = true
	}
	return nil
}

func (q *Queue[E]) validateRest(in parking.Census) error {
	head, now := q.head(), q.clock.Now()
	switch {
	case q.lot.Coming() > 0, in.Leader != nil && in.Rung:
		return fmt.Errorf("%d takers are coming, and the leader is called: %v", q.lot.Coming(), in.Rung)
	case q.closed && len(in.Places) > 0:
		return fmt.Errorf("%d takers wait in a closed queue", len(in.Places))
	case len(in.Places) > 0 && head != parking.Nothing && head <= now:
		return fmt.Errorf("%d takers wait, and an element is due since %d, at %d", len(in.Places), head, now)
	case in.Leader != nil && in.Armed <= now:
		return fmt.Errorf("the leader has slept through %d, at %d", in.Armed, now)
	}
	return nil
}

// validateWatch checks the one rule of a lot.
func (q *Queue[E]) validateWatch(in parking.Census) error {
	head := q.head()
	if head == parking.Nothing || len(in.Places) == 0 || q.lot.Coming() > 0 {
		return nil
	}
	if head == clock.Never {
		return nil // nobody has to
	}
	if in.Leader == nil || !in.Rung && in.Armed > head {
		return fmt.Errorf("nobody looks at the element due at %d: there is a leader: %v, until %d", head, in.Leader != nil, in.Armed)
	}
	return nil
}
