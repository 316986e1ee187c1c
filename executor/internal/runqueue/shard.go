package runqueue

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
)

// shard is one of many small delayed work queues, with a lock of its own. Those who schedule and
// cancel on different processors write to different shards.
//
// A task that waits knows its shard by a negative Started; that does not change before its run
// begins. It is in the heap of the shard exactly while its time is after swept.
type shard struct {
	mu    sync.Mutex // guards what follows, but for head; comes after the pool's lock
	heap  heap.Heap[*cell.Cell]
	swept int64 // what was due by then has left for the pool's own heap; only grows

	open    bool // it takes tasks
	careful bool // a cancellation takes the pool's lock: there may be more to do

	accepted, cancelled uint64

	head atomic.Int64 // time of the first task, or none; written with the lock held

	_ [64]byte // keeps the next shard out of these cache lines
}

// none stands for the head of an empty shard.
const none int64 = math.MaxInt64

// push adds c, and reports whether it is the first. The head is published here, before anything
// else is asked: so either a sweep sees it, or the caller sees how far the sweep goes.
func (s *shard) push(of *Shards, c *cell.Cell, at int64) (first bool) {
	s.heap.Push(at, c)
	if first = c.Place == 1; first {
		s.head.Store(at)
		if at < of.earliest.Load() {
			of.lower(at)
		}
	}
	return first
}

// take takes out c, whose home the shard is, and reports whether it waited here.
func (s *shard) take(c *cell.Cell) bool {
	if c.When <= s.swept {
		return false // its place is in the pool's own queue, under another lock
	}
	i := int(c.Place) - 1
	if !s.heap.Holds(i, c) {
		return false
	}
	if s.heap.Remove(i); i == 0 {
		s.publish()
	}
	return true
}

// publish shows the time of the first task.
func (s *shard) publish() {
	at := none
	if s.heap.Len() > 0 {
		at, _ = s.heap.Min()
	}
	s.head.Store(at)
}

// takeDue takes out what is due by then, and adds it to the tasks taken from others.
func (s *shard) takeDue(by int64, taken []*cell.Cell) []*cell.Cell {
	for s.heap.Len() > 0 {
		if at, _ := s.heap.Min(); at > by {
			break
		}
		taken = append(taken, s.heap.Pop())
	}
	return taken
}
