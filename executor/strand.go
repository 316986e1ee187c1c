package executor

import (
	"slices"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// strand is what makes tasks of a pool run one after another: one of them is in the queue or runs,
// the others wait behind it, in order. The pool's lock guards it.
type strand struct {
	head    *cell.Cell // in the queue, or running; nil if there is no task
	waiting runqueue.FIFO
	users   int      // submissions in progress
	awaits  []*await // for tasks of the strand
	forget  func()   // called when the strand is of no use; may be nil
}

// comesAfter reports whether c is a later task than run of the same serial executor, so that it
// does not begin before the run has ended.
func comesAfter(c, run *cell.Cell) bool {
	s := planOf(c).strand
	return s != nil && s == planOf(run).strand && c != run
}

// hold has c wait for its turn.
func (p *Pool) holdBackLocked(s *strand, c *cell.Cell) {
	s.waiting.Push(c)
	p.heldBack++
	if s.waiting.Len() == 1 {
		p.strands.put(s, struct{}{})
	}
}

// advanceLocked queues the next task of s, after one has ended or been taken out of the queue.
func (p *Pool) advanceLocked(s *strand) {
	if s.waiting.Len() == 0 {
		s.head = nil
		p.releaseLocked(s)
		return
	}
	s.head = s.waiting.First()
	p.endHoldLocked(s, s.head)
	p.placeLocked(s.head, s.head.When)
	for _, a := range s.awaits {
		p.helpLocked(a) // it may be what is waited for, or in front of that
	}
}

// addAwaitLocked has a looked at when the strand advances.
func (s *strand) addAwaitLocked(a *await) { s.awaits = append(s.awaits, a) }

func (s *strand) removeAwait(a *await) {
	if i := slices.Index(s.awaits, a); i >= 0 {
		s.awaits = slices.Delete(s.awaits, i, i+1)
	}
}

// unhold takes c out of those that wait for their turn, and reports whether it was among them.
func (p *Pool) endHoldLocked(s *strand, c *cell.Cell) bool {
	if !s.waiting.Remove(c) {
		return false
	}
	p.heldBack--
	if s.waiting.Len() == 0 {
		p.strands.remove(s)
	}
	return true
}

// releaseLocked forgets s if nobody uses it.
func (p *Pool) releaseLocked(s *strand) {
	if s.head == nil && s.users == 0 && s.forget != nil {
		s.forget()
	}
}
