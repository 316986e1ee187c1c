package runqueue

import (
	"cmp"
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
	"github.com/punctual-go/punctual/internal/shardcount"
)

// Shards are where the tasks of a scheduled pool wait for their time if nothing else is asked for
// them. Scheduling one, and cancelling it, takes the lock of its shard alone.
//
// What comes to be due leaves for the pool's own part of the queue, under the pool's lock, in one
// sweep through all shards. Who sweeps says first how far that goes, and then looks at the heads of
// the shards; who submits publishes the head, and then looks how far the sweep goes. So a task that
// a sweep might have missed is known to its submitter, who brings it to the pool's own heap
// instead:
//
//	submitted -> in its shard       put
//	submitted -> the pool's heap    put has refused it: its time has been swept
//	in its shard -> the pool's heap sweep: it is due
//	in its shard -> gone            Withdraw, Remove, Filter
//	gone -> in its shard            Return: it has been given another time
//
// In the same way a submission finds out whether it has to tell the pool: who looks at the heads
// says for which time the pool waits from then on, and looks once more if that is later than
// before. And who looks need not look at all shards each time: a submission with a new head says so
// in a word that is no later than any head, if the head is earlier than that says; the pool raises
// the word after it has looked, and looks once more.
//
// Both orders of steps have been tried out exhaustively; see package internal/trust/shards.
type Shards struct {
	clock    clock.Clock
	sequence *Sequence
	list     []shard // a power of two; does not change

	_ [64]byte // what submitters only read is above, and follows

	upTo     atomic.Int64 // how far the last sweep went; written with the pool's lock held
	awaited  atomic.Int64 // a submission for an earlier time tells the pool; likewise
	earliest atomic.Int64 // no head is earlier; raised with the pool's lock held

	_ [64]byte

	open, careful bool // as the shards are; the pool's lock guards them

	choice choice
}

// There are several shards for each processor, as a task may be cancelled on another processor than
// it was submitted on, in the shard of others: with one each, goroutines queue up behind a lock
// whose holder is descheduled, and 64 of them pay up to twice as much for a pair of calls. To look
// at the heads of the most shards takes less than a microsecond.
const (
	shardsPerProcessor = 8
	mostShards         = 64
)

// NewShards returns shards that are closed.
func NewShards(c clock.Clock, s *Sequence) *Shards {
	ss := &Shards{clock: c, sequence: s}
	ss.choice.inTurn = shardcount.Get() > 0
	ss.awaited.Store(none)
	ss.earliest.Store(none)
	ss.list = make([]shard, numberOfShards())
	for i := range ss.list {
		ss.list[i].head.Store(none)
	}
	return ss
}

// numberOfShards follows the number of processors that may run submitters, and is a power of two,
// unless a test has said another number.
func numberOfShards() int {
	n := cmp.Or(shardcount.Get(), shardsPerProcessor*runtime.GOMAXPROCS(0))
	return 1 << bits.Len(uint(min(n, mostShards)-1))
}

// home returns the shard of c, or nil if it has none.
func (ss *Shards) home(c *cell.Cell) *shard {
	if ss == nil || c.Started >= 0 {
		return nil
	}
	return &ss.list[-1-c.Started]
}

// Put queues c, of which nothing is known but its time: that is at, or so long from now if at is 0.
// It reports whether it has. If not, c is as it was, and for the pool itself, under its lock: it is
// due already, or the shards are closed. Tell reports whether the caller then has to tell the pool.
// Put is called without the pool's lock.
func (ss *Shards) Put(c *cell.Cell, at int64, in time.Duration) (ok, tell bool) {
	i := int64(ss.choice.next()) & int64(len(ss.list)-1)
	s := &ss.list[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return false, false
	}
	now := ss.clock.Now()
	if at == 0 {
		at = clock.Later(now, in)
	}
	if now <= 0 || at <= max(now, s.swept) || at >= clock.Last {
		return false, false
	}
	c.When, c.Order, c.Started = at, ss.sequence.At(now), -1-i
	first := s.push(ss, c, at)
	if at <= ss.upTo.Load() {
		s.take(c)
		c.When, c.Order, c.Started = 0, 0, 0
		return false, false
	}
	s.accepted++
	return true, first && at < ss.awaited.Load()
}

// Withdraw takes out c, which has been cancelled, and counts that. It reports false if c is for the
// pool itself. Withdraw is called without the pool's lock, by who has cancelled c before it has
// begun.
func (ss *Shards) Withdraw(c *cell.Cell) bool {
	s := ss.home(c)
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.careful || !s.take(c) {
		return false
	}
	c.Body = nil
	s.cancelled++
	return true
}

// All that follows is called with the pool's lock held.

// Open has the shards take tasks, if they may. While they were closed, nobody said for when the
// pool waits; so what comes first tells the pool, until that looks again.
func (ss *Shards) Open() {
	if !ss.open {
		ss.awaited.Store(none)
	}
	ss.setOpen(true)
}

