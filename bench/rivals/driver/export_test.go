package driver

import (
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// Check returns an error if the sizes are not those of the kind, and whether there is one.
func Check(name string, sizes workload.Params) (err error, there bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k.check(sizes), true
		}
	}
	return nil, false
}

// Lateness returns the figures of one task that starts at the given times after its first, of which
// those count that are planned from begin to end.
func Lateness(period, begin, end time.Duration, drops bool, starts ...time.Duration) (workload.Figures, error) {
	first := time.Now()
	w := &window{begin: first.Add(begin), end: first.Add(end), lates: make([]atomic.Int64, 100)}
	w.open.Store(true)
	b := beat{first: first, period: period, drops: drops, window: w}
	for _, start := range starts {
		b.startAt(first.Add(start))
	}
	b.close()
	return w.figures()
}
