package executor

import "iter"

// fifoQueue is a WorkQueue, first in, first out.
type fifoQueue struct{ line fifo }

func (q *fifoQueue) Push(t Queued)         { q.line.push(t.cell()) }
func (q *fifoQueue) Remove(t Queued) bool  { return q.line.remove(t.cell()) }
func (q *fifoQueue) Len() int              { return q.line.len() }
func (q *fifoQueue) All() iter.Seq[Queued] { return all(q.line.all()) }

func (q *fifoQueue) Pop() Queued {
	if q.line.len() == 0 {
		return nil
	}
	c := q.line.first()
	q.line.remove(c)
	return (*queued)(c)
}
