package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/cell"
)

// losingQueue has tasks, but gives none.
type losingQueue struct{ fifoQueue }

func (q *losingQueue) Pop() Task { return nil }

func TestWorkQueueThatHasTasksButPopsNoneMakesThePoolPanic(t *testing.T) {
	q := Custom(func() WorkQueue { return new(losingQueue) }).forPool()
	q.Push(new(cell.Cell), 0)
	assert.PanicsWithValue(t, "executor: queue *queue.losingQueue has 1 tasks but pops none", func() { q.Pop(0) })
}
