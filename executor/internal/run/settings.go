package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/internal/series"
)

// Settings holds what the options of package executor set alike for pools, event loops and
// supervisors.
type Settings struct {
	Name    string
	Base    context.Context // nil for context.Background
	Logger  *slog.Logger    // nil for slog.Default
	OnError Hooks[Handler]
	Slack   *time.Duration // nil for the default, see SlackOr

	Defaults *series.Options // what a task has before its own options; nil for nothing

	Watch any // what is to be watched, for package sight; nil for nothing that costs anything
}

// usualSlack is the slack of those who have not said what they want. A wake-up takes some
// microseconds of a processor, up to thirty on a virtual machine, whoever is woken; with one in
// fifty microseconds at most, that stays a part of a processor however dense the times are. It is
// also what Linux allows for the sleeps of a thread, so what people are used to from the JDK.
const usualSlack = 50 * time.Microsecond

// SlackOr returns the slack to keep. In virtual time a wake-up costs nothing.
func (s *Settings) SlackOr(virtual bool) time.Duration {
	switch {
	case s.Slack != nil:
		return *s.Slack
	case virtual:
		return 0
	}
	return usualSlack
}

// Tell calls the error handlers one after another, each with the base context. If one panics or
// calls Goexit, Tell calls failed with that; after Goexit the goroutine ends once all have been
// called.
func (s *Settings) Tell(info Info, err error, failed func(error)) {
	ctx := s.Base
	if ctx == nil {
		ctx = context.Background()
	}
	s.OnError.Each(func(handle Handler) {
		Callback(func() { handle(ctx, info, err) }, failed)
	})
}

// Option is an option of pools and event loops.
type Option interface{ Apply(*Settings) }

// CommonOption is an option of pools, of event loops and, if it says so, of supervisors.
type CommonOption interface {
	Option
	ForSupervisor() bool
}

// Info identifies one run of a task. It is executor.Run, field by field.
type Info struct {
	Name      string
	Number    uint64
	Scheduled time.Time
	Started   time.Time
	Missed    uint64
	Attempt   uint64
	Triggered bool
	Periodic  bool
}

// Handler is an error handler.
type Handler = func(ctx context.Context, run Info, err error)

// Hooks are functions of one kind, in the order in which they are called; nil if there are none.
type Hooks[F any] []F

// Each passes the functions to call, one after another. If one calls Goexit, or call lets a panic
// through, the rest are called before that goes on.
func (hs Hooks[F]) Each(call func(F)) {
	for len(hs) > 1 {
		first := hs[0]
		hs = hs[1:]
		hs.callFirst(first, call)
	}
	// The last one, which is nearly always the only one, needs no deferred call.
	if len(hs) == 1 {
		call(hs[0])
	}
}

// callFirst passes first to call and, if that does not return, the others as well.
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
