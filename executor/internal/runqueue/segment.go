package runqueue

import (
	"iter"
	"slices"
	"sync"

	"github.com/punctual-go/punctual/internal/cell"
)

// segment is a queue of tasks in order of arrival, from which any task with a cell can be removed.
// It is filled, emptied, and made anew. Its tasks lie in blocks, so it grows without copying them:
//
//	blocks  nil  nil  [. . t t]  [t - t t]  [t t . .]
//	                       |                     |
//	                     taken                  end      t task, - hole, . free
//
// A task with a cell knows its entry by a negative Place: -1 minus its position, which is base plus
// the index of the entry, and of which only the low bits are kept.
type segment struct {
	blocks     []*block // nil where all entries have been taken
	taken, end int      // entries before taken are gone; those from end on are free
	holes      int      // entries removed between the two
	base       uint32   // position of the first entry

	// Empty blocks for reuse. The height of a burst may leave many of them; from a sync.Pool the
	// garbage collector takes them back when the burst is over.
	free *sync.Pool
}

type block struct {
	slots  [blockSize]Slot
	stamps *[blockSize]Stamp // made for the first stamp that is not zero; a plain pool has none
}

const (
	blockSize  = 128 // entries, 2 KiB
	keptBlocks = 64  // the longest list of blocks that is kept when it is empty
)

func (s *segment) len() int { return s.end - s.taken - s.holes }

func (s *segment) at(i int) *Slot { return &s.blocks[i/blockSize].slots[i%blockSize] }

// stampAt returns the stamp of the entry at i.
func (s *segment) stampAt(i int) Stamp {
	if stamps := s.blocks[i/blockSize].stamps; stamps != nil {
		return stamps[i%blockSize]
	}
	return Stamp{}
}

func (s *segment) push(e Entry) {
	if s.end == len(s.blocks)*blockSize {
		s.blocks = append(s.blocks, s.newBlock())
	}
	if e.Cell != nil {
		e.Cell.Place = -1 - int32((s.base+uint32(s.end))&positionMask)
	}
	s.set(s.end, e)
	s.end++
}

func (s *segment) set(i int, e Entry) {
	b := s.blocks[i/blockSize]
	b.slots[i%blockSize] = e.Slot
	if e.When != Unread && b.stamps == nil {
		b.stamps = new([blockSize]Stamp)
	}
	if b.stamps != nil { // in a block used before, an old stamp may have to go
		b.stamps[i%blockSize] = e.Stamp
	}
}

func (s *segment) newBlock() *block {
	if b, ok := s.free.Get().(*block); ok {
		return b
	}
	return new(block)
}

// live reports whether there is a task, which is then the next entry. It passes over the entries
// that removal has emptied.
func (s *segment) live() bool {
	for s.taken < s.end {
		if !s.at(s.taken).Empty() {
			return true
		}
		s.holes--
		s.step()
	}
	return false
}

// first returns the stamp of the next entry, which must be live.
func (s *segment) first() Stamp { return s.stampAt(s.taken) }

// pop takes the next entry, which must be live.
func (s *segment) pop() Entry {
	next := s.at(s.taken)
	e := Entry{*next, s.stampAt(s.taken)}
	*next = Slot{}
	s.step()
	if e.Cell != nil {
		e.Cell.Place = 0
	}
	return e
}

// row returns how many bare tasks come next, all with a time or all without: no more than fit into
// a [Batch], nor beyond the end of their block. One without may come behind one with a time, if its
// submitter was held up as the first with a time came to the pool.
func (s *segment) row() (n int) {
	if s.taken == s.end {
		return 0
	}
	b, first := s.blocks[s.taken/blockSize], s.taken%blockSize
	slots := b.slots[first:min(first+s.end-s.taken, blockSize)]
	for n < min(len(slots), BatchSize) && slots[n].Body != nil &&
		(b.stamps == nil || (b.stamps[first+n].When == Unread) == (b.stamps[first].When == Unread)) {
		n++
	}
	return n
}

// preceding returns how many of the next n entries run before the given task of the heap.
func (s *segment) preceding(n int, when int64, order uint64) int {
	for n > 0 && !s.stampAt(s.taken+n-1).precedes(when, order) {
		n--
	}
	return n
}

// popRow takes the next bare tasks, with their stamps; see row.
func (s *segment) popRow(tasks []Body, stamps []Stamp) {
	b, first := s.blocks[s.taken/blockSize], s.taken%blockSize
	slots := b.slots[first : first+len(tasks)]
	for i := range slots {
		tasks[i] = slots[i].Body
	}
	clear(slots)
	if b.stamps == nil {
		clear(stamps)
	} else {
		copy(stamps, b.stamps[first:])
	}
	if s.taken += len(tasks); s.taken%blockSize == 0 {
		s.release(s.taken/blockSize - 1)
	}
}

// unpop puts bare tasks back in front of all others.
func (s *segment) unpop(tasks []Body, stamps []Stamp) {
	// Their old entries are still there in front, unless the segment has been exchanged or rebuilt.
	if s.taken < len(tasks) {
		entries := make([]Entry, 0, len(tasks)+s.len())
		for i, task := range tasks {
			entries = append(entries, Entry{Slot{Body: task}, stamps[i]})
		}
		s.rebuild(append(entries, s.entries()...))
		return
	}
	for i, task := range slices.Backward(tasks) {
		s.taken--
		if s.blocks[s.taken/blockSize] == nil {
			s.blocks[s.taken/blockSize] = s.newBlock()
		}
		s.set(s.taken, Entry{Slot{Body: task}, stamps[i]})
	}
}

// step passes over an entry that is empty by now, and releases its block after the last one.
func (s *segment) step() {
	s.taken++
	if s.taken%blockSize != 0 {
		return
	}
	s.release(s.taken/blockSize - 1)
}

// release gives up a block, which must be empty.
func (s *segment) release(i int) {
	s.free.Put(s.blocks[i])
	s.blocks[i] = nil
}

func (s *segment) remove(c *cell.Cell) bool {
	i := int((uint32(-1-c.Place) - s.base) & positionMask)
	if c.Place >= 0 || i < s.taken || i >= s.end || s.at(i).Cell != c {
		return false
	}
	*s.at(i) = Slot{}
	s.holes++
	c.Place = 0
	// More holes than tasks: rebuilding costs O(1) for each removal that has made one.
	if s.holes > blockSize && s.holes > s.len() {
		s.rebuild(s.entries())
	}
	return true
}

// all yields the entries that hold tasks, in order.
func (s *segment) all() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := s.taken; i < s.end; i++ {
			if t := *s.at(i); !t.Empty() && !yield(Entry{t, s.stampAt(i)}) {
				return
			}
		}
	}
}

// entries returns the entries that hold tasks, in order.
func (s *segment) entries() []Entry {
	return slices.AppendSeq(make([]Entry, 0, s.len()), s.all())
}

// rebuild makes the segment consist of these entries.
func (s *segment) rebuild(entries []Entry) {
	*s = segment{base: s.base, free: s.free}
	for _, e := range entries {
		s.push(e)
	}
}

// renewed returns the segment, which is empty, as the one that follows after: positions go on from
// there, so a Place never fits an entry of the other segment.
func (s *segment) renewed(after *segment) segment {
	next := segment{base: after.base + uint32(after.end), free: s.free}
	// The list of blocks is reused, unless a burst has made it long.
	if s.end%blockSize != 0 {
		s.release(len(s.blocks) - 1) // partly used, so step has not released it
	}
	if len(s.blocks) <= keptBlocks {
		next.blocks = s.blocks[:0]
	}
	return next
}
