package main

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/stat"
)

// lateness is how long after its time a function begins, in an otherwise idle process.
type lateness struct{ p50, p99 time.Duration }

// late lets timers expire one by one over a second. Which function belongs to which timer is not
// asked: the first to begin is taken for the one due first.
func late(f facility) lateness {
	const n, span = 200, time.Second
	var mu sync.Mutex
	var begun []time.Time
	var all sync.WaitGroup
	all.Add(n)
	s := f.start(func() {
		now := time.Now()
		mu.Lock()
		begun = append(begun, now)
		mu.Unlock()
		all.Done()
	})
	defer s.close()
	runtime.GC() // not in the middle
	var due []time.Time
	for _, d := range delays(n) {
		d = 50*time.Millisecond + d*span/latest
		due = append(due, time.Now().Add(d))
		s.arm(time.Until(due[len(due)-1]))
	}
	all.Wait()
	slices.SortFunc(due, time.Time.Compare)
	slices.SortFunc(begun, time.Time.Compare)
	lates := make([]float64, n)
	for i := range lates {
		lates[i] = float64(begun[i].Sub(due[i]))
	}
	slices.Sort(lates)
	at := func(p float64) time.Duration {
		return time.Duration(stat.Quantile(p, stat.Empirical, lates, nil))
	}
	return lateness{at(0.50), at(0.99)}
}
