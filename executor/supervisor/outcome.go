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

// Kind is how a cycle has ended.
type Kind uint8

const (
	// Succeeded: the task has returned nil in time. The delay is the interval again.
	Succeeded Kind = iota
	// TimedOut: the run has not ended, or not even begun, in time. The delay grows.
	TimedOut
	// Failed: the task has returned an error, panicked, or ended its goroutine. [OnFailure] says what
	// that does to the delay.
	Failed
	// Rejected: the pool has refused the run, or dropped it. The delay grows.
	Rejected
	// Capped: no run was started, as too many are unfinished; see [MaxUnfinished]. The delay grows.
	Capped

	kinds = iota
)

// String returns the name of the kind: succeeded, timed out, failed, rejected or capped.
func (k Kind) String() string {
	names := [kinds]string{"succeeded", "timed out", "failed", "rejected", "capped"}
	if int(k) >= len(names) {
		return fmt.Sprintf("kind(%d)", k)
	}
	return names[k]
}

// Outcome tells how one cycle has ended.
type Outcome struct {
	Name string // of the supervisor
	Kind Kind

	// Err is nil for Succeeded and Capped, [future.ErrTimeout] for TimedOut, what the task has failed
	// with as its future tells it, or the error of the pool.
	Err error

	Number     uint64        // of the cycle, from 1
	Started    time.Time     // when it began
	Took       time.Duration // until it ended
	Delay      time.Duration // before the next, without jitter, unless there is a Trigger
	Unfinished int           // runs that have outlived their time-out, this one included
}

// call is a callback to be made.
type call struct {
	name string
	f    func(Outcome)
	Outcome
}

// report has the callbacks told of o. The lock is held.
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

// calls returns those of the callbacks of one kind.
func calls(name string, callbacks []func(Outcome), o Outcome) (cs []call) {
	for _, f := range callbacks {
		cs = append(cs, call{name, f, o})
	}
	return cs
}

// callAll makes the calls there are, one after another. If one ends the goroutine, another goes on.
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

// nextCall takes the next call to make, or ends the calling.
func (s *Supervisor) nextCall() (c call, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		s.calls, s.calling = nil, false
		return c, false
	}
	c = s.calls[0]
	s.calls[0] = call{}
	s.calls = s.calls[1:]
	return c, true
}

// guard makes a call, without the pprof labels of the run it is about, or of the call before. A
// panic in it harms nobody and is reported.
func (s *Supervisor) guard(c call) {
	pprof.SetGoroutineLabels(context.Background())
	var err error
	defer func() {
		if err != nil {
			s.reportFailure(c, err)
		}
	}()
	future.Invoke(context.Background(), func(context.Context) error { c.f(c.Outcome); return nil }, &err)
}

// callbackError is a failure of a callback.
type callbackError struct {
	callback string
	err      error
}

func (e *callbackError) Error() string {
	return fmt.Sprintf("supervisor: %s callback: %v", e.callback, e.err)
}

func (e *callbackError) Unwrap() error { return e.err }

// reportFailure tells the error handlers that a callback has failed, or the log if there are none.
func (s *Supervisor) reportFailure(c call, err error) {
	if s.shared.OnError == nil {
		s.logFailure(c, err)
		return
	}
	about := common.Info{Name: s.shared.Name, Number: c.Number, Scheduled: c.Started, Started: c.Started}
	s.shared.Tell(about, &callbackError{c.name, err}, func(inHandler error) {
		s.logFailure(call{name: "error handler", Outcome: c.Outcome}, inHandler)
	})
}

// logFailure logs that a callback has failed. The handler of the log, which is the user's, can do no
// harm by a panic.
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
