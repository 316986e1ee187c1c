package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/pprof"
	"time"

	common "github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
)

// Kind says how a cycle has ended.
type Kind uint8

const (
	// Succeeded means that the task returned nil in time. The delay is the interval again.
	Succeeded Kind = iota
	// TimedOut means that the run did not end, or did not even begin, in time. The delay grows.
	TimedOut
	// Failed means that the task returned an error, executor.ErrSkipped too, panicked, or called
	// runtime.Goexit. [FailurePolicy] says what that does to the delay.
	Failed
	// Rejected means that the pool refused the run or dropped it. The delay grows.
	Rejected
	// Capped means that no run was started because too many are unfinished; see [MaxUnfinished].
	// The delay grows.
	Capped

	kinds = iota
)

// String returns the kind in lower case: succeeded, timed out, failed, rejected or capped.
func (k Kind) String() string {
	names := [kinds]string{"succeeded", "timed out", "failed", "rejected", "capped"}
	if int(k) >= len(names) {
		return fmt.Sprintf("kind(%d)", k)
	}
	return names[k]
}

// Outcome describes how one cycle has ended.
type Outcome struct {
	Name string // of the supervisor
	Kind Kind

	// Err is nil for Succeeded and Capped, and [future.ErrTimeout] for TimedOut. For Failed it is
	// the error of the run's future, for Rejected the error of the pool.
	Err error

	Number     uint64        // of the cycle, from 1
	Started    time.Time     // when it began
	Took       time.Duration // until it ended
	Delay      time.Duration // before the next cycle, without jitter; a Trigger overrides it
	Unfinished int           // runs that have exceeded their timeout and go on, this one included
}

// call is a callback that is due.
type call struct {
	name string
	f    func(Outcome)
	Outcome
}

// report queues the callbacks for o, and starts the goroutine that makes them if there is none. The
// lock is held.
func (s *Supervisor) report(o Outcome) {
	if o.Kind == Capped {
		s.calls = append(s.calls, calls("AfterCapped", s.afterCapped, o)...)
	}
	s.calls = append(s.calls, calls("AfterCycle", s.afterCycle, o)...)
	if len(s.calls) > 0 && !s.calling {
		s.calling = true
		go s.callAll()
	}
}

// calls returns the calls of the callbacks of one kind.
func calls(name string, callbacks []func(Outcome), o Outcome) (cs []call) {
	for _, f := range callbacks {
		cs = append(cs, call{name, f, o})
	}
	return cs
}

// callAll makes the queued calls one after another. If a callback calls Goexit, another goroutine
// goes on.
func (s *Supervisor) callAll() {
	cutShort := true
	defer func() {
		if cutShort {
			go s.callAll()
		}
	}()
	for c, ok := s.nextCall(); ok; c, ok = s.nextCall() {
		s.guard(c)
	}
	cutShort = false
}

// nextCall takes the next call from the queue. If there is none, the goroutine has to end.
func (s *Supervisor) nextCall() (c call, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		s.calls, s.calling = nil, false
		return c, false
	}
	c = s.calls[0]
	// The slice moves on over the same array, which must not keep the callback alive.
	s.calls[0] = call{}
	s.calls = s.calls[1:]
	return c, true
}

// guard makes one call. It first removes the pprof labels that the goroutine has inherited from a
// run, or that the last callback has left. A panic is reported.
func (s *Supervisor) guard(c call) {
	pprof.SetGoroutineLabels(context.Background())
	// Reported in a deferred call, as the callback may call Goexit.
	var err error
	defer func() {
		if err != nil {
			s.reportFailure(c, err)
		}
	}()
	future.Invoke(context.Background(), func(context.Context) error {
		c.f(c.Outcome)
		return nil
	}, &err)
}

// callbackError is the failure of a callback.
type callbackError struct {
	callback string
	err      error
}

func (e *callbackError) Error() string {
	return fmt.Sprintf("supervisor: %s callback: %v", e.callback, e.err)
}

func (e *callbackError) Unwrap() error { return e.err }

// reportFailure tells the error handlers that a callback has failed; without one, it logs that.
func (s *Supervisor) reportFailure(c call, err error) {
	if s.shared.OnError == nil {
		s.logFailure(c, err)
		return
	}
	about := common.Info{
		Name: s.shared.Name, Number: c.Number, Scheduled: c.Started, Started: c.Started,
	}
	s.shared.Tell(about, &callbackError{c.name, err}, func(inHandler error) {
		s.logFailure(call{name: "error handler", Outcome: c.Outcome}, inHandler)
	})
}

// logFailure logs that a callback has failed. A panic of the log handler, which is the user's, is
// dropped.
func (s *Supervisor) logFailure(c call, err error) {
	defer func() { _ = recover() }()
	attrs := []slog.Attr{
		slog.String("supervisor", s.shared.Name),
		slog.String("callback", c.name),
		slog.Uint64("cycle", c.Number),
		slog.Any("error", err),
	}
	if p, ok := err.(*future.PanicError); ok {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	l := s.shared.Logger
	if l == nil {
		l = slog.Default()
	}
	l.LogAttrs(context.Background(), slog.LevelError, "supervisor: callback failed", attrs...)
}
