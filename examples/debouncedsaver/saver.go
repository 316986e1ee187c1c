package main

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Saver saves a document some time after the last of many changes, and at the latest some time after
// the first that is not saved yet.
type Saver struct {
	save   func(context.Context) error
	quiet  time.Duration // after the last change
	latest time.Duration // after the first
	pool   *executor.ScheduledPool

	mu      sync.Mutex
	pending *executor.ScheduledFuture[struct{}]
	first   time.Time // change that no save has begun for
	unsaved bool
}

// NewSaver makes a saver. Saves do not overlap. Close it to save what is left.
func NewSaver(save func(context.Context) error, quiet, latest time.Duration) *Saver {
	return &Saver{save: save, quiet: quiet, latest: latest,
		pool: executor.NewSingleScheduledPool(executor.Name("saver"))}
}

// Changed tells that the document has changed.
func (s *Saver) Changed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unsaved {
		s.unsaved, s.first = true, time.Now()
	}
	wait := min(s.quiet, time.Until(s.first.Add(s.latest)))
	if s.pending != nil && s.pending.Reset(wait) {
		return nil
	}
	var err error // there is none, or it has begun: the next one is another
	s.pending, err = s.pool.Schedule(wait, s.run, executor.Name("save"),
		executor.Retry(10, executor.Backoff{Base: time.Second, Max: time.Minute}))
	return err
}

// run saves what has changed until now.
func (s *Saver) run(ctx context.Context) error {
	s.mu.Lock()
	s.unsaved = false
	s.mu.Unlock()
	return s.save(ctx)
}

// Close saves at once what is not saved, and waits for it.
func (s *Saver) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.unsaved && s.pending != nil {
		s.pending.Reset(0)
	}
	last := s.pending
	s.mu.Unlock()
	defer s.pool.Close()
	if last == nil {
		return nil
	}
	_, err := last.Get(ctx)
	return err
}
