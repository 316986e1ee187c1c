package engine

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// Overview: a serial executor could be a pool of one worker, but that would cost a goroutine each,
// and its tasks would have no part in the order of a shared pool. It could also be built on top of
// a pool, like the SerialExecutor in the documentation of java.util.concurrent's Executor, which
// submits the next task when one has ended. Then the pool would not see the tasks that wait: it
// could not count, bound or hand them back, and if it refused the next one, the sequence would
// stop. So the pool itself knows of strands: only the head of each is in the queue, and whoever
// ends it queues the next.

// strand makes tasks of a pool run one after another. One of them, the head, is in the queue or
// runs; the others wait behind it, in order. The pool's lock guards it.
//
//	idle    -> queued    enqueueLocked: the first task becomes the head
//	queued  -> running   a worker or a helper takes it
//	queued  -> queued    advanceLocked: the head was cancelled, and another waits
//	running -> queued    advanceLocked: the head has ended, and another waits
//	queued  -> idle      advanceLocked, vacateLocked: none waits
//	running -> idle      advanceLocked: none waits
type strand struct {
	head    *cell.Cell // in the queue or running; nil when idle
	waiting runqueue.FIFO
	users   int      // submissions in progress, which keep it from being forgotten
	awaits  []*await // waits for tasks of the strand, to be helped when it advances
	pace    *Pace    // nil if there is none
	gap     int64    // between two of its tasks
	ended   int64    // when the last body ended, if somebody wants to know; attempts count
	forget  func()   // removes it from its KeyedSerial; nil for a Serial
}

// comesAfter reports whether c is a later task than run, which is in progress, of the same serial
// executor, so that it does not begin before run has ended. One that is scheduled for later does
// not either, though it has not come yet.
func comesAfter(c, run *cell.Cell) bool {
	s := planOf(c).home()
	return s != nil && s == planOf(run).home() && c != run
}

// home returns the strand of a task, whether it has come there yet or not; nil if it has none. It
// needs no lock.
func (pl *plan) home() *strand {
	if pl.expectedBy != nil {
		return pl.expectedBy
	}
	return pl.strand
}

// holdBackLocked makes c wait for its turn.
func (ws *waiting) holdBackLocked(s *strand, c *cell.Cell) {
	s.waiting.Push(c)
	ws.heldBack++
	if s.waiting.Len() == 1 {
		ws.strands.put(s, struct{}{})
	}
}

// advanceLocked queues the next task of s, after the head has ended or been taken out of the queue.
func (p *Pool) advanceLocked(s *strand) {
	if s.waiting.Len() == 0 {
		s.head = nil
		p.releaseLocked(s)
		return
	}
	s.head = s.waiting.First()
	p.waiting.endHoldLocked(s, s.head)
	p.waiting.queueLocked(s.head)
	s.helpLocked(p) // the new head may be what somebody waits for, or in front of that
}

// helpLocked looks again at the waits for tasks of the strand.
func (s *strand) helpLocked(p *Pool) {
	for _, a := range s.awaits {
		p.loans.helpLocked(a)
	}
}

// addAwaitLocked has a looked at again when the strand advances, or its head is put off.
func (s *strand) addAwaitLocked(a *await) {
	if !slices.Contains(s.awaits, a) {
		s.awaits = append(s.awaits, a)
	}
}

func (s *strand) removeAwait(a *await) {
	if i := slices.Index(s.awaits, a); i >= 0 {
		s.awaits = slices.Delete(s.awaits, i, i+1)
	}
}

// endHoldLocked takes c out of those that wait for their turn, and reports whether it was among
// them.
func (ws *waiting) endHoldLocked(s *strand, c *cell.Cell) bool {
	if !s.waiting.Remove(c) {
		return false
	}
	ws.heldBack--
	if s.waiting.Len() == 0 {
		ws.strands.remove(s)
	}
	return true
}

// releaseLocked forgets s if it has no task, and no submission is about to give it one.
func (p *Pool) releaseLocked(s *strand) {
	// Its pace must be kept: see to it again at its end.
	if s.head != nil || s.users > 0 || s.forget == nil {
		return
	}
	next := s.openAt(false)
	if next == clock.Never {
		return
	}
	if next == 0 {
		s.forget()
		return
	}
	if wait := next - p.clock.Now(); wait > 0 {
		s.users++
		time.AfterFunc(time.Duration(wait), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			s.users--
			p.releaseLocked(s)
		})
		return
	}
	s.forget()
}
