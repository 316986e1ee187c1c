package runqueue

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// inboxModel is an inbox beside a slice of what should be in it.
type inboxModel struct {
	queue *Inbox
	tasks []inboxTask
	made  int  // tasks so far, which tells them apart
	word  bool // the next submission is to be told

	closed             bool
	accepted, rejected uint64
}

// inboxTask is a task with a cell, or one that returns its own error.
type inboxTask struct {
	cell *cell.Cell
	err  error
}

func (k inboxTask) entry() Entry {
	if k.cell != nil {
		return Entry{Slot: Slot{Cell: k.cell}}
	}
	return Entry{Slot: Slot{Body: func(context.Context) error { return k.err }}}
}

// inboxNumber is the error of a task without a cell.
type inboxNumber int

func (inboxNumber) Error() string { return "a task" }

// inboxBases are positions at which to begin: so few before the numbers wrap around that a run
// passes it.
var inboxBases = []uint32{0, 1<<31 - 300, 1<<31 - 1, 1 << 31, math.MaxUint32 - 300, math.MaxUint32}

func TestInboxIsAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &inboxModel{queue: NewInbox(new(cell.Plan), nil), word: true}
		base := rapid.SampledFrom(inboxBases).Draw(t, "base")
		m.queue.in.base, m.queue.out.base = base, base
		t.Repeat(map[string]func(*rapid.T){
			"put":         func(t *rapid.T) { m.put(t, rapid.Bool().Draw(t, "with a cell")) },
			"put many":    m.putMany,
			"push":        func(*rapid.T) { m.push() },
			"head":        m.head,
			"pop":         func(t *rapid.T) { m.pop(t, 1) },
			"pop many":    func(t *rapid.T) { m.pop(t, rapid.IntRange(1, 12*blockSize).Draw(t, "how many")) },
			"put back":    m.putBack,
			"remove":      m.remove,
			"remove many": m.removeMany,
			"stranger":    m.stranger,
			"filter":      m.filter,
			"close":       m.close,
			"":            m.validate,
		})
	})
}

// make returns a new task.
func (m *inboxModel) make(withCell bool) inboxTask {
	m.made++
	if withCell {
		return inboxTask{cell: new(cell.Cell)}
	}
	return inboxTask{err: inboxNumber(m.made)}
}

func (m *inboxModel) put(t *rapid.T, withCell bool) {
	k := m.make(withCell)
	told, open := m.queue.Put(k.entry())
	require.Equal(t, !m.closed, open)
	if m.closed {
		m.rejected++
		require.False(t, told)
		return
	}
	m.accepted++
	require.Equal(t, m.word, told, "the first submission after somebody found nothing is told, and no other")
	m.word = false
	m.tasks = append(m.tasks, k)
}

func (m *inboxModel) putMany(t *rapid.T) {
	withCell := rapid.SliceOfN(rapid.Bool(), 1, 5).Draw(t, "with a cell")
	for i := range rapid.IntRange(1, 12*blockSize).Draw(t, "how many") {
		m.put(t, withCell[i%len(withCell)])
	}
}

// push is what the pool does with a task that it has accepted elsewhere.
func (m *inboxModel) push() {
	k := m.make(true)
	m.queue.Push(k.cell, k.cell.When)
	m.word = false // it is for the pool to know
	m.tasks = append(m.tasks, k)
}

func (m *inboxModel) head(t *rapid.T) {
	want := int64(0)
	if len(m.tasks) == 0 {
		want, m.word = parking.Nothing, true
	}
	when, due := m.queue.Head()
	require.Equal(t, want, when)
	require.Equal(t, len(m.tasks) > 0, due)
}

func (m *inboxModel) pop(t *rapid.T, n int) {
	for range min(n, len(m.tasks)) {
		m.head(t)
		e := m.queue.Pop(Unread)
		c, task := e.Cell, e.Body
		require.Same(t, m.tasks[0].cell, c)
		if c != nil {
			require.Nil(t, task)
			require.Zero(t, c.Place)
		} else {
			require.Equal(t, m.tasks[0].err, task(t.Context()))
		}
		m.tasks = m.tasks[1:]
	}
}

