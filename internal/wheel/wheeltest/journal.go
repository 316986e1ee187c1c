package wheeltest

import (
	"slices"
	"sync"
	"testing/synctest"
	"time"
)

// Journal records when functions begin, counted from when it was made. It must be made in a bubble.
type Journal struct {
	epoch time.Time

	mu    sync.Mutex
	names []string
	times []time.Duration
}

// At returns the line of a journal for a function of the given name that began at the given time.
func At(name string, at time.Duration) string { return name + " at " + at.String() }

// NewJournal returns an empty journal.
func NewJournal() *Journal { return &Journal{epoch: time.Now()} }

// Now returns how long ago the journal was made.
func (j *Journal) Now() time.Duration { return time.Since(j.epoch) }

// Func returns a function that records when it begins.
func (j *Journal) Func(name string) func() {
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.names, j.times = append(j.names, name), append(j.times, j.Now())
	}
}

// Names waits until the bubble is at rest and returns the names of the functions begun, in order.
func (j *Journal) Names() []string {
	synctest.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.names)
}

// Lines is Names with the times, in the form of [At].
func (j *Journal) Lines() []string {
	lines := j.Names()
	for i, name := range lines {
		lines[i] = At(name, j.times[i])
	}
	return lines
}

// Sleep sleeps until d after the journal was made.
func (j *Journal) Sleep(d time.Duration) {
	time.Sleep(d - j.Now())
	synctest.Wait()
}

// Inline is an executor that calls functions before it returns.
func Inline(f func()) error {
	f()
	return nil
}

// Shelf is an executor that holds functions until Clear calls them.
type Shelf struct {
	mu   sync.Mutex
	held []func()
}

// Execute stores f.
func (s *Shelf) Execute(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, f)
	return nil
}

// Clear calls the functions held, in order, and returns how many there were.
func (s *Shelf) Clear() int {
	s.mu.Lock()
	held := s.held
	s.held = nil
	s.mu.Unlock()
	for _, f := range held {
		f()
	}
	return len(held)
}
