package executor

import "github.com/punctual-go/punctual/internal/cell"

// strand is what makes tasks of a pool run one after another: one of them is in the queue or runs,
// the others wait behind it, in order. The pool's lock guards it.
type strand struct {
	busy    bool
	waiting fifo
	users   int    // submissions in progress
	forget  func() // called when the strand is of no use; may be nil
}

// enterStrand reports whether c may go into the queue. If not, it waits for its turn. The lock is
// held.
func (p *Pool) enterStrand(s *strand, c *cell.Cell) bool {
	if !s.busy {
		s.busy = true
		return true
	}
	s.waiting.push(c)
	p.aside++
	if p.strands == nil {
		p.strands = map[*strand]struct{}{}
	}
	p.strands[s] = struct{}{}
	return false
}

// advance queues the next task of s, after one has ended or been taken out of the queue. The lock is
// held.
func (p *Pool) advance(s *strand) {
	if s.waiting.len() == 0 {
		s.busy = false
		p.release(s)
		return
	}
	c := s.waiting.first()
	s.waiting.remove(c)
	p.aside--
	if s.waiting.len() == 0 {
		delete(p.strands, s)
	}
	p.place(c, c.When, p.now())
	p.helpAll() // it may be waited for
}

// release forgets s if nobody uses it. The lock is held.
func (p *Pool) release(s *strand) {
	if !s.busy && s.users == 0 && s.forget != nil {
		s.forget()
	}
}
