package shards

import (
	"cmp"
	"math"
	"slices"
)

const never = math.MaxInt64

// task is one that waits, or has waited.
type task struct {
	name        string
	when, stamp int64 // its place in the order
	shard       int   // it was submitted to; that one's lock guards its home
	home        home
	at          *cut // and its slot, if home is inCut
	slot        int
	state       state
}

type state int

const (
	waiting state = iota
	begun
	cancelled
)

type home int

const (
	nowhere home = iota
	inShard
	inTransit // from its shard to a cut
	inCut
	inLate
)

func (a *task) before(b *task) bool { return a.compare(b) < 0 }

func (a *task) compare(b *task) int {
	return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.stamp, b.stamp))
}

// heap stands for a min-heap with a lock, and with the time of its head for those who do not hold
// that.
type heap struct {
	locked bool
	tasks  []*task
	head   int64
}

// lock is a step, which may touch other words as well.
func (h *heap) lock(s *Steps, words ...any) {
	s.Await(func() bool { return !h.locked }, append(words, &h.locked)...)
	h.locked = true
}

func (h *heap) unlock(s *Steps, words ...any) {
	s.Next(append(words, &h.locked)...)
	h.locked = false
}

// push, and what else changes the heap, also publishes its head: a step of its own.
func (h *heap) push(s *Steps, t *task) {
	s.Next(&h.head)
	h.tasks = append(h.tasks, t)
	slices.SortFunc(h.tasks, (*task).compare)
	h.publish()
}

func (h *heap) remove(s *Steps, t *task) {
	s.Next(&h.head)
	h.tasks = slices.DeleteFunc(h.tasks, func(u *task) bool { return t == u })
	h.publish()
}

func (h *heap) publish() {
	h.head = never
	if len(h.tasks) > 0 {
		h.head = h.tasks[0].when
	}
}

// cut is what was due at one moment, in order. Those who claim from it share index, and clear the
// slots.
type cut struct {
	slots  []*task
	keys   []task // what is known of a slot without looking into it
	index  int
	sealed bool // no claim succeeds; a part of the word of index
}

// queue is the model.
type queue struct {
	fault fault

	clock int64 // each reading is later than the one before, unless it moves in ticks
	tick  int64
	count int64 // of arrivals, for stamps where readings may be equal

	shards []heap
	late   heap  // what belongs into a cut that others claim from
	upTo   int64 // up to when the last cut has taken all
	cut    *cut
	cutter bool // the lock of the cut, as it is made, or kept still

	calls history
}

func newQueue(shards int, f fault) *queue {
	q := &queue{fault: f, tick: 1, clock: 1000, shards: make([]heap, shards), cut: new(cut)}
	for i := range q.shards {
		q.shards[i].head = never
	}
	q.late.head = never
	return q
}

// read reads the clock.
func (q *queue) read() int64 {
	q.clock += 10
	return q.clock / q.tick
}

// stampFor gives a task its number.
func (q *queue) stampFor(t *task, now int64) {
	if q.tick == 1 && q.fault != stampsPerShard {
		t.stamp = now
		return
	}
	q.count++
	if t.stamp = q.count; q.fault == stampsPerShard {
		t.stamp = int64(len(q.shards[t.shard].tasks))
	}
}

// submit queues a task for a time, or for now if that has passed.
func (q *queue) submit(s *Steps, t *task, when int64) {
	shard := &q.shards[t.shard]
	s.Next(&q.calls)
	c := q.calls.begin(submitting, t)
	shard.lock(s, &q.clock)
	now := q.read()
	t.when = max(when, now)
	q.stampFor(t, now)
	q.place(s, t, shard)
	shard.unlock(s, &q.calls)
	q.calls.end(c)
}

// repeat queues a run again, for a time that may have passed.
func (q *queue) repeat(s *Steps, t *task, when int64) {
	shard := &q.shards[t.shard]
	s.Next(&q.calls)
	c := q.calls.begin(submitting, t)
	shard.lock(s, &q.clock)
	t.when = when
	q.stampFor(t, q.read())
	q.place(s, t, shard)
	shard.unlock(s, &q.calls)
	q.calls.end(c)
}

