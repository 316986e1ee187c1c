// Package shop has what the bars measure.
package shop

import (
	"sync"
	"sync/atomic"
)

// Shop sells.
type Shop struct {
	mu            sync.Mutex
	sold          int
	served        atomic.Int64
	returned      int
	book          *ledger
	round, hello  func()
	_, otherwise_ int
}

// Buy sells one.
func (s *Shop) Buy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	func() { s.sellLocked() }()
}

func (s *Shop) sellLocked() {
	s.sold++
	s.served.Add(int64(1))
	s.book.note("sold")
}

// New returns a Shop, of which it is no method.
func New() *Shop { return &Shop{book: new(ledger)} }

func (s *Shop) Bare() int { return s.returned }
