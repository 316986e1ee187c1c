package executor

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// queueModel is a delayedWorkQueue beside a sorted slice of what should be in it.
type queueModel struct {
	queue delayedWorkQueue
	tasks []*cell.Cell
	now   int64
	order uint64
}

func TestDelayedWorkQueueIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &queueModel{}
		if rapid.Bool().Draw(t, "positions about to wrap") {
			m.queue.line.head, m.queue.line.tail = math.MaxUint32-20, math.MaxUint32-20
		}
		t.Repeat(map[string]func(*rapid.T){
			"due":    func(t *rapid.T) { m.push(m.now) },
			"later":  func(t *rapid.T) { m.push(m.now + rapid.Int64Range(1, 5).Draw(t, "delay")) },
			"late":   func(t *rapid.T) { m.push(max(m.now-rapid.Int64Range(1, 5).Draw(t, "lateness"), 0)) },
			"time":   func(t *rapid.T) { m.now += rapid.Int64Range(1, 5).Draw(t, "passed") },
			"burst":  func(t *rapid.T) { m.burst(rapid.IntRange(1, 300).Draw(t, "tasks")) },
			"pop":    m.pop,
			"remove": m.remove,
			"filter": m.filter,
			"":       m.validate,
		})
	})
}

func (m *queueModel) push(when int64) {
	m.order++
	c := &cell.Cell{When: when, Order: m.order}
	m.queue.push(c, m.now)
	at, _ := slices.BinarySearchFunc(m.tasks, c, compare)
	m.tasks = slices.Insert(m.tasks, at, c)
}

func (m *queueModel) burst(n int) {
	for range n {
		m.push(m.now)
	}
}

func (m *queueModel) pop(t *rapid.T) {
	if len(m.tasks) == 0 {
		t.Skip("empty")
	}
	c, _ := m.queue.pop()
	require.Same(t, m.tasks[0], c)
	require.Zero(t, c.Place)
	m.tasks = m.tasks[1:]
}

func (m *queueModel) remove(t *rapid.T) {
	if len(m.tasks) == 0 {
		t.Skip("empty")
	}
	for range rapid.IntRange(1, len(m.tasks)).Draw(t, "how many") {
		i := rapid.IntRange(0, len(m.tasks)-1).Draw(t, "which")
		c := m.tasks[i]
		require.True(t, m.queue.remove(c))
		require.Zero(t, c.Place)
		require.False(t, m.queue.remove(c), "removed before")
		m.tasks = slices.Delete(m.tasks, i, i+1)
	}
}

func (m *queueModel) filter(t *rapid.T) {
	n := rapid.Uint64Range(1, 4).Draw(t, "keep every")
	keep := func(c *cell.Cell) bool { return c.Order%n == 0 }
	var kept, out []*cell.Cell
	for _, c := range m.tasks {
		if keep(c) {
			kept = append(kept, c)
		} else {
			out = append(out, c)
		}
	}
	require.Equal(t, len(out), len(m.queue.filter(keep)))
	for _, c := range out {
		require.Zero(t, c.Place)
	}
	m.tasks = kept
}

func (m *queueModel) validate(t *rapid.T) {
	require.Equal(t, len(m.tasks), m.queue.len())
	if len(m.tasks) == 0 {
		require.Equal(t, parking.Nothing, m.queue.head())
	} else {
		require.Equal(t, m.tasks[0].When, m.queue.head())
	}
	require.True(t, slices.Equal(m.tasks, m.queue.tasks()))
	require.NoError(t, m.queue.heap.Validate(func(c *cell.Cell) int { return int(c.Place) - 1 }))
	line := &m.queue.line
	require.LessOrEqual(t, line.live, int(line.tail-line.head))
	require.LessOrEqual(t, int(line.tail-line.head), len(line.ring))
	require.True(t, line.live > 0 == (line.head != line.tail))
}

func TestFifoGivesItsMemoryBack(t *testing.T) {
	var q fifo
	var cells []*cell.Cell
	for range 100_000 {
		c := new(cell.Cell)
		q.push(c)
		cells = append(cells, c)
	}
	first := cells[0]
	for _, c := range cells[1:] {
		require.True(t, q.remove(c), "from behind the first, which stays")
	}
	assert.LessOrEqual(t, len(q.ring), 2*minRing)
	assert.Same(t, first, q.first())
	assert.Equal(t, 1, q.len())
}
