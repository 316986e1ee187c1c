package timertest

import (
	"fmt"
	"math"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// room is a facility with a limit, whose room for more functions is measured by filling it.
type room struct {
	timer.Scheduler
	c *trial
}

// room returns a new facility with the limit of cfg, which is stopped at the end of the bubble.
func (c *trial) room(cfg timer.Config) room { return room{c.make(cfg), c} }

// fill arms n functions due in d, which must be accepted, and then some more, which must not.
func (r room) fill(n int, d time.Duration, when string) []*probe {
	probes := r.accepted(n, d, when)
	r.full(when)
	return probes
}

// accepted arms n functions due in d, which must be accepted.
func (r room) accepted(n int, d time.Duration, when string) []*probe {
	var probes []*probe
	for i := range n {
		p := r.c.arm(r, d)
		if err := p.err(); err != nil {
			r.c.errorf("%s: function %d of %d is refused: %v", when, i+1, n, err)
		}
		probes = append(probes, p)
	}
	return probes
}

// full demands that the facility refuses what is armed now.
func (r room) full(when string) {
	for _, d := range []time.Duration{0, time.Second, math.MaxInt64} {
		what := fmt.Sprintf("%s: armed with %v beyond the limit", when, d)
		r.c.arm(r, d).refused(what, timer.ErrSaturated)
	}
}
