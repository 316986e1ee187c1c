package driver

import (
	"runtime"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// cancelled schedules tasks, cancels most of them, and waits until the others have run.
func cancelled(w work) (workload.Figures, error) {
	n, lead := w.count("n"), w.millis("lead_ms")
	random := workload.NewRandom()
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = lead + time.Duration(random.Below(int64(lead)))
	}
	chosen, kept := make([]bool, n), 0
	for i := range chosen {
		chosen[i] = random.Below(1000) < w.sizes["permille"]
		if !chosen[i] {
			kept++
		}
	}
	s := w.open()
	scheduled := make([]stopper, n)
	defer func() { s.shutdown(scheduled) }()
	runs := newCountdown(kept)
	keep, drop := s.after(runs.done), s.after(nothing) // which a slow system may run before it is cancelled
	runtime.GC()
	before := processorTime()
	for i, d := range delays {
		if chosen[i] {
			scheduled[i] = drop(d)
		} else {
			scheduled[i] = keep(d)
		}
	}
	for i, t := range scheduled {
		if chosen[i] {
			t.Stop()
		}
	}
	if kept > 0 {
		if err := runs.wait(w); err != nil {
			return nil, err
		}
	}
	used := processorTime() - before
	return workload.Figures{"cpu_ns": float64(used) / float64(n)}, nil
}
