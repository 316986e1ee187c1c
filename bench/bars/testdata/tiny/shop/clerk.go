package shop

import "context"

type Bare[T any] []T

func (b Bare[T]) first() T { return b[0] }

func restock(s *Shop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	(s).sold = 0
	s.sellLocked()
}

func audit(_ context.Context, s *Shop) int { return s.sold + len(s.book.lines) }

type alias = Shop

func open(s *alias) { s.hello() }
