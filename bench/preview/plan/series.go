package plan

import (
	"math"
	"time"
)

// never is later than all times of a plan.
const never = time.Duration(math.MaxInt64)

// series is the state of a job while its plan is made. It is in one of two heaps: with its next run
// among those that wait, or with the run in progress among those that run.
type series struct {
	Job
	number int
	window Window
	order  uint64        // among those that wait: of submission; among those that run: of their start
	due    time.Duration // of the next run; never if there is none
	ended  time.Duration // when the last run did
	run    int           // that in progress
}

// SetIndex is for the heaps; nobody looks for a series in them.
func (s *series) SetIndex(int) {}

// Seq is for the heaps: what breaks ties.
func (s *series) Seq() uint64 { return s.order }

// first returns the first slot of the window, or never.
//
// Asked an instant before, what counts from the time asked, as @every, would come an instant early.
func (s *series) first() time.Duration {
	if at := s.Calendar.Next(s.window.From.Add(-1)); at.Equal(s.window.From) {
		return 0
	}
	return s.after(0)
}

// after returns the first slot of the window that is later than the given time, or never. A
// calendar that does not advance ends its series.
func (s *series) after(since time.Duration) time.Duration {
	asked := s.window.From.Add(since)
	next := s.Calendar.Next(asked)
	if !next.After(asked) || !next.Before(s.window.To) { // zero if there is none
		return never
	}
	return next.Sub(s.window.From)
}

// begin returns the run that begins at the given time. It stands for the slots that have passed.
func (s *series) begin(now time.Duration) Run {
	r := Run{Job: s.number, Due: s.due, Slot: s.due, Start: now, End: now + s.Estimate}
	r.Ready = max(s.due, s.ended)
	s.due = s.after(r.Slot)
	for s.due <= now {
		r.Slot = s.due
		r.Missed++
		s.due = s.after(r.Slot)
	}
	return r
}
