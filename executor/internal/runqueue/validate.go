package runqueue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// These methods check what must hold of the queues between any two calls. They are for tests.

// Validate checks both sides of the inbox, and that the stamps ascend.
func (q *Inbox) Validate() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := Stamp{}
	for _, side := range []*segment{&q.out, &q.in} {
		if err := side.validate(); err != nil {
			return err
		}
		for _, e := range side.entries() {
			if e.When == Unread {
				continue
			}
			if q.sequence == nil {
				return errors.New("a stamp in an inbox without stamps")
			}
			if cmp.Or(cmp.Compare(last.When, e.When), cmp.Compare(last.After, e.After)) > 0 {
				return fmt.Errorf("stamp %v comes after %v", e.Stamp, last)
			}
			last = e.Stamp
		}
	}
	if q.in.len() > 0 && q.out.len() == 0 && q.word.Load() {
		return errors.New("there are tasks, and nobody has been told")
	}
	return nil
}

// Cells returns the tasks in order, with a new cell for each bare one.
func (q *Inbox) Cells() (cells []*cell.Cell) {
	for _, e := range append(q.out.entries(), q.in.entries()...) {
		cells = append(cells, q.cellOf(e))
	}
	return cells
}

// Blocks returns how many blocks the inbox holds on to.
func (q *Inbox) Blocks() int { return len(q.in.blocks) + len(q.out.blocks) }

func (s *segment) validate() error {
	if s.taken < 0 || s.taken > s.end || s.end > len(s.blocks)*blockSize {
		return errors.New("the bounds are out of order")
	}
	if len(s.blocks) > (s.end+blockSize-1)/blockSize {
		return errors.New("there is one block too many")
	}
	holes := 0
	for i := range s.end {
		if i/blockSize < s.taken/blockSize {
			if s.blocks[i/blockSize] != nil {
				return errors.New("an empty block has not been released")
			}
			continue
		}
		switch e := *s.at(i); {
		case i < s.taken && !e.Empty():
			return errors.New("a taken entry is not empty")
		case i < s.taken:
		case e.Empty():
			holes++
		case e.Cell != nil && e.Cell.Place != -1-int32((s.base+uint32(i))&positionMask):
			return errors.New("a task does not know its place")
		}
	}
	if holes != s.holes {
		return errors.New("the holes are miscounted")
	}
	for i := s.end; i < len(s.blocks)*blockSize; i++ {
		if !s.at(i).Empty() {
			return errors.New("an entry beyond the end is not empty")
		}
	}
	beyond := s.blocks[len(s.blocks):cap(s.blocks)]
	if slices.ContainsFunc(beyond, func(b *block) bool { return b != nil }) {
		return errors.New("a block is retained beyond the end of a list")
	}
	return nil
}

// Validate checks the ring, and that every task knows its place.
func (q *FIFO) Validate() error {
	span := int(q.tail - q.head)
	if span > len(q.ring) || len(q.ring)&(len(q.ring)-1) != 0 {
		return fmt.Errorf("fifo: %d places in a ring of %d", span, len(q.ring))
	}
	live, inRing := 0, 0
	for at := q.head; at != q.tail; at++ {
		c := q.ring[q.slot(at)]
		if c == nil && at == q.head {
			return errors.New("fifo: the first is gone")
		}
		if c == nil {
			continue
		}
		live++
		if c.Place != -1-int32(at&positionMask) {
			return fmt.Errorf("fifo: a task at %d has place %d", at, c.Place)
		}
	}
	for _, c := range q.ring {
		if c != nil {
			inRing++
		}
	}
	if live != q.live || inRing != live {
		return fmt.Errorf("fifo: %d tasks, %d in the ring, counted as %d", live, inRing, q.live)
	}
	return nil
}

