package floor

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// Queue runs tasks when they are due.
type Queue struct {
	shards []shard
	choose Choice
	begin  time.Time
	armed  atomic.Int64  // when the leader looks next
	bell   chan struct{} // has it look at once
	over   chan struct{}
	crew   crew
	all    sync.WaitGroup
}

// Most is how many shards are enough for any number of processors.
const Most = 64

// New returns a queue with so many workers, of which one is the leader, and so many shards, rounded
// up to a power of two.
func New(workers, shards int, choose Choice) *Queue {
	q := &Queue{
		shards: make([]shard, 1<<bits.Len(uint(shards-1))), choose: choose, begin: time.Now(),
		bell: make(chan struct{}, 1), over: make(chan struct{}),
	}
	for i := range q.shards {
		q.shards[i].head.Store(int64(never))
	}
	q.crew.hire(workers-1, &q.all)
	q.all.Go(q.lead)
	return q
}

func (q *Queue) clock() time.Duration { return time.Since(q.begin) }

// After has run be called in d.
func (q *Queue) After(d time.Duration, run func()) *Task {
	s := &q.shards[q.choose()&uint32(len(q.shards)-1)]
	t := &Task{run: run, shard: s}
	if due := s.add(t, d, q.clock); int64(due) < q.armed.Load() {
		select {
		case q.bell <- struct{}{}:
		default: // it has been rung
		}
	}
	return t
}

// Close ends the queue. What is not due yet does not run.
func (q *Queue) Close() {
	close(q.over)
	q.all.Wait()
}

// lead waits for what is due, and has it run.
func (q *Queue) lead() {
	defer q.crew.dismiss()
	alarm := time.NewTimer(0)
	for due := (batch{}); ; {
		due.take(q.shards, q.clock())
		if len(due.entries) > 0 {
			q.crew.work(due.entries)
			if q.ended() {
				return
			}
			continue
		}
		alarm.Reset(q.arm())
		select {
		case <-alarm.C:
		case <-q.bell:
		case <-q.over:
			return
		}
	}
}

func (q *Queue) ended() bool {
	select {
	case <-q.over:
		return true
	default:
		return false
	}
}

// arm says when the leader looks next, and returns how long that is from now. Who schedules reads
// that after it has set the head of its shard, and the heads are read here after it has been said:
// one of the two sees the other.
func (q *Queue) arm() time.Duration {
	q.armed.Store(int64(never))
	earliest := never
	for i := range q.shards {
		earliest = min(earliest, q.shards[i].earliest())
	}
	q.armed.Store(int64(earliest))
	return max(0, earliest-q.clock())
}
