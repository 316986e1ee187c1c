package series

// Streak is a row of failures of a series that goes on. It says which of them deserve a record, so
// that the log of a task that keeps failing grows with the logarithm of its runs. What runs the
// series guards it, and tells it how each run has ended: in executors that is Execution.Tell.
type Streak struct {
	Length uint64 // how many runs have failed in a row
	panics uint64
}

// Fail counts a failed run, and reports whether it is notable: the first, second, fourth, eighth
// and so on.
func (s *Streak) Fail() bool {
	s.Length++
	return powerOfTwo(s.Length)
}

// NextNotable reports whether another failure would be notable.
func (s *Streak) NextNotable() bool { return powerOfTwo(s.Length + 1) }

// Panic counts a failed run that ended by a panic or Goexit, and reports whether it is notable.
// These have a count of their own, so that the first is notable however many errors came before.
func (s *Streak) Panic() bool {
	s.panics++
	return powerOfTwo(s.panics)
}

// End ends the streak.
func (s *Streak) End() { *s = Streak{} }

func powerOfTwo(n uint64) bool { return n&(n-1) == 0 }
