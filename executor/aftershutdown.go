package executor

import "github.com/punctual-go/punctual/executor/internal/run"

// AfterShutdown has f called once the pool is shut down, by whatever method: from then on it refuses
// tasks, while some of those it has accepted may run still; [Pool.Terminated] tells when the last has
// ended. If the pool is shut down already, f is called now. Each f has a goroutine of its own, for
// which nobody waits, and which may call the pool; a panic in it is reported as one of a hook is. It
// panics if f is nil.
//
// Stop withdraws f, and reports whether f will not be called: false once it is about to be, or was
// withdrawn before. A pool holds every f until then, as it does those that it will call.
func (p *Pool) AfterShutdown(f func()) (stop func() bool) {
	if f == nil {
		panic("executor: nil function")
	}
	return run.After(p.closing, func() {
		p.unlabel() // it has started with those of whoever shuts the pool down
		f()
	}, func(err error) { p.report(Run{}, &hookError{"after-shutdown", err}) })
}

// AfterShutdown is that of the pool: a Serial is shut down when its pool is.
func (s *Serial) AfterShutdown(f func()) (stop func() bool) { return s.pool.AfterShutdown(f) }
