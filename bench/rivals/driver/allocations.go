package driver

import (
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// Tasks are run in batches, and series side by side: one after another would take ticks without
// end.
const (
	inBatch   = 1000
	sideBy    = 100
	sidePause = time.Millisecond
)

// allocations counts what a task allocates, without the collector in between.
func allocations(w work) (workload.Figures, error) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	figures := workload.Figures{}
	if w.can&schedules != 0 {
		s := w.open()
		figures["cancelled"] = w.ofCancelled(s)
		run, err := w.ofRun(s)
		s.shutdown(nil)
		if err != nil {
			return nil, err
		}
		figures["run"] = run
	}
	if w.can&repeats != 0 {
		s := w.open()
		periodic, err := w.ofPeriodic(s)
		s.shutdown(nil)
		if err != nil {
			return nil, err
		}
		figures["periodic"] = periodic
	}
	return figures, nil
}

// ofCancelled schedules tasks in an hour and cancels them.
func (w work) ofCancelled(s session) float64 {
	n, arm := w.count("n"), s.after(nothing)
	pairs := func(n int) {
		for range n {
			arm(time.Hour).Stop()
		}
	}
	pairs(inBatch)
	before := mallocs()
	pairs(n)
	return tenths(mallocs()-before, n)
}

// ofRun schedules tasks at once and lets them run.
func (w work) ofRun(s session) (float64, error) {
	n := w.count("n")
	over := make(chan struct{}, inBatch)
	arm := s.after(func() { over <- struct{}{} })
	runs := func(n int) error {
		for left := n; left > 0; left -= inBatch {
			batch := min(left, inBatch)
			for range batch {
				arm(0)
			}
			for range batch {
				select {
				case <-over:
				case <-w.Done():
					return lost{int64(left), patience}
				}
			}
		}
		return nil
	}
	if err := runs(2 * inBatch); err != nil {
		return 0, err
	}
	before := mallocs()
	if err := runs(n); err != nil {
		return 0, err
	}
	return tenths(mallocs()-before, n), nil
}

// ofPeriodic lets series run side by side.
func (w work) ofPeriodic(s session) (float64, error) {
	n := w.count("n")
	first, measured := newCountdown(2*inBatch), newCountdown(0)
	task := func() {
		first.done()
		measured.done()
	}
	for i := range sideBy {
		s.every(sidePause*time.Duration(i)/sideBy, sidePause, task)
	}
	s.run()
	if err := first.wait(w); err != nil {
		return 0, err
	}
	before, begun := mallocs(), first.left.Load()
	measured.left.Store(int64(n))
	if err := measured.wait(w); err != nil {
		return 0, err
	}
	after, ended := mallocs(), first.left.Load()
	return tenths(after-before, int(begun-ended)), nil
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// tenths returns allocations per task, rounded: queues that grow, and the runtime, allocate a few.
func tenths(allocations uint64, tasks int) float64 {
	return math.Round(10*float64(allocations)/float64(tasks)) / 10
}
