package driver

import (
	"runtime/debug"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// idle has tasks wait that are far away, and keeps quiet: who looks at the process from outside
// sees what that costs. To warm up, it need not wait.
func idle(w work) (workload.Figures, error) {
	s := w.open()
	kept, err := w.fill(s, make([]stopper, w.count("n")), workload.NewRandom(), time.Hour, 2*time.Hour)
	defer func() { s.shutdown(kept) }()
	if err != nil || w.quiet == nil {
		return nil, err
	}
	debug.FreeOSMemory() // or the runtime would do that, little by little
	if err := w.sleep(w.millis("settle_ms")); err != nil {
		return nil, err
	}
	w.quiet()
	return workload.Figures{}, w.sleep(w.millis("for_ms"))
}
