package sight

import (
	"maps"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/lateness"
)

// The figures of the measurements, for the views.

// MeasuredLocked returns the histograms of all runs, or false if there are none. The lock is held.
func (s *Sight) MeasuredLocked() (late, took lateness.Histogram, ok bool) {
	if s.insight == nil {
		return late, took, false
	}
	return s.insight.All.Late, s.insight.All.Took, true
}

// ReasonsLocked returns what late runs have waited for, in all, and how many were not explained.
// The lock is held, and runs are measured.
func (s *Sight) ReasonsLocked() (
	total time.Duration, parts [Parts]time.Duration, unexplained uint64,
) {
	in := s.insight
	for _, d := range in.Parts {
		total = lateness.Added(total, d)
	}
	return total, in.Parts, in.Unexplained
}

// AllLocked returns a copy of the kind of all tasks. The lock is held, and runs are measured.
func (s *Sight) AllLocked() *Kind {
	all := s.insight.All
	all.Failures, all.Expired = s.owner.Counts.Failures, s.owner.Counts.Expired
	return &all
}

// KindsLocked returns the kinds of tasks with a name, by name. The lock is held, and runs are
// measured.
func (s *Sight) KindsLocked() (kinds []*Kind) {
	for _, name := range slices.Sorted(maps.Keys(s.insight.Kinds)) {
		kinds = append(kinds, s.insight.Kinds[name])
	}
	return kinds
}

// MeasurementsLocked returns what the option that asked for measurements makes of them; nil without
// one. The lock is held.
func (s *Sight) MeasurementsLocked() any {
	if s.config.Measure == nil {
		return nil
	}
	return s.config.Measure(s)
}

// History returns what the option that asked for a history makes of it; nil without one.
func (s *Sight) History() any {
	if s.config.History == nil {
		return nil
	}
	return s.config.History(s)
}
