package runqueue

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
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

// put queues c for a time, or so long from now if that is 0, and reports whether it did; what is
// due, or never will be, is for the pool itself. The caller has to tell the pool if nobody is going
// to look at the shard in time.
func (s *shard) put(
	of *Shards, home int, c *cell.Cell, at int64, in time.Duration,
) (ok, tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return false, false
	}
	now := of.clock.Now()
	if at == 0 {
		at = clock.Later(now, in)
	}
	if now <= 0 || at <= now || at >= clock.Last {
		return false, false
	}
	c.When, c.Order, c.Started = at, of.sequence.At(now), -1-int64(home)
	first := s.push(of, c, at)
	if at <= of.upTo.Load() {
		s.remove(c)
		c.When, c.Order, c.Started = 0, 0, 0
		return false, false
	}
	s.accepted++
	return true, first && at < of.awaited.Load()
}

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

// holds reports whether c, whose home the shard is, waits in it.
func (s *shard) holds(c *cell.Cell) bool {
	return c.When > s.swept && s.heap.Holds(int(c.Place)-1, c)
}

// remove takes out c, which is in the heap.
func (s *shard) remove(c *cell.Cell) {
	i := int(c.Place) - 1
	if s.heap.Remove(i); i == 0 {
		s.publish()
	}
}

// publish shows the time of the first task.
func (s *shard) publish() {
	at := none
	if s.heap.Len() > 0 {
		at, _ = s.heap.Min()
	}
	s.head.Store(at)
}

// take takes out what is due by then, and adds it to the tasks taken from others.
func (s *shard) take(by int64, taken []*cell.Cell) []*cell.Cell {
	for s.heap.Len() > 0 {
		if at, _ := s.heap.Min(); at > by {
			break
		}
		taken = append(taken, s.heap.Pop())
	}
	return taken
}
