package runqueue

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// queueModel is a Delayed beside a sorted slice of what should be in it.
type queueModel struct {
	queue *Delayed
	plan  *cell.Plan // of all tasks
	tasks []modelTask
	now   int64
	order Sequence // of the tasks in the heap
	made  int
}

// modelTask is a task that has a cell, or one that returns its number as an error. Its place in the
// order is told by when it is due, by the last task of the heap that came before it, itself
// included, and by when it was made.
type modelTask struct {
	cell   *cell.Cell
	when   int64
	came   uint64
	inLine bool
	number inboxNumber
}

func (a modelTask) compare(b modelTask) int {
	line := map[bool]int{true: 1}
	return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.came, b.came),
		cmp.Compare(line[a.inLine], line[b.inLine]), cmp.Compare(a.number, b.number))
}

func newQueueModel() *queueModel {
	m := &queueModel{plan: new(cell.Plan)}
	m.queue = NewDelayed(NewInbox(m.plan, &m.order))
	m.now = 1 // 0 is no time
	m.queue.large, m.queue.step = 10, 4
	return m
}

func TestDelayedWorkQueueIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newQueueModel()
		base := rapid.SampledFrom(inboxBases).Draw(t, "base")
		m.queue.line.in.base, m.queue.line.out.base = base, base
		m.queue.ripe.head, m.queue.ripe.tail = base, base
		t.Repeat(map[string]func(*rapid.T){
			"submit":  func(t *rapid.T) { m.put(t, true) },
			"execute": func(t *rapid.T) { m.put(t, false) },
			"due":     func(*rapid.T) { m.push(m.now) },
			"later":   func(t *rapid.T) { m.push(m.now + rapid.Int64Range(1, 5).Draw(t, "delay")) },
			"late":    func(t *rapid.T) { m.push(max(m.now-rapid.Int64Range(1, 5).Draw(t, "lateness"), 0)) },
			"time":    func(t *rapid.T) { m.now += rapid.Int64Range(1, 5).Draw(t, "passed") },
			"burst":   func(t *rapid.T) { m.burst(t, rapid.IntRange(1, 300).Draw(t, "tasks")) },
			"pop":     m.pop,
			"ripen":   m.ripen,
			"remove":  m.remove,
			"filter":  m.filter,
			"":        m.validate,
		})
	})
}

func (m *queueModel) put(t *rapid.T, withCell bool) {
	m.made++
	k := modelTask{when: m.now, came: m.order.count.Load(), inLine: true, number: inboxNumber(m.made)}
	e := Entry{Slot: Slot{Body: func(context.Context) error { return k.number }}}
	if withCell {
		k.cell = &cell.Cell{Plan: m.plan}
		e = Entry{Slot: Slot{Cell: k.cell}}
	}
	e.When = m.now
	_, open := m.queue.line.Put(e)
	require.True(t, open)
	m.add(k)
}

func (m *queueModel) push(when int64) {
	m.made++
	c := &cell.Cell{Plan: m.plan, When: when, Order: m.order.Next()}
	m.queue.Push(c, c.When)
	m.add(modelTask{cell: c, when: when, came: c.Order, number: inboxNumber(m.made)})
}

func (m *queueModel) add(k modelTask) {
	at, _ := slices.BinarySearchFunc(m.tasks, k, modelTask.compare)
	m.tasks = slices.Insert(m.tasks, at, k)
}

func (m *queueModel) burst(t *rapid.T, n int) {
	for i := range n {
		if i%3 == 0 {
			m.push(m.now)
		} else {
			m.put(t, i%3 == 1)
		}
	}
}

func (m *queueModel) pop(t *rapid.T) {
	if len(m.tasks) == 0 {
		t.Skip("empty")
	}
	e, want := m.queue.Pop(m.now), m.tasks[0]
	require.Same(t, want.cell, e.Cell)
	if e.Cell == nil {
		require.Equal(t, want.number, e.Body(t.Context()))
		require.Equal(t, want.when, e.When)
	} else {
		require.Equal(t, want.when, e.Cell.When)
		require.Zero(t, e.Cell.Place)
	}
	m.tasks = m.tasks[1:]
}

