package runqueue

import (
	"cmp"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// Delayed orders tasks by trigger time, equal times by order of submission. It is the queue of
// java.util.concurrent's ScheduledThreadPoolExecutor, the DelayedWorkQueue.
//
// What asks for nothing but to run once waits for its time in [Shards], each of which is such a
// queue with a lock of its own: one lock would be most of the cost where many schedule and cancel.
// When it is due it becomes ripe or, out of order, comes to the heap.
//
// Tasks submitted to run now arrive in time order, so they form a sorted FIFO by themselves: an
// [Inbox] beside the heap, the line. So Execute and Submit are O(1), take no lock that workers
// hold, and overtake nobody: the stamp that the inbox gives a task tells which tasks of the heap
// came before it.
//
// When very many tasks are due at once, popping them one by one from a large heap costs a walk
// through memory for each. So if most of a large heap is due, the due tasks are cut out of it,
// sorted row by row, and appended to the ripe tasks. That is done in pieces, by those who take
// tasks, so that none of them holds the lock for long. While anything is cut out, there are ripe
// tasks that come before it. A late run of a series may come before these in turn, so the head of
// the queue is the earliest of line, heap, and ripe tasks.
type Delayed struct {
	// ReadyAt returns the time for which a task that waits was pushed. Nil means its own time.
	ReadyAt func(c *cell.Cell) int64

	// Shards hold what waits for its time alone. Nil means that there are none.
	Shards *Shards

	heap heap.Heap[*cell.Cell]
	cut  heap.Cutting[*cell.Cell]
	ripe FIFO
	line *Inbox

	large int  // from how many tasks on a heap is large
	step  int  // how many tasks are a piece
	pops  uint // from the heap, so far

	swept []*cell.Cell // of a sweep in progress

	asked   *cell.Cell // the first ripe task, if it is known when it may run
	askedAt int64
}

const (
	largeHeap  = 1 << 9
	cutStep    = 1 << 12 // takes some hundred microseconds
	checkEvery = 1 << 6  // how many pops lie between two looks at whether most of the heap is due
)

// NewDelayed returns an empty queue with the given line.
func NewDelayed(line *Inbox) *Delayed {
	return &Delayed{line: line, large: largeHeap, step: cutStep}
}

// Push implements [Queue].
func (q *Delayed) Push(c *cell.Cell, readyAt int64) {
	if c.Started >= 0 || !q.Shards.give(c, readyAt) {
		q.heap.Push(readyAt, c)
	}
}

// SetTime gives c, which is not in the queue, another time.
func (q *Delayed) SetTime(c *cell.Cell, when int64) { q.Shards.setTime(c, when) }

// Holds reports whether c waits here.
func (q *Delayed) Holds(c *cell.Cell) bool { return q.Shards.has(c) || c.Place != 0 }

// Pop implements [Queue]. There may be nothing to take out after all, as what is in a shard may be
// cancelled at any time: the entry is empty then.
func (q *Delayed) Pop(now int64) Entry {
	c, when, inHeap := q.firstTimed()
	if q.Shards != nil {
		by := q.turn(now, c, when, inHeap)
		if q.Shards.first(by) <= by {
			q.sweep(by)
			c, when, inHeap = q.firstTimed()
		}
	}
	switch {
	// Head, called just before, has exchanged the segments of the line if it had to.
	case q.line.out.live() && (c == nil || q.line.out.first().precedes(when, c.Order)):
		return q.line.Pop(now)
	case c == nil, inHeap && when > now && q.Shards != nil:
		return Entry{}
	case inHeap:
		q.heap.Pop()
		q.ripen(now)
	default:
		q.ripe.Remove(c)
		q.asked = nil
		q.cutOn()
	}
	return Entry{Slot: Slot{Cell: c}}
}

// Row returns with how many bare tasks the line begins that run before all that has a time, as far
// as they fit into a [Batch].
func (q *Delayed) Row() int {
	n := q.line.out.row()
	if n < 2 {
		return n
	}
	if q.Shards != nil { // from here on, nothing comes to a shard that may run before these
		by := q.line.out.stampAt(q.line.out.taken + n - 1).When
		q.sweep(by)
	}
	if c, when, _ := q.firstTimed(); c != nil {
		n = q.line.out.preceding(n, when, c.Order)
	}
	return n
}

// turn returns the time of what is first here if that is due, with the first of heap and ripe tasks
// that the caller has looked up; else it returns now. What comes before that in a shard is to be
// swept. So the more there is to do, the more of them come at a time.
func (q *Delayed) turn(now int64, c *cell.Cell, when int64, inHeap bool) int64 {
	due := c != nil && (!inHeap || when <= now)
	if !due {
		when = now
	}
	if q.line.out.live() {
		if first := q.line.out.first().When; !due || first < when {
			return first
		}
	}
	return when
}

// ripen cuts the tasks out of a large heap if most of them are due; looking once in a while is
// enough.
func (q *Delayed) ripen(now int64) {
	q.pops++
	if q.pops%checkEvery == 0 && q.mayCut() && q.isRipening(&q.heap, now) {
		q.cutOut(now, &q.heap)
	}
}

// cutOn does one piece of the work left with what is cut out of the heap, if there is any; and more
// than one only while no task is ripe. A row is drawn only when few ripe tasks are left, so their
// ring stays small.
func (q *Delayed) cutOn() {
	for worked := false; q.cut.Len() > 0 && (!worked || q.ripe.Len() == 0); worked = true {
		switch {
		case q.cut.Dealing():
			q.cut.Deal()
		case q.ripe.Len() <= q.step/4:
			for c := range q.cut.Draw() {
				q.ripe.Push(c)
			}
		}
	}
}

// firstTimed returns the first task of the heap and the ripe tasks, or nil if there is none, and
// when it may run.
func (q *Delayed) firstTimed() (c *cell.Cell, when int64, inHeap bool) {
	if q.heap.Len() > 0 {
		when, c = q.heap.Min()
		inHeap = true
	}
	if q.ripe.Len() > 0 {
		ripe := q.ripe.First()
		if ripe != q.asked {
			q.asked, q.askedAt = ripe, q.readyAt(ripe)
		}
		if at := q.askedAt; c == nil || at < when || at == when && ripe.Order < c.Order {
			return ripe, at, false
		}
	}
	return c, when, inHeap
}

// readyAt returns when c, which waits, may run. The heap knows it by itself.
func (q *Delayed) readyAt(c *cell.Cell) int64 {
	if q.ReadyAt == nil {
		return c.When
	}
	return q.ReadyAt(c)
}

// compare orders tasks by when they may run, then by number, like the heap.
func (q *Delayed) compare(a, b *cell.Cell) int {
	return cmp.Or(cmp.Compare(q.readyAt(a), q.readyAt(b)), cmp.Compare(a.Order, b.Order))
}

// Head implements [Queue]. Of equal times it is not known yet what comes first.
func (q *Delayed) Head() (when int64, due bool) {
	c, at, inHeap := q.firstTimed()
	when = parking.Nothing
	if c != nil {
		when, due = at, !inHeap
	}
	if q.line.live() {
		if first := q.line.out.first(); c == nil || first.precedes(at, c.Order) {
			when, due = first.When, true // what stands in the line is due
		}
	}
	if q.Shards == nil {
		return when, due
	}
	by := when
	if when == parking.Nothing {
		by = none
	}
	if first := q.Shards.first(by); first <= by && first != none {
		return first, false
	}
	return when, due
}

// Await is Head for a caller who sees to it that the head is taken, or looked at in time. From then
// on only those tell the pool who schedule something for an earlier time.
func (q *Delayed) Await() (when int64, due bool) {
	for again := true; again; {
		when, due = q.Head()
		again = q.Shards != nil && q.Shards.open && q.Shards.await(when, due)
	}
	return when, due
}

// Ignore says that the head is looked at in any case, so that nobody has to tell the pool of a task
// that it can see in the shards.
func (q *Delayed) Ignore() {
	if q.Shards != nil {
		q.Shards.awaited.Store(-none)
	}
}

// Remove implements [Queue].
func (q *Delayed) Remove(c *cell.Cell) bool {
	if q.Shards.take(c) {
		return true
	}
	if c.Place < 0 { // in a ring or a segment; both check whether the place is the task's
		ripe := q.ripe.Remove(c)
		q.asked = nil
		q.cutOn()
		return ripe || q.line.Remove(c)
	}
	switch i := int(c.Place) - 1; {
	case q.heap.Holds(i, c):
		q.heap.Remove(i)
	case q.cut.Holds(i, c):
		q.cut.Remove(i, c)
	default:
		return false
	}
	return true
}

// Len implements [Queue].
func (q *Delayed) Len() int { return q.Beside() + q.line.Len() }

// Beside returns how many tasks are not in the line.
func (q *Delayed) Beside() int { return q.ownTimed() + q.Shards.len() }

// ownTimed returns how many tasks are neither in the line nor in a shard.
func (q *Delayed) ownTimed() int { return q.heap.Len() + q.cut.Len() + q.ripe.Len() }

// Tally returns how many tasks are not in the line, and how many were accepted, and cancelled, by
// the shards alone: all of one moment.
func (q *Delayed) Tally() (beside int, accepted, cancelled uint64) {
	if q.Shards == nil {
		return q.ownTimed(), 0, 0
	}
	q.Shards.locked(func() { accepted, cancelled, beside = q.Shards.tallyLocked() })
	return beside + q.ownTimed(), accepted, cancelled
}

// Filter implements [Queue].
func (q *Delayed) Filter(keep func(c *cell.Cell) bool) []*cell.Cell {
	var line, timed []*cell.Cell
	q.still(func() { line, timed = q.line.filter(keep), q.filterTimed(keep) })
	ripe := q.ripe.filter(keep)
	q.asked = nil
	timed = Interleave(timed, ripe, func(a, b *cell.Cell) bool { return q.compare(a, b) < 0 })
	q.cutOn()
	return q.weave(line, timed)
}

// still calls f while nothing comes to the line or to a shard, nor leaves one: with both, f sees
// the queue as of one moment.
func (q *Delayed) still(f func()) {
	q.line.mu.Lock()
	defer q.line.mu.Unlock()
	if q.Shards == nil {
		f()
		return
	}
	q.Shards.locked(f)
}

// filterTimed is Filter for the heaps.
func (q *Delayed) filterTimed(keep func(c *cell.Cell) bool) []*cell.Cell {
	heaps := []*heap.Heap[*cell.Cell]{&q.heap}
	if q.Shards != nil {
		heaps = append(heaps, q.Shards.heaps()...)
		defer q.Shards.publish()
	}
	return q.cut.Filter(func(_ int64, c *cell.Cell) bool { return keep(c) }, heaps...)
}

// Look implements [Queue].
func (q *Delayed) Look(s *Snapshot) { q.still(func() { q.look(s) }) }

func (q *Delayed) look(s *Snapshot) {
	q.line.look(s)
	if q.Shards != nil {
		for _, h := range q.Shards.heaps() {
			lookAt(h, s)
		}
	}
	for _, c := range q.ripe.All() {
		s.addTimed(c)
	}
	if q.ripe.Len() < s.most { // they come before what is cut out
		for _, c := range q.cut.All() {
			s.addTimed(c)
		}
	}
	lookAt(&q.heap, s)
}

// lookAt adds the tasks of a heap, as many as are asked for.
func lookAt(h *heap.Heap[*cell.Cell], s *Snapshot) {
	if s.most < h.Len() {
		for _, c := range h.First(s.most) {
			s.addTimed(c)
		}
		return
	}
	for _, c := range h.All() {
		s.addTimed(c)
	}
}

// Extent implements [Queue].
func (q *Delayed) Extent() (line, timed int) { return q.line.Len(), q.Beside() }
