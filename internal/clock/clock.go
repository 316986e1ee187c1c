// Package clock is the time of one queue or pool: monotonic nanoseconds since the clock was made,
// so that comparing and adding times is integer arithmetic. It runs on the same clock as whoever
// makes it, which may be that of a testing/synctest bubble.
package clock

import (
	"math"
	"time"
)

// Clock counts nanoseconds. It is a value, and may be copied.
type Clock struct {
	epoch time.Time // when it showed 0
}

// Never is the end of the clock, 292 years away.
const Never int64 = math.MaxInt64

// New returns a clock that now shows the given time. With a clock that starts above 0, its owner
// can use 0 for "none".
func New(shows int64) Clock { return Clock{time.Now().Add(-time.Duration(shows))} }

// Now returns the present time on the clock.
func (c Clock) Now() int64 { return int64(time.Since(c.epoch)) }

// Of returns the time on the clock at a moment that has a monotonic reading.
func (c Clock) Of(moment time.Time) int64 { return int64(moment.Sub(c.epoch)) }

// Time converts t, a time on the clock.
func (c Clock) Time(t int64) time.Time { return c.epoch.Add(time.Duration(t)) }

// At returns the time on the clock for at, or the present time if at is past. If at has no
// monotonic reading it is compared with the wall clock once, here; setting the wall clock later
// changes nothing.
func (c Clock) At(at time.Time) int64 {
	now := time.Now()
	return Later(int64(now.Sub(c.epoch)), at.Sub(now))
}

// Later returns t+d. A negative d counts as 0, and a sum beyond the end of the clock is Never.
func Later(t int64, d time.Duration) int64 {
	if d <= 0 {
		return t
	}
	if t > Never-int64(d) {
		return Never
	}
	return t + int64(d)
}
