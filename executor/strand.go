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

// comesAfter reports whether c is a later task than run of the same serial executor, so that it does
// not begin before the run has ended.
func comesAfter(c, run *cell.Cell) bool {
	s := planOf(c).strand
	return s != nil && s == planOf(run).strand && c != run
}

// hold has c wait for its turn. The lock is held.
func (p *Pool) hold(s *strand, c *cell.Cell) {
	s.waiting.Push(c)
	p.aside++
	if s.waiting.Len() == 1 {
		p.strands.put(s, struct{}{})
	}
}

// advance queues the next task of s, after one has ended or been taken out of the queue. The lock is
// held.
func (p *Pool) advance(s *strand) {
	if s.waiting.Len() == 0 {
		s.head = nil
		p.release(s)
		return
	}
	s.head = s.waiting.First()
	p.unhold(s, s.head)
	p.place(s.head, s.head.When)
	for _, a := range s.awaits {
		p.helpLocked(a) // it may be what is waited for, or in front of that
	}
}

// addAwait has a looked at when the strand advances. The lock is held.
func (s *strand) addAwait(a *await) { s.awaits = append(s.awaits, a) }

func (s *strand) removeAwait(a *await) {
	if i := slices.Index(s.awaits, a); i >= 0 {
		s.awaits = slices.Delete(s.awaits, i, i+1)
	}
}

// unhold takes c out of those that wait for their turn, and reports whether it was among them. The lock
// is held.
func (p *Pool) unhold(s *strand, c *cell.Cell) bool {
	if !s.waiting.Remove(c) {
		return false
	}
	p.aside--
	if s.waiting.Len() == 0 {
		p.strands.remove(s)
	}
	return true
}

// release forgets s if nobody uses it. The lock is held.
func (p *Pool) release(s *strand) {
	if s.head == nil && s.users == 0 && s.forget != nil {
		s.forget()
	}
}
