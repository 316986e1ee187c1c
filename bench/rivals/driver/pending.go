package driver

import (
	"runtime"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// pending finds out how much memory a task takes that is far away, with all that the system gives
// for it.
func pending(w work) (workload.Figures, error) {
	n := w.count("n")
	s := w.open()
	kept := make([]stopper, n)
	defer func() { s.shutdown(kept) }()
	before := memory()
	if _, err := w.fill(s, kept, workload.NewRandom(), time.Hour, 2*time.Hour); err != nil {
		return nil, err
	}
	after := memory()
	grown := float64(after.HeapAlloc+after.StackInuse) - float64(before.HeapAlloc+before.StackInuse)
	return workload.Figures{
		"bytes":  max(0, grown) / float64(n),
		"allocs": float64(after.Mallocs-before.Mallocs) / float64(n),
	}, nil
}

// memory returns what is in use after a collection, the second of which has seen what the first has
// found to be finished.
func memory() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}
