package eventloop

import (
	"runtime/pprof"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// AfterShutdown calls f once the loop refuses tasks. A loop that is shut down gracefully does so at
// the end of its quiet period. The call is made on a goroutine of its own, not on the loop; see
// [executor.Pool.AfterShutdown] for the rest. AfterShutdown panics if f is nil.
func (l *Loop) AfterShutdown(f func()) (stop func() bool) {
	if f == nil {
		panic("eventloop: nil function")
	}
	return run.After(l.life.closing, func() {
		// The goroutine has started with the labels of whoever shut the loop down.
		pprof.SetGoroutineLabels(l.worker.labels)
		f()
	}, func(err error) { l.runs.HookFailed(run.Info{}, "after-shutdown", err) })
}
