package wheeltest

import (
	"slices"
	"sync"
	"testing/synctest"
	"time"
)

// Journal notes when functions begin. It is made in a bubble, and its times count from then.
type Journal struct {
	epoch time.Time

	mu    sync.Mutex
	names []string
	times []time.Duration
}

// At is a line of a journal: the function with the given name began at the given time.
func At(name string, at time.Duration) string { return name + " at " + at.String() }

// NewJournal returns an empty journal.
func NewJournal() *Journal { return &Journal{epoch: time.Now()} }

// Now returns how long ago the journal was made.
func (j *Journal) Now() time.Duration { return time.Since(j.epoch) }

// Func returns a function that notes its begin.
func (j *Journal) Func(name string) func() {
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.names, j.times = append(j.names, name), append(j.times, j.Now())
	}
}

// Names waits until the bubble is quiet and returns the names of what has begun, in order.
func (j *Journal) Names() []string {
	synctest.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.names)
}

// Lines is Names with the times, as [At] writes them.
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

// Inline is an executor that calls functions itself.
func Inline(f func()) error {
	f()
	return nil
}

// Shelf is an executor that keeps functions until it is cleared.
type Shelf struct {
	mu   sync.Mutex
	held []func()
}

// Execute keeps f.
func (s *Shelf) Execute(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, f)
	return nil
}

// Clear calls what is held, in order, and returns how many there were.
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
