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
	end   int64     // what it shows when the timers of the runtime come to their end
}

const (
	// Never is the end of the clock, 292 years away.
	Never int64 = math.MaxInt64

	// Last is the last time that a clock shows. In a bubble, time stops in the year 2262: the
	// runtime lets all its timers fire then, however late they are due, and a clock shows Last, so
	// that those who wait on it do the same.
	Last = Never - 1
)

// New returns a clock that now shows the given time. With a clock that starts above 0, its owner
// can use 0 for "none".
func New(shows int64) Clock {
	now := time.Now()
	c := Clock{now.Add(-time.Duration(shows)), Last}
	if ns := now.UnixNano(); ns > 0 && now.Year() < endOfTimers {
		c.end = Later(shows, time.Duration(math.MaxInt64-ns))
	}
	return c
}

// endOfTimers is the year in which nanoseconds since 1970, by which bubbles count, are too many.
const endOfTimers = 2262

// Now returns the present time on the clock.
func (c Clock) Now() int64 {
	if t := int64(time.Since(c.epoch)); t < c.end {
		return t
	}
	return Last
}

// Of returns the time on the clock at a moment that has a monotonic reading.
func (c Clock) Of(moment time.Time) int64 {
	if t := int64(moment.Sub(c.epoch)); t < c.end {
		return t
	}
	return Last
}

// Time converts t, a time on the clock.
func (c Clock) Time(t int64) time.Time { return c.epoch.Add(time.Duration(t)) }

// At returns the time on the clock for at, or the present time if at is past. If at has no
// monotonic reading it is compared with the wall clock once, here; setting the wall clock later
// changes nothing.
func (c Clock) At(at time.Time) int64 {
	now := time.Now()
	return Later(c.Of(now), at.Sub(now))
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
