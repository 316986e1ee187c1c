package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/debounce"
	"github.com/punctual-go/punctual/executor/retry"
)

// Saver saves a document some time after the last of many changes, and at the latest some time
// after the first that is not saved yet.
type Saver struct {
	save    func(context.Context) error
	pool    *executor.ScheduledPool
	saves   *debounce.Debouncer
	unsaved atomic.Bool
}

// NewSaver makes a saver. Saves do not overlap, and one that fails is tried again. Close it to save
// what is left.
func NewSaver(save func(context.Context) error, quiet, latest time.Duration) (*Saver, error) {
	s := &Saver{save: save,
		pool: executor.NewScheduledPool(1, executor.Confined(), executor.Name("saver"))}
	var err error
	s.saves, err = debounce.New(s.pool, debounce.Wait{Quiet: quiet, Most: latest}, s.run,
		executor.Name("save"), executor.Retry(10, retry.Backoff{Base: time.Second, Max: time.Minute}))
	return s, err
}

// Changed tells that the document has changed.
func (s *Saver) Changed() error {
	s.unsaved.Store(true)
	return s.saves.Call()
}

// run saves what has changed until now. An attempt at an earlier save may have done so meanwhile.
func (s *Saver) run(ctx context.Context) error {
	if !s.unsaved.Swap(false) {
		return nil
	}
	err := s.save(ctx)
	if err != nil {
		s.unsaved.Store(true) // for the next attempt, the next change, or Flush
		slog.Warn("not saved yet", "error", err)
	}
	return err
}

// Flush saves now what is not saved, and waits for it.
func (s *Saver) Flush(ctx context.Context) error {
	if s.unsaved.Load() { // the attempts of a save may all have failed
		if err := s.saves.Call(); err != nil {
			return err
		}
	}
	return s.saves.Flush(ctx)
}

// Close is Flush at the end. It returns why that was not possible.
func (s *Saver) Close(ctx context.Context) error {
	defer s.pool.Close()
	err := s.Flush(ctx)
	if closing := s.saves.Close(ctx); err == nil {
		err = closing
	}
	return err
}
