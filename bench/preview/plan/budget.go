package plan

import "time"

// A job is dense if its runs come less than a minute apart. That is judged from its first few
// slots.
const (
	Dense  = time.Minute
	probed = 64
)

// budget keeps single dense jobs from using up the limit of a plan, which would leave nothing of
// the window for the others. It is for the jobs that come more often than each minute; those that
// do not are never left out.
type budget struct {
	window Window
	left   int
}

func newBudget(w Window, limit int) budget { return budget{window: w, left: limit / 2} }

// allows reports whether the job may be part of the plan, and takes its runs off the budget.
func (b *budget) allows(s *series) bool {
	apart := s.apart()
	if apart >= Dense {
		return true
	}
	runs := int64(b.window.Length() / max(apart, 1))
	if runs > int64(b.left) {
		return false
	}
	b.left -= int(runs)
	return true
}

// apart returns the mean distance between the first slots.
func (s *series) apart() time.Duration {
	first, n := s.due, 0
	at := first
	for n < probed {
		next := s.after(at)
		if next == never || next-first >= probed*Dense {
			break
		}
		at = next
		n++
	}
	if n < probed {
		return Dense
	}
	return (at - first) / probed
}
