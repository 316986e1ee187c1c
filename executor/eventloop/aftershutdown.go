package eventloop

import (
	"runtime/pprof"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// AfterShutdown has f called once the loop refuses tasks; a loop that is shut down gracefully does so
// when it has been quiet. All else is as [executor.Pool.AfterShutdown] says: f has a goroutine of its
// own, not that of the loop.
func (l *Loop) AfterShutdown(f func()) (stop func() bool) {
	if f == nil {
		panic("eventloop: nil function")
	}
	return run.After(l.closing, func() {
		pprof.SetGoroutineLabels(l.labels) // it has started with those of whoever shuts the loop down
		f()
	}, func(err error) { l.runs.Report(run.Info{}, err) })
}