// Close has the shards refuse all tasks.
func (ss *Shards) Close() { ss.setOpen(false) }

func (ss *Shards) setOpen(open bool) {
	if ss.open == open {
		return
	}
	ss.open = open
	ss.locked(func() {
		for i := range ss.list {
			ss.list[i].open = open
		}
	})
}

// SetCareful says whether cancellations have to take the pool's lock.
func (ss *Shards) SetCareful(careful bool) {
	if ss.careful == careful {
		return
	}
	ss.careful = careful
	ss.locked(func() {
		for i := range ss.list {
			ss.list[i].careful = careful
		}
	})
}

// CloseIfEmpty closes the shards unless there is a task in them, and reports whether it has.
func (ss *Shards) CloseIfEmpty() (closed bool) {
	ss.locked(func() {
		for i := range ss.list {
			if ss.list[i].heap.Len() > 0 {
				return
			}
		}
		for i := range ss.list {
			ss.list[i].open = false
		}
		ss.open, closed = false, true
	})
	return closed
}

// locked calls f with all shards locked.
func (ss *Shards) locked(f func()) {
	for i := range ss.list {
		ss.list[i].mu.Lock()
	}
	defer func() {
		for i := range ss.list {
			ss.list[i].mu.Unlock()
		}
	}()
	f()
}

// first returns the time of the first task if that is no later than by; if not, a later time, or
// none. The shards are looked at only if there may be one: what has been swept is not here any
// more, nor comes.
func (ss *Shards) first(by int64) int64 {
	known := ss.earliest.Load()
	if known > by || known == none || by <= ss.upTo.Load() {
		return none
	}
	first := ss.look()
	if first > known {
		ss.earliest.Store(first)
		if again := ss.look(); again < first { // a submission may have said so before, in vain
			ss.lower(again)
		}
	}
	return ss.earliest.Load()
}

// look returns the earliest head, or none.
func (ss *Shards) look() int64 {
	at := none
	for i := range ss.list {
		at = min(at, ss.list[i].head.Load())
	}
	return at
}

// lower says that there is a head for the given time. It is called without the pool's lock, too.
func (ss *Shards) lower(head int64) {
	for known := ss.earliest.Load(); head < known; known = ss.earliest.Load() {
		if ss.earliest.CompareAndSwap(known, head) {
			return
		}
	}
}

// await says that the pool looks at its head, which is for the given time, when that has come. It
// reports whether the caller has to look again: what has been put since it looked has not told the
// pool, if that was to look earlier. A head that is due is taken at once, and nothing can come for
// an earlier time: then the time that was said before may stay, unless it is later.
func (ss *Shards) await(head int64, due bool) (again bool) {
	if head == parking.Nothing {
		head = none
	}
	before := ss.awaited.Load()
	if due && before <= head {
		return false
	}
	if head != before {
		ss.awaited.Store(head)
	}
	return head > before
}

// has reports whether c is in its shard.
func (ss *Shards) has(c *cell.Cell) bool {
	s := ss.home(c)
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.When > s.swept && s.heap.Holds(int(c.Place)-1, c)
}

// take takes c out of its shard, and reports whether it was there.
func (ss *Shards) take(c *cell.Cell) bool {
	s := ss.home(c)
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(c)
}

// give has c, which has a home, wait in it, unless its time has been swept, and reports whether it
// does.
func (ss *Shards) give(c *cell.Cell, at int64) bool {
	s := ss.home(c)
	if s == nil || at <= ss.upTo.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(ss, c, at)
	return true
}

// setTime gives c, which is in no heap, another time.
func (ss *Shards) setTime(c *cell.Cell, at int64) {
	if s := ss.home(c); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	c.When = at
}

// len returns how many tasks there are.
func (ss *Shards) len() (n int) {
	if ss == nil {
		return 0
	}
	for i := range ss.list {
		ss.list[i].mu.Lock()
		n += ss.list[i].heap.Len()
		ss.list[i].mu.Unlock()
	}
	return n
}

// heaps returns the heaps of all shards, which are locked.
func (ss *Shards) heaps() []*heap.Heap[*cell.Cell] {
	heaps := make([]*heap.Heap[*cell.Cell], len(ss.list))
	for i := range ss.list {
		heaps[i] = &ss.list[i].heap
	}
	return heaps
}

// publish shows the heads of all shards, which are locked, after something was taken out.
func (ss *Shards) publish() {
	for i := range ss.list {
		ss.list[i].publish()
	}
}

// tallyLocked returns how many tasks have been accepted, and cancelled, and how many there are. All
// shards are locked.
func (ss *Shards) tallyLocked() (accepted, cancelled uint64, waiting int) {
	for i := range ss.list {
		accepted += ss.list[i].accepted
		cancelled += ss.list[i].cancelled
		waiting += ss.list[i].heap.Len()
	}
	return accepted, cancelled, waiting
}
