package calendar

import (
	"fmt"
	"math/bits"
	"time"
)

// Every comes each d of elapsed time, whatever clocks do: at the anchor, and at all times that are
// a number of d after or before it, however far. It panics unless d is more than 0.
//
// Every(24*time.Hour, noon) is not noon any more after the clocks have been changed: see [Daily].
// [EveryDays] counts days, [From] gives a beginning.
func Every(d time.Duration, anchor time.Time) Schedule {
	if d <= 0 {
		panic(fmt.Sprintf("calendar: the duration is %v; it must be more than 0", d))
	}
	return scheduleWith(instants{source: grid{d, anchor.Unix(), anchor.Nanosecond()}})
}

// grid is the source of Every. The anchor is in seconds and nanoseconds, so that two that begin at
// the same instant of different zones are equal.
type grid struct {
	step    time.Duration
	seconds int64
	nanos   int
}

func (g grid) Next(after time.Time) time.Time {
	seconds, nanos := after.Unix(), after.Nanosecond()
	step := g.step
	if seconds < g.seconds || seconds == g.seconds && nanos < g.nanos {
		if before := g.rest(g.seconds, g.nanos, seconds, nanos); before > 0 {
			step = before
		}
	} else {
		step -= g.rest(seconds, nanos, g.seconds, g.nanos)
	}
	next := after.Add(step)
	if !next.After(after) { // beyond the last time that there is
		return time.Time{}
	}
	return next
}

// rest returns what remains of the time between two instants, the later one first, after as many
// steps as fit. The time may be longer than a Duration can tell.
func (g grid) rest(seconds int64, nanos int, fromSeconds int64, fromNanos int) time.Duration {
	high, low := bits.Mul64(uint64(seconds)-uint64(fromSeconds), uint64(time.Second))
	low, carry := bits.Add64(low, uint64(nanos), 0)
	high += carry
	low, borrow := bits.Sub64(low, uint64(fromNanos), 0)
	high -= borrow
	return time.Duration(bits.Rem64(high, low, uint64(g.step)))
}

func (g grid) String() string {
	anchor := time.Unix(g.seconds, int64(g.nanos)).UTC()
	return fmt.Sprintf("every %v from %s", g.step, anchor.Format(time.RFC3339Nano))
}

// Interval says what [Schedule.Interval] says: it is one.
func (grid) Interval() bool { return true }
