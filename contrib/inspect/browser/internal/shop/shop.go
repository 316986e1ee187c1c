// Package shop is a small service that has a bad day: one job panics, one hangs, two fail, one
// can't keep up with its period, the imports hang with all of their workers, and mails get lost as
// there is no room for them.
package shop

import (
	"log/slog"
	"sync"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/runlog"
)

// Shop is the service.
type Shop struct {
	Jobs    *executor.ScheduledPool // most of what it does
	Imports *executor.ScheduledPool // two workers, and both hang
	Mail    *executor.Pool          // its queue is full
	Runs    *runlog.Log

	log  *slog.Logger
	held chan struct{} // closed by Close: what hangs goes on
	once sync.Once
}

// Open starts the service, of a version in which cards can be charged or not.
func Open(cardsFail bool) (*Shop, error) {
	runs := runlog.New(runlog.Config{})
	quiet := slog.New(slog.DiscardHandler)
	options := func(name string, more ...executor.Option) []executor.Option {
		return append(more, executor.Name(name), executor.Logger(quiet),
			executor.Watch(insight.Config{History: true}), executor.Observe(runs.Observer()))
	}
	s := &Shop{
		Jobs:    executor.NewScheduledPool(8, options("jobs")...),
		Imports: executor.NewScheduledPool(2, options("imports")...),
		Mail:    executor.NewPool(1, options("mail", executor.Queue(queue.Bounded(2)))...),
		Runs:    runs,
		log:     slog.New(runlog.Handler(slog.DiscardHandler)),
		held:    make(chan struct{}),
	}
	if err := s.start(cardsFail); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close lets go what hangs, and ends the service.
func (s *Shop) Close() {
	s.once.Do(func() { close(s.held) })
	_, _, _ = s.Jobs.Close(), s.Imports.Close(), s.Mail.Close()
}
