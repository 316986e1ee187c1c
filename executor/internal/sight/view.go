package sight

import (
	"maps"
	"slices"

	"github.com/punctual-go/punctual/executor/insight"
)

// view is a Sight as users see it.
type view Sight

// View returns what users see.
func (s *Sight) View() insight.View { return (*view)(s) }

// Measurements implements [insight.View].
func (v *view) Measurements() (m insight.Measurements) {
	s := (*Sight)(v)
	s.owner.Lock.Lock()
	defer s.owner.Lock.Unlock()
	in := s.insight
	if in == nil {
		return m
	}
	m.TaskMeasurements, m.Reasons, m.Unexplained = in.All.TaskMeasurements, in.Reasons, in.Unexplained
	counts := s.owner.Counts
	m.Failures, m.Skipped, m.Expired = counts.Failures, counts.Skipped, counts.Expired
	for _, name := range slices.Sorted(maps.Keys(in.Kinds)) {
		m.Tasks = append(m.Tasks, in.Kinds[name].TaskMeasurements)
	}
	return m
}

// History implements [insight.View].
func (v *view) History() insight.History {
	s := (*Sight)(v)
	s.owner.Lock.Lock()
	defer s.owner.Lock.Unlock()
	h := s.past.shown(s.owner.Clock)
	if s.past != nil {
		h.Kept, h.Troubles = true, s.troublesLocked()
	}
	return h
}

// Health implements [insight.View].
func (v *view) Health() insight.Health {
	s := (*Sight)(v)
	s.owner.Lock.Lock()
	defer s.owner.Lock.Unlock()
	h, _ := s.healthLocked()
	return h
}

// DistributionsLocked returns how late runs have begun and how long they have taken; nil if they
// are not measured. The lock is held.
func (s *Sight) DistributionsLocked() (late, took *insight.Distribution) {
	if s.insight == nil {
		return nil, nil
	}
	return s.insight.All.Late.Distribution(), s.insight.All.Took.Distribution()
}
