package calendar

import (
	"iter"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
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

// Past returns the times of a calendar that are earlier than before, the latest first. They are
// found by asking the calendar for its next time, so it works for any whose answers do not go back
// as the question goes on; one that breaks this gives some of its times, or none.
//
// Each time costs some three to twenty questions, more if the times are far apart. A calendar that
// counts from the time asked has no times of its own, and those that it would have told are some of
// many.
func Past(c Calendar, before time.Time) iter.Seq[time.Time] {
	check(c)
	return func(yield func(time.Time) bool) {
		for at := before; ; {
			if at = civil.Previous(c, at); at.IsZero() || !yield(at) {
				return
			}
		}
	}
}

func check(c Calendar) {
	if c == nil {
		panic("calendar: nil calendar")
	}
}
