package executor

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/cell"
)

// losingQueue has tasks, but gives none.
type losingQueue struct{ fifoQueue }

func (q *losingQueue) Pop() Queued { return nil }

func TestWorkQueueThatHasTasksButPopsNoneMakesThePoolPanic(t *testing.T) {
	p := NewPool(1, CustomQueue(func() WorkQueue { return new(losingQueue) }))
	p.queue.Push(&cell.Cell{Plan: p.submitted.Cells()}, 0)
	assert.PanicsWithValue(t, "executor: queue *executor.losingQueue has 1 tasks but pops none", func() { p.queue.Pop(unread) })
}
