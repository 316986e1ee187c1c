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

// HandOver has two partners hand over so many tasks each, and returns how many each has cancelled.
func HandOver(n, m int) (here, there int) {
	out, back := newLane(), newLane()
	couriers := []*courier{{out: out, in: back}, {out: back, in: out}}
	_, wait := together(2, func(i int) {
		c := couriers[i]
		for range []int{n, m}[i] {
			c.hand(weightless{})
		}
		c.end()
		c.empty()
	})
	wait()
	return couriers[0].cancelled, couriers[1].cancelled
}

// weightless is a task that costs nothing.
type weightless struct{}

func (weightless) Stop() bool { return true }
