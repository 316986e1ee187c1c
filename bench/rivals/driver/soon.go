package driver

import (
	"runtime"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// soon schedules tasks that are due while others are still being scheduled.
func soon(w work) (workload.Figures, error) {
	n := w.count("n")
	s := w.open()
	defer s.shutdown(nil) // all have run
	random := workload.NewRandom()
	runs := newCountdown(n)
	arm := s.after(runs.done)
	runtime.GC()
	m := startMeter()
	for range n {
		arm(time.Duration(random.Below(int64(time.Millisecond))))
	}
	if err := runs.wait(w); err != nil {
		return nil, err
	}
	return m.until(runs.end, n), nil
}

// due schedules tasks that are due all at once.
func due(w work) (workload.Figures, error) {
	n := w.count("n")
	s := w.open()
	kept := make([]stopper, 0, n)
	defer func() { s.shutdown(kept) }()
	runs := newCountdown(n)
	arm := s.after(runs.done)
	runtime.GC()
	at := time.Now().Add(w.millis("lead_ms"))
	for range n {
		d := time.Until(at)
		if d <= 0 {
			return nil, errTooLate
		}
		kept = append(kept, arm(d))
	}
	m := startMeter() // of the processors: until the instant there is nothing to do
	if time.Until(at) <= 0 {
		return nil, errTooLate
	}
	if err := runs.wait(w); err != nil {
		return nil, err
	}
	m.begin = at
	return m.until(runs.end, n), nil
}