// ripen pops a task of the heap, if it is next, just when it is looked whether most of the heap is
// due.
func (m *queueModel) ripen(t *rapid.T) {
	q := m.queue
	first := modelTask{}
	if len(m.tasks) > 0 {
		first = m.tasks[0]
	}
	if first.cell == nil || first.cell.Place <= 0 || q.ripe.Len() > 0 {
		t.Skip("another comes first")
	}
	q.pops = checkEvery - 1
	m.pop(t)
	due := 0
	for _, k := range m.tasks {
		if !k.inLine && k.when <= m.now {
			due++
		}
	}
	if q.ripe.Len() == 0 {
		total := q.heap.Len()
		require.True(t, total < q.large || due < total, "nothing has ripened though all is due")
	}
}

func (m *queueModel) remove(t *rapid.T) {
	var removable []*cell.Cell
	for _, k := range m.tasks {
		if k.cell != nil {
			removable = append(removable, k.cell)
		}
	}
	if len(removable) == 0 {
		t.Skip("none")
	}
	for range rapid.IntRange(1, len(removable)).Draw(t, "how many") {
		i := rapid.IntRange(0, len(removable)-1).Draw(t, "which")
		c := removable[i]
		require.True(t, m.queue.Remove(c))
		require.Zero(t, c.Place)
		require.False(t, m.queue.Remove(c), "removed before")
		removable = slices.Delete(removable, i, i+1)
		m.tasks = slices.DeleteFunc(m.tasks, func(k modelTask) bool { return k.cell == c })
	}
}

func (m *queueModel) filter(t *rapid.T) {
	keep := func(when int64) bool { return when%3 != 0 }
	if rapid.Bool().Draw(t, "all") {
		keep = func(int64) bool { return false }
	}
	var kept, out []modelTask
	for _, k := range m.tasks {
		if keep(k.when) {
			kept = append(kept, k)
		} else {
			out = append(out, k)
		}
	}
	m.same(t, out, m.queue.Filter(func(c *cell.Cell) bool { return keep(c.When) }))
	for _, k := range out {
		require.True(t, k.cell == nil || k.cell.Place == 0)
	}
	m.tasks = kept
}

// same demands that these are the cells of the tasks, or ones made for those without.
func (m *queueModel) same(t *rapid.T, tasks []modelTask, cells []*cell.Cell) {
	require.Equal(t, len(tasks), len(cells))
	for i, k := range tasks {
		if k.cell != nil {
			require.Same(t, k.cell, cells[i])
		} else {
			require.Equal(t, k.number, cells[i].Body(t.Context()))
		}
	}
}

// sameSnapshot demands that a snapshot of the queue is in the order of the tasks.
func (m *queueModel) sameSnapshot(t *rapid.T) {
	s := NewSnapshot(0, 0, 0, func(c *cell.Cell) Waiting { return Waiting{When: c.When, Order: c.Order, Plan: c.Plan} })
	m.queue.Look(&s)
	seen := s.InOrder()
	require.Equal(t, len(m.tasks), len(seen))
	for i, k := range m.tasks {
		require.Equal(t, Waiting{When: k.when, Order: k.came, Plan: m.plan}, seen[i])
	}
}

func (m *queueModel) validate(t *rapid.T) {
	require.Equal(t, len(m.tasks), m.queue.Len())
	when, due := m.queue.Head()
	if len(m.tasks) == 0 {
		require.Equal(t, parking.Nothing, when)
		require.False(t, due)
	} else {
		require.Equal(t, m.tasks[0].when, when)
		c := m.tasks[0].cell
		require.Equal(t, c == nil || c.Place < 0, due, "a task of the heap goes by its time")
	}
	m.same(t, m.tasks, m.queue.Cells())
	m.sameSnapshot(t)
	require.NoError(t, m.queue.heap.Validate(placeInHeap))
	require.NoError(t, m.queue.cut.Validate(placeInHeap))
	for _, c := range m.queue.ripe.All() {
		require.LessOrEqual(t, c.When, m.now)
	}
	require.NoError(t, m.queue.line.out.validate())
	require.NoError(t, m.queue.line.in.validate())
}