// putBack takes bare tasks that follow each other, and gives back the last of them, before or after
// the segments are exchanged.
func (m *inboxModel) putBack(t *rapid.T) {
	m.head(t)
	row := m.queue.Row()
	if row == 0 {
		t.Skip("no row")
	}
	row = rapid.IntRange(1, row).Draw(t, "room")
	taken, stamps := make([]Body, row), make([]Stamp, row)
	m.queue.out.popRow(taken, stamps)
	for i, task := range taken {
		require.Nil(t, m.tasks[i].cell)
		require.Equal(t, m.tasks[i].err, task(t.Context()))
	}
	if rapid.Bool().Draw(t, "exchanged") {
		m.queue.live()
		m.word = m.queue.word.Load()
	}
	kept := rapid.IntRange(0, row-1).Draw(t, "kept")
	m.queue.out.unpop(taken[kept:], stamps[kept:])
	m.tasks = m.tasks[kept:]
}

func (m *inboxModel) remove(t *rapid.T) {
	if len(m.tasks) == 0 {
		t.Skip("empty")
	}
	m.removeAt(t, rapid.IntRange(0, len(m.tasks)-1).Draw(t, "which"))
}

func (m *inboxModel) removeAt(t *rapid.T, i int) {
	c := m.tasks[i].cell
	if c == nil {
		return // nobody can ask for it
	}
	require.True(t, m.queue.Remove(c))
	require.Zero(t, c.Place)
	require.False(t, m.queue.Remove(c), "removed before")
	m.tasks = slices.Delete(m.tasks, i, i+1)
}

// removeMany removes from a stretch of the queue all that has a cell, backwards or forwards.
func (m *inboxModel) removeMany(t *rapid.T) {
	if len(m.tasks) == 0 {
		t.Skip("empty")
	}
	from := rapid.IntRange(0, len(m.tasks)-1).Draw(t, "from")
	to := rapid.IntRange(from, len(m.tasks)).Draw(t, "to")
	stretch := slices.Clone(m.tasks[from:to])
	if rapid.Bool().Draw(t, "backwards") {
		slices.Reverse(stretch)
	}
	for _, k := range stretch {
		m.removeAt(t, slices.Index(m.tasks, k))
	}
}

// stranger asks for a task that is not in the queue, whatever its place elsewhere.
func (m *inboxModel) stranger(t *rapid.T) {
	place := rapid.Int32().Draw(t, "place")
	c := &cell.Cell{Place: place}
	require.False(t, m.queue.Remove(c))
	require.Equal(t, place, c.Place)
}

// filter drops every so many, which it counts, with and without cells.
func (m *inboxModel) filter(t *rapid.T) {
	every := rapid.IntRange(1, 5).Draw(t, "drop every")
	asked, dropped := 0, 0
	out := m.queue.Filter(func(c *cell.Cell) bool {
		require.True(t, m.is(t, m.tasks[asked], c))
		asked++
		return asked%every != 0
	})
	require.Equal(t, len(m.tasks), asked)
	var kept []inboxTask
	for i, k := range m.tasks {
		if (i+1)%every != 0 {
			kept = append(kept, k)
			continue
		}
		require.True(t, m.is(t, k, out[dropped]))
		require.Zero(t, out[dropped].Place)
		dropped++
	}
	require.Len(t, out, dropped)
	m.tasks = kept
}

// is reports whether c is the cell of the task, or one for it.
func (m *inboxModel) is(t *rapid.T, k inboxTask, c *cell.Cell) bool {
	if k.cell != nil {
		return k.cell == c
	}
	return c.Plan == m.queue.plan && c.Body(t.Context()) == k.err
}

func (m *inboxModel) close(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "seldom") != 0 {
		t.Skip("not now")
	}
	m.queue.Close()
	m.closed = true
}

func (m *inboxModel) validate(t *rapid.T) {
	require.Equal(t, len(m.tasks), m.queue.Len())
	a, r, n := m.queue.Tally(3, 4, func() {})
	require.Equal(t, []any{m.accepted + 3, m.rejected + 4, len(m.tasks)}, []any{a, r, n})
	cells := m.queue.Cells()
	require.Len(t, cells, len(m.tasks))
	for i, c := range cells {
		if !m.is(t, m.tasks[i], c) {
			t.Fatalf("task %d is another", i)
		}
	}
	require.False(t, m.queue.word.Load() && len(m.tasks) > 0 && m.queue.out.len() == 0, "a task that nobody is told of")
	require.NoError(t, m.queue.out.validate())
	require.NoError(t, m.queue.in.validate())
	require.NoError(t, validateFree(m.queue))
}

