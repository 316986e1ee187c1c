package pairs

import (
	"context"
	"sync"

	"github.com/punctual-go/punctual/executor/state"
)

// shelf is where the last run of one series is kept.
type shelf struct {
	*life
	*use
	name   string
	nextIn bool // the task may ask for its next run

	mu  sync.Mutex // a leaf
	run state.Run
}

func (s *shelf) Last(context.Context, string) (state.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run, nil
}

func (s *shelf) Record(_ context.Context, name string, r state.Run) error {
	s.mu.Lock()
	same := s.nextIn && r.Slot.Equal(s.run.Slot) // a run that NextIn asks for at once
	if !same && !r.Slot.After(s.run.Slot) && !r.Began.After(s.run.Began) {
		s.found.wrong("%v: the run for %v is recorded after that for %v", name, r.Slot, s.run.Slot)
	}
	s.run = r
	s.mu.Unlock()
	s.called(s.Feature, s.name)
	return nil
}

func (s *shelf) Forget(context.Context, string) error { return nil }
