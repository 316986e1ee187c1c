package executor

import "github.com/punctual-go/punctual/executor/internal/run"

// AfterShutdown arranges for f to be called once the pool is shut down, by whatever method; if it
// already is, f is called now. By then the pool refuses tasks, but some that it has accepted may
// still be running: [Pool.Terminated] tells when the last has ended. f runs on a goroutine of its
// own, for which the pool does not wait, and may call the pool. If it panics, that is reported like
// the panic of a hook. AfterShutdown panics if f is nil.
//
// Calling stop withdraws f. It reports whether f will not be called because of that: false if f is
// about to be called, has been called, or was withdrawn before. The pool holds on to f until it is
// called or withdrawn.
func (p *Pool) AfterShutdown(f func()) (stop func() bool) {
	if f == nil {
		panic("executor: nil function")
	}
	return run.After(p.closing, func() {
		p.unlabel() // a new goroutine has the labels of the one that started it
		f()
	}, func(err error) { p.runs.HookFailed(run.Info{}, "after-shutdown", err) })
}

// AfterShutdown is [Pool.AfterShutdown] of the pool, with which a Serial is shut down.
func (s *Serial) AfterShutdown(f func()) (stop func() bool) { return s.pool.AfterShutdown(f) }
