package series

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Moment is one moment on two clocks: that of the owner, and that on the wall.
type Moment struct {
	Now  int64
	Wall time.Time
}

// On returns when, by the owner's clock, the wall clock will show a time, if nobody sets it. It may
// have shown it before the owner's clock began.
func (m Moment) On(t time.Time) int64 {
	switch d := t.Sub(m.Wall); {
	case d >= 0:
		return clock.Later(m.Now, d)
	default:
		return max(m.Now+int64(d), earliest)
	}
}

const (
	// earliest is before all times of a clock, and far from the limits of numbers.
	earliest = -clock.Never / 2

	// firstDue is the earliest time that a task may be due. A slot may lie before, by the wall
	// clock.
	firstDue int64 = 1
)

// Shows returns what the wall clock shows at a time of the owner's.
func (m Moment) Shows(t int64) time.Time { return m.Wall.Add(time.Duration(t - m.Now)) }
