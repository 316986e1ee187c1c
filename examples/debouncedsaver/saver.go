package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// Saver saves a document some time after the last of many changes, and at the latest some time
// after the first that is not saved yet.
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
		pool: executor.NewScheduledPool(1, executor.Confined(), executor.Name("saver"))}
}

// Changed tells that the document has changed.
func (s *Saver) Changed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unsaved {
		s.unsaved, s.first = true, time.Now()
	}
	return s.saveWithin(min(s.quiet, time.Until(s.first.Add(s.latest))))
}

// saveWithin plans a save, or moves the one that is planned. The lock is held.
func (s *Saver) saveWithin(wait time.Duration) (err error) {
	if s.pending != nil && s.pending.Reset(wait) {
		return nil
	}
	// There is none, or it has begun, and may be waiting for another attempt.
	s.pending, err = s.pool.Schedule(wait, s.run, executor.Name("save"),
		executor.Retry(10, retry.Backoff{Base: time.Second, Max: time.Minute}))
	return err
}

// run saves what has changed until now. A later save may have done so meanwhile.
func (s *Saver) run(ctx context.Context) error {
	s.mu.Lock()
	needed := s.unsaved
	s.unsaved = false
	s.mu.Unlock()
	if !needed {
		return nil
	}
	err := s.save(ctx)
	if err != nil {
		s.mu.Lock()
		s.unsaved = true // for the next attempt, or Close
		s.mu.Unlock()
		slog.Warn("not saved yet", "error", err) // nobody but Close looks at the future
	}
	return err
}

// Close saves at once what is not saved, and waits for it. It returns why that was not possible.
func (s *Saver) Close(ctx context.Context) error {
	defer s.pool.Close()
	last, err := s.lastSave()
	if last == nil || err != nil {
		return err
	}
	_, err = last.Get(ctx)
	return err
}

// lastSave is the last save that has been planned, or nil if there was none. It begins at once if
// anything is not saved.
func (s *Saver) lastSave() (*executor.ScheduledFuture[struct{}], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsaved {
		if err := s.saveWithin(0); err != nil {
			return nil, err
		}
	}
	return s.pending, nil
}
