package floor

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// never is later than any time.
const never = time.Duration(math.MaxInt64)

// many is after how many due tasks a shard looks whether most are. It is a power of two.
const many = 1024

// shard is a part of the queue.
type shard struct {
	mu sync.Mutex
	heap
	head atomic.Int64 // no later than the earliest time in the heap; set under mu, read without
	_    [64]byte     // keeps the next one off these lines
}

// add schedules a task in d and returns its time. The clock is read in here: of two tasks in one
// shard or in two, the one whose call had ended before the other's began has the lesser stamp.
func (s *shard) add(t *Task, d time.Duration, clock func() time.Duration) (due time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp := clock()
	due = stamp + max(0, d) // the past is now, so that nothing fresh comes before what has been taken
	s.push(entry{due, stamp, t})
	if due < time.Duration(s.head.Load()) {
		s.head.Store(int64(due))
	}
	return due
}

// take appends what is due, in its order.
func (s *shard) take(now time.Duration, taken []entry) []entry {
	if s.earliest() > now {
		return taken
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := 0; len(s.heap) > 0 && s.heap[0].due <= now; n++ {
		if n&(many-1) == many-1 && s.mostlyDue(now) {
			taken = s.sweep(now, taken)
			break
		}
		taken = append(taken, s.heap[0])
		s.remove(0)
	}
	head := never
	if len(s.heap) > 0 {
		head = s.heap[0].due
	}
	s.head.Store(int64(head))
	return taken
}

func (s *shard) earliest() time.Duration { return time.Duration(s.head.Load()) }
