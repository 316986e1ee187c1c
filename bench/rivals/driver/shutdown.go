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
	begin := time.Now()
	s.shutdown(kept)
	return workload.Figures{"ms": float64(time.Since(begin)) / float64(time.Millisecond)}, nil
}
