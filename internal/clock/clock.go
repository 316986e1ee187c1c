// Package clock is the time of one queue or pool: monotonic nanoseconds since it was made, in which
// comparing and adding is integer arithmetic that cannot wrap. It is bound to whatever clock its
// maker runs on, that of a testing/synctest bubble included.
package clock

import (
	"math"
	"time"
)

// Clock counts nanoseconds.
type Clock struct {
	epoch time.Time // its zero
}

// Never is the end of the clock, 292 years away.
const Never int64 = math.MaxInt64

// New returns a clock that shows the given time. One that starts above 0 has 0 to stand for "none".
func New(shows int64) Clock { return Clock{time.Now().Add(-time.Duration(shows))} }

// Now returns the present time.
func (c Clock) Now() int64 { return int64(time.Since(c.epoch)) }

// Time returns t as the rest of the world writes it.
func (c Clock) Time(t int64) time.Time { return c.epoch.Add(time.Duration(t)) }

// At returns the clock's time for at, or for now if at has gone by. A time without a monotonic
// reading is compared with the wall clock here and now, and not again.
func (c Clock) At(at time.Time) int64 {
	now := time.Now()
	return Later(int64(now.Sub(c.epoch)), at.Sub(now))
}

// Later returns t+d. A negative d counts as none, a sum past the end of the clock as Never.
func Later(t int64, d time.Duration) int64 {
	if d <= 0 {
		return t
	}
	if t > Never-int64(d) {
		return Never
	}
	return t + int64(d)
}
