package executor

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
	queue *inbox
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

func (k inboxTask) entry() entry {
	if k.cell != nil {
		return entry{slot: slot{cell: k.cell}}
	}
	return entry{slot: slot{bare: func(context.Context) error { return k.err }}}
}

// inboxNumber is the error of a task without a cell.
type inboxNumber int

func (inboxNumber) Error() string { return "a task" }

// inboxBases are positions at which to begin: so few before the numbers wrap around that a run passes it.
var inboxBases = []uint32{0, 1<<31 - 300, 1<<31 - 1, 1 << 31, math.MaxUint32 - 300, math.MaxUint32}

func TestInboxIsAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &inboxModel{queue: newInbox(new(cell.Plan)), word: true}
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
	told, err := m.queue.put(k.entry())
	if m.closed {
		m.rejected++
		require.ErrorIs(t, err, ErrShutdown)
		require.False(t, told)
		return
	}
	m.accepted++
	require.NoError(t, err)
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
	m.queue.push(k.cell)
	m.word = false // it is for the pool to know
	m.tasks = append(m.tasks, k)
}

func (m *inboxModel) head(t *rapid.T) {
	want := int64(0)
	if len(m.tasks) == 0 {
		want, m.word = parking.Nothing, true
	}
	when, due := m.queue.head()
	require.Equal(t, want, when)
	require.Equal(t, len(m.tasks) > 0, due)
}

