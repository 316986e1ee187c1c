package runqueue

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/clock"
)

// Sequence gives tasks the numbers by which those of equal time are in order: a task that comes
// after another has been accepted gets a greater one.
//
// Where the clock is fine enough, the number is a reading of it, so that submitters on different
// processors write nothing in common. Where two readings may be equal, which is so in a
// testing/synctest bubble, on Windows, and with a slow counter, it is that of a count, which all of
// them share. Of tasks that came before a reading, none has a greater number than that, or than the
// count is then. The zero Sequence counts.
type Sequence struct {
	clock clock.Clock
	reads bool // the number is a reading; does not change
	count atomic.Uint64
}

// NewSequence returns a sequence for a pool with this clock. It reads it some times, to see how
// fine it is.
func NewSequence(c clock.Clock) *Sequence { return &Sequence{clock: c, reads: isFine(c.Now)} }

// isFine reports whether a reading differs from the one before, even if nothing lies between them.
// Between two submissions on different processors lies more: one sees what the other has done.
func isFine(now func() int64) bool {
	const readings = 64
	last := now()
	for range readings {
		next := now()
		if next <= last {
			return false
		}
		last = next
	}
	return true
}

// Next returns the next number.
func (s *Sequence) Next() uint64 {
	if s.reads {
		return uint64(s.clock.Now())
	}
	return s.count.Add(1)
}

// At is Next for a caller that has read the clock since the submission began.
func (s *Sequence) At(now int64) uint64 {
	if s.reads {
		return uint64(now)
	}
	return s.count.Add(1)
}

// Reads reports whether the numbers are readings of the clock, so that submitters share no count.
func (s *Sequence) Reads() bool { return s.reads }