// place gives a task its place. The lock of its shard is held.
//
// The head is published before upTo is read, and a cut writes upTo before it reads the heads. So
// either the cut sees the task, or the task sees the cut, and joins those that are late.
func (q *queue) place(s *Steps, t *task, shard *heap) {
	s.Next(&q.upTo)
	upTo := q.upTo
	shard.push(s, t)
	t.home = inShard
	if q.fault != looksFirst {
		s.Next(&q.upTo)
		upTo = q.upTo
	}
	if t.when > upTo || q.fault == neverLate {
		return
	}
	shard.remove(s, t)
	q.late.lock(s)
	q.late.push(s, t)
	if q.fault == hidesLate {
		q.late.head = never
	}
	t.home = inLate
	q.late.unlock(s)
}

// take takes the first task that is due, if there is one.
func (q *queue) take(s *Steps) {
	s.Next(&q.calls, &q.clock)
	c := q.calls.begin(taking, nil)
	c.due = q.clock / q.tick
	for over := false; !over; {
		s.Next(&q.cut)
		from := q.cut
		if i := from.index; i < len(from.slots) && !q.still(from) {
			c.of = q.claim(s, from, i)
			over = c.of != nil
		} else {
			c.of, over = q.takeLocked(s)
		}
	}
	s.Next(&q.calls)
	q.calls.end(c)
}

// still reports whether nobody may claim from a cut.
func (q *queue) still(c *cut) bool { return c.sealed && q.fault != ignoresSeal }

// claim takes a task of a cut, at an index that was read before, or nil if another is quicker. What
// is late is looked at in between: if the index has not moved since, the task was the first of the
// cut when that was done.
func (q *queue) claim(s *Steps, from *cut, i int) *task {
	s.Next(&q.late.head)
	if q.late.head <= from.keys[i].when && q.fault != ignoresLate {
		return q.claimLate(s, from, i)
	}
	s.Next(&q.cut)
	if q.fault == looksTooEarly {
		i = min(from.index, len(from.slots)-1)
	}
	if from.index != i && q.fault != claimsBlindly || q.still(from) {
		return nil
	}
	from.index++
	return q.claimSlot(s, from, i)
}

// claimLate is claim where what is late may come first.
func (q *queue) claimLate(s *Steps, from *cut, i int) (t *task) {
	q.late.lock(s, &q.cut)
	switch late := q.late.tasks; {
	case from.index != i || from.sealed:
	case len(late) == 0 || from.keys[i].before(late[0]) && q.fault != prefersLate:
		from.index++
		t = q.claimSlot(s, from, i)
	default:
		t = q.popLate(s)
	}
	q.late.unlock(s)
	return t
}

// claimSlot takes what is in a slot whose index is claimed.
func (q *queue) claimSlot(s *Steps, from *cut, i int) (t *task) {
	s.Next(&from.slots[i])
	t, from.slots[i] = from.slots[i], nil
	return q.start(s, t)
}

// start begins a task that has been taken out, unless it is cancelled.
func (q *queue) start(s *Steps, t *task) *task {
	if t == nil {
		return nil
	}
	s.Next(&t.state)
	if t.state == cancelled && q.fault != beginsCancelled {
		return nil
	}
	t.state = begun
	return t
}

// popLate takes the first of what is late, whose lock is held.
func (q *queue) popLate(s *Steps) *task {
	t := q.late.tasks[0]
	q.late.remove(s, t)
	return q.start(s, t)
}

// takeLocked is take where the cut has nothing left: what is late comes next, and when that is gone
// there is another cut, to claim from. It reports whether the call is over.
func (q *queue) takeLocked(s *Steps) (t *task, over bool) {
	s.Await(func() bool { return !q.cutter }, &q.cutter, &q.cut)
	q.cutter = true
	if q.cut.index == len(q.cut.slots) { // else another was quicker
		q.late.lock(s)
		late := len(q.late.tasks) > 0 && q.fault != forgetsLate
		if late {
			t = q.popLate(s)
		}
		q.late.unlock(s)
		over = t != nil || !late && !q.makeCut(s)
	}
	s.Next(&q.cutter)
	q.cutter = false
	return t, over
}