func (m *inboxModel) pop(t *rapid.T, n int) {
	for range min(n, len(m.tasks)) {
		m.head(t)
		e := m.queue.pop(unread)
		c, task := e.cell, e.bare
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

// putBack takes bare tasks that follow each other, and gives back the last of them, before or after the
// segments are exchanged.
func (m *inboxModel) putBack(t *rapid.T) {
	m.head(t)
	if !m.queue.out.isRow() {
		t.Skip("no row")
	}
	taken := make([]Task, rapid.IntRange(1, 2*blockSize).Draw(t, "room"))
	row := m.queue.out.popBare(taken)
	require.Positive(t, row)
	taken = taken[:row]
	for i, task := range taken {
		require.Nil(t, m.tasks[i].cell)
		require.Equal(t, m.tasks[i].err, task(t.Context()))
	}
	if rapid.Bool().Draw(t, "exchanged") {
		m.queue.live()
		m.word = m.queue.word.Load()
	}
	kept := rapid.IntRange(0, row-1).Draw(t, "kept")
	m.queue.putBack(taken[kept:])
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
	require.True(t, m.queue.remove(c))
	require.Zero(t, c.Place)
	require.False(t, m.queue.remove(c), "removed before")
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
	require.False(t, m.queue.remove(c))
	require.Equal(t, place, c.Place)
}

// filter drops every so many, which it counts, with and without cells.
func (m *inboxModel) filter(t *rapid.T) {
	every := rapid.IntRange(1, 5).Draw(t, "drop every")
	asked, dropped := 0, 0
	out := m.queue.filter(func(c *cell.Cell) bool {
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
	m.queue.close()
	m.closed = true
}

func (m *inboxModel) validate(t *rapid.T) {
	require.Equal(t, len(m.tasks), m.queue.len())
	a, r, n := m.queue.tally(3, 4, func() {})
	require.Equal(t, []any{m.accepted + 3, m.rejected + 4, len(m.tasks)}, []any{a, r, n})
	cells := tasksOf(m.queue)
	require.Len(t, cells, len(m.tasks))
	for i, c := range cells {
		if !m.is(t, m.tasks[i], c) {
			t.Fatalf("task %d is another", i)
		}
	}
	require.False(t, m.queue.word.Load() && len(m.tasks) > 0 && m.queue.out.len() == 0, "a task that nobody is told of")
	require.NoError(t, validateSegment(&m.queue.out))
	require.NoError(t, validateSegment(&m.queue.in))
	require.NoError(t, validateFree(m.queue))
}

// validateSegment looks at what must hold between any two calls.
func validateSegment(s *segment) error {
	if s.taken < 0 || s.taken > s.end || s.end > len(s.blocks)*blockSize {
		return errors.New("the bounds are in disorder")
	}
	if len(s.blocks) > (s.end+blockSize-1)/blockSize {
		return errors.New("there is a block too many")
	}
	holes := 0
	for i := range s.end {
		if i/blockSize < s.taken/blockSize {
			if s.blocks[i/blockSize] != nil {
				return errors.New("a block has been taken and is still there")
			}
			continue
		}
		switch e := *s.at(i); {
		case i < s.taken && !e.removed():
			return errors.New("what has been taken is still there")
		case i < s.taken:
		case e.removed():
			holes++
		case e.cell != nil && e.cell.Place != -1-int32((s.base+uint32(i))&positionMask):
			return errors.New("a task does not know its place")
		}
	}
	if holes != s.holes {
		return errors.New("the holes are miscounted")
	}
	for i := s.end; i < len(s.blocks)*blockSize; i++ {
		if !s.at(i).removed() {
			return errors.New("something is beyond the end")
		}
	}
	if slices.ContainsFunc(s.blocks[len(s.blocks):cap(s.blocks)], func(b *block) bool { return b != nil }) {
		return errors.New("a block is retained beyond the end of a list")
	}
	return nil
}

// validateFree looks at the blocks that are free, as far as the pool gives them.
func validateFree(q *inbox) (err error) {
	var free []*block
	for b, ok := q.free.Get().(*block); ok; b, ok = q.free.Get().(*block) {
		switch {
		case slices.Contains(q.in.blocks, b), slices.Contains(q.out.blocks, b), slices.Contains(free, b):
			err = errors.New("a free block is in use")
		case slices.ContainsFunc(b.slots[:], func(t slot) bool { return !t.removed() }):
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
		q := newInbox(new(cell.Plan))
		for range waiting {
			_, err := q.put(entry{slot: slot{cell: new(cell.Cell)}})
			require.NoError(t, err)
		}
		for range 100_000 {
			c := new(cell.Cell)
			_, err := q.put(entry{slot: slot{cell: c}})
			require.NoError(t, err)
			require.True(t, q.remove(c))
		}
		const slack = 3
		assert.LessOrEqual(t, len(q.in.blocks), 2*waiting/blockSize+slack, "%d wait", waiting)
		assert.Equal(t, waiting, q.len())
		require.NoError(t, validateSegment(&q.in))
	}
}

func TestInboxOfTasksThatComeAndGoDoesNotGrow(t *testing.T) {
	q := newInbox(new(cell.Plan))
	live := make([]*cell.Cell, 0, 2*blockSize)
	for i := range 100_000 {
		c := new(cell.Cell)
		_, err := q.put(entry{slot: slot{cell: c}})
		require.NoError(t, err)
		if live = append(live, c); len(live) < cap(live) {
			continue
		}
		if i%2 == 0 {
			require.True(t, q.live())
			require.Same(t, live[0], q.pop(unread).cell)
		} else {
			require.True(t, q.remove(live[0]))
		}
		live = append(live[:0], live[1:]...)
		const most = 16 // entries of the tasks, as many holes, and some that are begun, on both sides
		require.LessOrEqual(t, len(q.in.blocks)+len(q.out.blocks), most)
	}
}

// A worker is busy for ever, and submitters change their minds.
func TestPoolThatOnlyCancelsDoesNotGrow(t *testing.T) {
	p := NewPool(1)
	gate := make(chan struct{})
	require.NoError(t, p.Execute(func(context.Context) error { <-gate; return nil }))
	for range 100_000 {
		f, err := p.Submit(func(context.Context) error { return nil })
		require.NoError(t, err)
		require.True(t, f.Cancel())
	}
	p.mu.Lock()
	blocks := len(p.inbox.in.blocks) + len(p.inbox.out.blocks)
	p.mu.Unlock()
	assert.LessOrEqual(t, blocks, 4)
	close(gate)
	require.NoError(t, p.Close())
	assert.EqualValues(t, 100_000, p.Stats().Cancelled)
}

func TestInboxUsesItsBlocksAgain(t *testing.T) {
	q := newInbox(new(cell.Plan))
	for range 3 {
		for range 100 * blockSize {
			_, err := q.put(entry{slot: slot{cell: new(cell.Cell)}})
			require.NoError(t, err)
		}
		for q.live() {
			q.pop(unread)
		}
		require.NoError(t, validateSegment(&q.in))
		require.NoError(t, validateSegment(&q.out))
		require.NoError(t, validateFree(q))
	}
}

// Nothing may come between the looks at what waits here and at what waits elsewhere, or the sum is one that never was.
func TestInboxIsCountedTogetherWithTheRest(t *testing.T) {
	q := newInbox(nil)
	told := false
	q.tally(0, 0, func() { told = !q.mu.TryLock() })
	assert.True(t, told)
}
