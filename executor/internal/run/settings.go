package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/future"
)

// Settings are what pools, event loops and supervisors are told alike, by the options of package
// executor.
type Settings struct {
	Name    string
	Base    context.Context // nil for context.Background
	Logger  *slog.Logger    // nil for slog.Default
	OnError Hooks[Handler]
}

// Tell tells the error handlers of a failure, each with the base context. What one of them panics
// with is told to failed. One that calls Goexit ends the goroutine, once all have been told.
func (s *Settings) Tell(info Info, err error, failed func(error)) {
	ctx := s.Base
	if ctx == nil {
		ctx = context.Background()
	}
	s.OnError.Each(func(handle Handler) {
		var inHandler error
		future.Invoke(ctx, func(ctx context.Context) error {
			handle(ctx, info, err)
			return nil
		}, &inHandler)
		if inHandler != nil {
			failed(inHandler)
		}
	})
}

// Option is one that pools and event loops take.
type Option interface{ Apply(*Settings) }

// CommonOption is one that supervisors take as well.
type CommonOption interface {
	Option
	ForSupervisor()
}

// Info tells one run of a task from the others: it is executor.Run, field by field.
type Info struct {
	Name      string
	Number    uint64
	Scheduled time.Time
	Started   time.Time
	Missed    uint64
}

// Handler is an error handler.
type Handler = func(ctx context.Context, run Info, err error)

// Hooks are functions of one kind, in the order in which they are to be called; nil if there are
// none.
type Hooks[F any] []F

// Each passes them to call, one after another. If one ends the goroutine by runtime.Goexit, or call
// lets a panic through, those that are left have their turn before that goes on.
func (hs Hooks[F]) Each(call func(F)) {
	for len(hs) > 1 {
		first := hs[0]
		hs = hs[1:]
		hs.callFirst(first, call)
	}
	if len(hs) == 1 {
		call(hs[0])
	}
}

// callFirst passes first to call, and if that does not return, all others too.
func (hs Hooks[F]) callFirst(first F, call func(F)) {
	returned := false
	defer func() {
		if !returned {
			hs.Each(call)
		}
	}()
	call(first)
	returned = true
}