// makeCut takes all that is due, and reports whether there is any.
func (q *queue) makeCut(s *Steps) bool {
	s.Next(&q.clock)
	now := q.read()
	if q.fault != saysItAfter {
		s.Next(&q.upTo)
		q.upTo = now
	}
	next := new(cut)
	for i := range q.shards {
		shard := &q.shards[i]
		s.Next(&shard.head)
		if shard.head > now {
			continue
		}
		shard.lock(s, &q.clock)
		if q.fault == readsForEach {
			now = q.read()
		}
		for len(shard.tasks) > 0 && shard.tasks[0].when <= now {
			t := shard.tasks[0]
			shard.remove(s, t)
			t.home = inTransit
			next.slots = append(next.slots, t)
		}
		shard.unlock(s)
	}
	if q.fault == saysItAfter {
		s.Next(&q.upTo)
		q.upTo = now
	}
	if q.fault != forgetsToSort {
		slices.SortFunc(next.slots, (*task).compare)
	}
	for i, t := range next.slots {
		next.keys = append(next.keys, task{when: t.when, stamp: t.stamp})
		q.settle(s, next, i)
	}
	s.Next(&q.cut)
	q.cut = next
	return len(next.slots) > 0
}

// settle tells a task of a cut where it is. A cancel may have come before the task knew: then its
// slot is cleared here.
func (q *queue) settle(s *Steps, next *cut, i int) {
	t := next.slots[i]
	s.Next(&t.home)
	t.home, t.at, t.slot = inCut, next, i
	s.Next(&t.state, &next.slots[i])
	if t.state == cancelled && q.fault != missesTransit {
		next.slots[i] = nil
	}
}

// cancel keeps a task from beginning, and takes it out of wherever it waits.
func (q *queue) cancel(s *Steps, t *task) {
	s.Next(&q.calls)
	c := q.calls.begin(cancelling, t)
	s.Next(&t.state)
	if t.state == waiting {
		t.state = cancelled
		q.takeOut(s, t)
	} else {
		c.of = nil // it came too late
	}
	s.Next(&q.calls)
	q.calls.end(c)
}

func (q *queue) takeOut(s *Steps, t *task) {
	shard := &q.shards[t.shard]
	shard.lock(s)
	s.Next(&t.home)
	switch t.home {
	case inShard:
		shard.remove(s, t)
	case inLate:
		q.late.lock(s)
		q.late.remove(s, t)
		q.late.unlock(s)
	case inCut:
		s.Next(&t.at.slots[t.slot])
		if q.fault != leavesSlot {
			t.at.slots[t.slot] = nil
		}
	}
	shard.unlock(s)
}

// list returns what waits, as of one moment: no other call changes it meanwhile.
func (q *queue) list(s *Steps) {
	s.Next(&q.calls)
	c := q.calls.begin(listing, nil)
	s.Await(func() bool { return !q.cutter }, &q.cutter)
	q.cutter = true
	for i := range q.shards {
		q.shards[i].lock(s)
		c.tasks = append(c.tasks, q.shards[i].tasks...)
	}
	q.late.lock(s)
	c.tasks = append(c.tasks, q.late.tasks...)
	s.Next(&q.cut)
	q.cut.sealed = q.fault != sealsNothing
	for i := q.cut.index; i < len(q.cut.slots); i++ {
		s.Next(&q.cut.slots[i])
		if t := q.cut.slots[i]; t != nil {
			c.tasks = append(c.tasks, t)
		}
	}
	s.Next(&q.cut)
	q.cut.sealed = false
	q.late.unlock(s)
	for i := range q.shards {
		q.shards[i].unlock(s)
	}
	s.Next(&q.cutter, &q.calls)
	q.cutter = false
	q.calls.end(c)
}