// Validate checks all parts of the queue. Now is the time on the pool's clock.
func (q *Delayed) Validate(now int64) error {
	if err := q.heap.Validate(placeInHeap); err != nil {
		return err
	}
	if err := q.cut.Validate(placeInHeap); err != nil {
		return err
	}
	if err := q.ripe.Validate(); err != nil {
		return err
	}
	ripe := q.ripe.All()
	if q.cut.Len() > 0 && len(ripe) == 0 {
		return fmt.Errorf("%d tasks have been cut out, and none is ripe", q.cut.Len())
	}
	for _, c := range q.cut.All() {
		if q.compare(c, ripe[len(ripe)-1]) < 0 {
			return errors.New("a ripe task comes after one that has been cut out")
		}
	}
	if !slices.IsSortedFunc(ripe, q.compare) {
		return errors.New("the ripe tasks are out of order")
	}
	if n := len(ripe); n > 0 && q.readyAt(ripe[n-1]) > now {
		return fmt.Errorf("a task for %d is ripe at %d", q.readyAt(ripe[n-1]), now)
	}
	if err := q.Shards.validate(); err != nil {
		return err
	}
	return q.line.Validate()
}

// ValidateAwaited checks that what comes first is awaited, so that of those who come to the shards
// only they tell the pool who come before that. To closed ones nobody comes.
func (q *Delayed) ValidateAwaited() error {
	if q.Shards == nil || !q.Shards.open {
		return nil
	}
	if when, _ := q.Head(); when != parking.Nothing && q.Shards.awaited.Load() > when {
		return fmt.Errorf("the head is for %d, and awaited for %d", when, q.Shards.awaited.Load())
	}
	return nil
}

func (ss *Shards) validate() error {
	if ss == nil {
		return nil
	}
	for i := range ss.list {
		if err := ss.list[i].validate(ss); err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
	}
	return nil
}

func (s *shard) validate(of *Shards) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.heap.Validate(placeInHeap); err != nil {
		return err
	}
	head := none
	if s.heap.Len() > 0 {
		head, _ = s.heap.Min()
	}
	switch {
	case s.head.Load() != head:
		return fmt.Errorf("the head is for %d, and shown as %d", head, s.head.Load())
	case s.swept > of.upTo.Load() || head <= of.upTo.Load():
		return fmt.Errorf("swept up to %d, all up to %d, and the head is for %d",
			s.swept, of.upTo.Load(), head)
	case s.open != of.open || s.careful != of.careful:
		return errors.New("it is not as all should be")
	}
	for at, c := range s.heap.All() {
		if of.home(c) != s || c.When != at {
			return fmt.Errorf("a task for %d is here for %d, and at home elsewhere", c.When, at)
		}
	}
	return nil
}

// Cells returns the tasks in order, with a new cell for each bare one.
func (q *Delayed) Cells() []*cell.Cell {
	cells := q.ripe.All()
	for _, c := range q.heap.All() {
		cells = append(cells, c)
	}
	for _, c := range q.cut.All() {
		cells = append(cells, c)
	}
	if q.Shards != nil {
		for i := range q.Shards.list {
			for _, c := range q.Shards.list[i].heap.All() {
				cells = append(cells, c)
			}
		}
	}
	slices.SortFunc(cells, q.compare)
	return q.weave(q.line.Cells(), cells)
}

func placeInHeap(c *cell.Cell) int { return int(c.Place) - 1 }

// Validate checks a batch that is used by so many workers.
func (b *Batch) Validate(users int) error {
	claimed := min(b.next.Load(), b.size)
	switch {
	case b.size < 0 || b.size > BatchSize || claimed < 0:
		return fmt.Errorf("batch: %d of %d are claimed", claimed, b.size)
	case b.users != users:
		return fmt.Errorf("batch: %d workers use it, counted as %d", users, b.users)
	case uint64(claimed) < b.over+uint64(users):
		return fmt.Errorf("batch: %d are claimed, %d of them over, by %d workers",
			claimed, b.over, users)
	}
	for i, task := range b.tasks {
		if waits := int64(i) >= claimed && int64(i) < b.size; waits != (task != nil) {
			return fmt.Errorf("batch: of %d, %d claimed, number %d is there: %v",
				b.size, claimed, i, task != nil)
		}
	}
	return nil
}
