package calendar

import (
	"iter"
	"time"
)

// Calendar is what tells which time comes next: a [Schedule], one of package cron, or one of your
// own.
type Calendar interface {
	// Next returns the first time that is later than after, or the zero time if there is none. The
	// answer depends on after alone. Any number of goroutines may call it.
	Next(after time.Time) time.Time
}

// Upcoming returns the times of a calendar that are later than after, in their order. They end when
// the calendar does, and also if it does not go on: at an answer that is not later than the time it
// was asked about. Most calendars do not end: leave the loop yourself.
func Upcoming(c Calendar, after time.Time) iter.Seq[time.Time] {
	check(c)
	return func(yield func(time.Time) bool) {
		at := after.Round(0)
		for {
			next := c.Next(at).Round(0)
			if next.IsZero() || !next.After(at) || !yield(next) {
				return
			}
			at = next
		}
	}
}

func check(c Calendar) {
	if c == nil {
		panic("calendar: nil calendar")
	}
}