func TestWhatIsDueOfALargeHeapRipensAPieceAtATime(t *testing.T) {
	const n = 100_000
	m := newQueueModel()
	m.queue = NewDelayed(m.queue.line)
	q := m.queue
	var tasks []*cell.Cell
	for i := range n {
		c := &cell.Cell{When: int64(i * 7919 % n / 4), Order: m.order.Next()}
		q.Push(c, c.When)
		tasks = append(tasks, c)
	}
	slices.SortFunc(tasks, Compare)
	const now = n / 6 // two thirds are due
	ripe, cut, heaped := 0, 0, q.heap.Len()
	for _, want := range tasks {
		if want.When > now {
			break
		}
		require.Same(t, want, q.Pop(now).Cell)
		require.LessOrEqual(t, q.ripe.Len(), 4*cutStep, "ripe at a time")
		moved := heaped - q.heap.Len() - 1
		if q.cut.Len() == 0 || cut > 0 { // not when all is cut out, which moves nothing
			require.LessOrEqual(t, max(moved, -moved), cutStep, "put back at a time")
		}
		heaped = q.heap.Len()
		ripe, cut = max(ripe, q.ripe.Len()), max(cut, q.cut.Len())
	}
	assert.Positive(t, ripe)
	assert.Greater(t, cut, n/2)
	assert.Zero(t, q.cut.Len(), "what is for later is in the heap again")
	assert.Zero(t, q.ripe.Len())
	assert.LessOrEqual(t, len(q.ripe.ring), 2*minRing, "the memory is given back")
	assert.NoError(t, q.heap.Validate(placeInHeap))
	for _, want := range tasks[n-q.Len():] {
		require.Same(t, want, q.Pop(n).Cell)
	}
}

// Cancelling all but the last, in whatever order, leaves nothing to be gone through at once but
// rows.
func TestATaskThatHasBeenCutOutCanBeRemovedAtAnyTime(t *testing.T) {
	const n = 10_000
	for _, pops := range []int{checkEvery, checkEvery + 1, checkEvery + 10, n / 2} {
		m := newQueueModel()
		m.queue = NewDelayed(m.queue.line)
		var tasks []*cell.Cell
		for i := range n {
			c := &cell.Cell{When: int64(i * 7919 % n), Order: m.order.Next()}
			m.queue.Push(c, c.When)
			tasks = append(tasks, c)
		}
		slices.SortFunc(tasks, Compare)
		for _, want := range tasks[:pops] {
			require.Same(t, want, m.queue.Pop(n).Cell)
		}
		for i, c := range tasks[pops:] {
			if i%3 != 0 {
				require.True(t, m.queue.Remove(c))
				require.False(t, m.queue.Remove(c))
				require.Zero(t, c.Place)
			}
		}
		for i, want := range tasks[pops:] {
			if i%3 == 0 {
				require.Same(t, want, m.queue.Pop(n).Cell)
			}
		}
		require.Zero(t, m.queue.Len())
	}
}

func TestFifoGivesItsMemoryBack(t *testing.T) {
	var q FIFO
	var cells []*cell.Cell
	for range 100_000 {
		c := new(cell.Cell)
		q.Push(c)
		cells = append(cells, c)
	}
	first := cells[0]
	for _, c := range cells[1:] {
		require.True(t, q.Remove(c), "from behind the first, which stays")
	}
	assert.LessOrEqual(t, len(q.ring), 2*minRing)
	assert.Same(t, first, q.First())
	assert.Equal(t, 1, q.Len())
}
