package runqueue

import (
	"cmp"

	"github.com/punctual-go/punctual/internal/cell"
)

// Compare orders tasks by their own times, then by number.
func Compare(a, b *cell.Cell) int {
	if c := cmp.Compare(a.When, b.When); c != 0 {
		return c
	}
	return cmp.Compare(a.Order, b.Order)
}

// weave merges the tasks of the line and those of the heap; both are in order.
func (q *Delayed) weave(line, heap []*cell.Cell) []*cell.Cell {
	return Interleave(line, heap, func(heap, line *cell.Cell) bool {
		return !Stamp{line.When, line.Order}.precedes(q.readyAt(heap), heap.Order)
	})
}

// Interleave merges two lists, each of them in order. An element of the second goes in front of the
// first element that it is before.
func Interleave[T any](first, second []T, before func(second, first T) bool) []T {
	if len(second) == 0 {
		return first
	}
	if len(first) == 0 {
		return second
	}
	all := make([]T, 0, len(first)+len(second))
	for _, t := range first {
		for len(second) > 0 && before(second[0], t) {
			all = append(all, second[0])
			second = second[1:]
		}
		all = append(all, t)
	}
	return append(all, second...)
}
