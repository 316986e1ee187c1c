package series

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// skip plans a run for the first slot of the grid that has not passed at the given time, and
// returns when it is due. The jitter makes a window of each slot, and a slot has passed when no
// time is left in its window; the run is planned for what is left. So a run that comes late in its
// window costs the next one nothing. A slot that falls exactly on the end of a run has not passed.
func (s *Series) skip(ended, every int64) (at int64) {
	period, window := uint64(s.period()), uint64(s.window())
	passed := uint64(0)
	if late := span(s.slot, ended); late > uint64(every)+window {
		passed = ceil(late-uint64(every)-window, period)
	}
	s.Missed += passed
	s.last = s.slot + int64(passed*period)
	s.slot = clock.Later(s.last, time.Duration(every))
	return s.disturbed(s.slot, max(ended-s.slot, 0))
}

// shift moves to one period after the last run or, if that took longer, to its end, from where the
// grid goes on.
func (s *Series) shift(ended, every int64) {
	s.slot = clock.Later(s.slot, time.Duration(every))
	if s.slot < ended {
		s.Missed += uint64((ended - s.slot) / s.period())
		s.shifted = ended - s.slot
		s.slot = ended
	}
}