// validateFree looks at the blocks that are free, as far as the pool gives them.
func validateFree(q *Inbox) (err error) {
	var free []*block
	for b, ok := q.free.Get().(*block); ok; b, ok = q.free.Get().(*block) {
		switch {
		case slices.Contains(q.in.blocks, b), slices.Contains(q.out.blocks, b), slices.Contains(free, b):
			err = errors.New("a free block is in use")
		case slices.ContainsFunc(b.slots[:], func(t Slot) bool { return !t.Empty() }):
			err = errors.New("a free block retains a task")
		}
		free = append(free, b)
	}
	for _, b := range free {
		q.free.Put(b)
	}
	return err
}

func TestInboxOfTasksThatAreCancelledForEverDoesNotGrow(t *testing.T) {
	for _, waiting := range []int{0, 1, 1000} {
		q := NewInbox(new(cell.Plan), nil)
		for range waiting {
			_, open := q.Put(Entry{Slot: Slot{Cell: new(cell.Cell)}})
			require.True(t, open)
		}
		for range 100_000 {
			c := new(cell.Cell)
			_, open := q.Put(Entry{Slot: Slot{Cell: c}})
			require.True(t, open)
			require.True(t, q.Remove(c))
		}
		const slack = 3
		assert.LessOrEqual(t, len(q.in.blocks), 2*waiting/blockSize+slack, "%d wait", waiting)
		assert.Equal(t, waiting, q.Len())
		require.NoError(t, q.in.validate())
	}
}

func TestInboxOfTasksThatComeAndGoDoesNotGrow(t *testing.T) {
	q := NewInbox(new(cell.Plan), nil)
	live := make([]*cell.Cell, 0, 2*blockSize)
	for i := range 100_000 {
		c := new(cell.Cell)
		_, open := q.Put(Entry{Slot: Slot{Cell: c}})
		require.True(t, open)
		if live = append(live, c); len(live) < cap(live) {
			continue
		}
		if i%2 == 0 {
			require.True(t, q.live())
			require.Same(t, live[0], q.Pop(Unread).Cell)
		} else {
			require.True(t, q.Remove(live[0]))
		}
		live = append(live[:0], live[1:]...)
		const most = 16 // entries of the tasks, as many holes, and some that are begun, on both sides
		require.LessOrEqual(t, len(q.in.blocks)+len(q.out.blocks), most)
	}
}

func TestInboxUsesItsBlocksAgain(t *testing.T) {
	q := NewInbox(new(cell.Plan), nil)
	for range 3 {
		for range 100 * blockSize {
			_, open := q.Put(Entry{Slot: Slot{Cell: new(cell.Cell)}})
			require.True(t, open)
		}
		for q.live() {
			q.Pop(Unread)
		}
		require.NoError(t, q.in.validate())
		require.NoError(t, q.out.validate())
		require.NoError(t, validateFree(q))
	}
}

// Nothing may come between the looks at what waits here and at what waits elsewhere, or the sum is
// one that never was.
func TestInboxIsCountedTogetherWithTheRest(t *testing.T) {
	q := NewInbox(nil, nil)
	told := false
	q.Tally(0, 0, func() { told = !q.mu.TryLock() })
	assert.True(t, told)
}

// A row is sorted, so that its last task stands for all: one without a time, which precedes all
// that have one, is not in a row with them.
func TestARowHasTimesThroughoutOrNone(t *testing.T) {
	q := NewInbox(new(cell.Plan), new(Sequence))
	body := func(context.Context) error { return nil }
	for _, when := range []int64{5, 6, Unread, Unread, Unread, 7} {
		q.Put(Entry{Slot: Slot{Body: body}, Stamp: Stamp{When: when}})
	}
	require.True(t, q.live())
	for _, want := range []int{2, 3, 1} {
		require.Equal(t, want, q.Row())
		for range want {
			q.Pop(Unread)
		}
	}
	require.Zero(t, q.Row())
}
