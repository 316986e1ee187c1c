package eventloop

import (
	"fmt"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// Validate checks, at rest, what must hold of a loop: the heap is one, the line is in order and
// due, what is on the agenda is pending or a shell, the accounts balance, and the loop will look in
// time.
func (l *Loop) Validate() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	heap := &l.waiting.agenda.heap
	if err := heap.Validate(func(c *cell.Cell) int { return int(c.Place) - 1 }); err != nil {
		return err
	}
	if err := l.validateLine(); err != nil {
		return err
	}
	return l.validateSleep()
}

func (l *Loop) validateLine() error {
	count, now := 0, l.clock.Now()
	for n := l.waiting.agenda.line.first; n != nil; n = n.after {
		count++
		if n.cell.When > now {
			return fmt.Errorf("line: a task at %d is not due at %d", n.cell.When, now)
		}
		if n.after != nil && runqueue.Compare(n.cell, n.after.cell) >= 0 {
			return fmt.Errorf("line: out of order at %d", n.cell.When)
		}
		if (n.after == nil) != (n == l.waiting.agenda.line.last) {
			return fmt.Errorf("line: the last is not the last")
		}
	}
	if count != l.waiting.agenda.line.count {
		return fmt.Errorf("line: %d tasks, counted as %d", count, l.waiting.agenda.line.count)
	}
	return nil
}

// validateSleep looks through intake and agenda, which a sleeping loop does not.
func (l *Loop) validateSleep() error {
	first, waiting, settled := clock.Never, 0, 0
	look := func(c *cell.Cell) {
		switch phase := c.Phase(); {
		case phase.Settled():
			settled++
		default:
			waiting++
			first = min(first, c.When)
		}
	}
	for n := l.waiting.intake.top.Load(); n != nil && n != &l.waiting.intake.shut; n = n.after {
		look(n.cell)
	}
	_, cells := l.waiting.agenda.heap.Sorted()
	for _, c := range cells {
		look(c)
	}
	for n := l.waiting.agenda.line.first; n != nil; n = n.after {
		look(n.cell)
	}
	if settled != l.waiting.tombstonesLocked() {
		return fmt.Errorf("%d tombstones, counted as %d", settled, l.waiting.tombstonesLocked())
	}
	switch next := l.rest.next.Load(); {
	case next == absent && waiting+settled > 0:
		return fmt.Errorf("nobody looks at %d tasks and %d tombstones", waiting, settled)
	case next > first && next != hung:
		return fmt.Errorf("the loop sleeps until %d, and a task is due at %d", next, first)
	}
	return nil
}

// TombstonesLeft returns how many tombstones there are, without looking for them.
func (l *Loop) TombstonesLeft() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting.tombstonesLocked()
}

// AgendaLen returns how many tasks and tombstones are on the agenda.
func (l *Loop) AgendaLen() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting.agenda.len()
}

// Watched has the loop be watched anew, before its first task.
func (l *Loop) Watched(watch func(*run.Owner)) { watch(&l.runs) }
