package driver

import (
	"runtime"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// shutdown ends a system in which tasks wait.
func shutdown(w work) (workload.Figures, error) {
	s := w.open()
	kept, err := w.fill(s, make([]stopper, w.count("n")), workload.NewRandom(), time.Hour, 2*time.Hour)
	if err != nil {
		s.shutdown(kept)
		return nil, err
	}
	runtime.GC()
	m := startMeter()
	s.shutdown(kept)
	taken := m.per(1)
	const ms = float64(time.Millisecond)
	return workload.Figures{"ms": taken["ns"] / ms, "cpu_ms": taken["cpu_ns"] / ms}, nil
}
