package civil

import (
	"iter"
	"time"
)

// Between returns the times of a calendar from one on, and before another, in their order. It ends
// also where the calendar does not go on.
func Between(c Calendar, from, to time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for at := from.Round(0).Add(-1); ; {
			t := c.Next(at)
			if !t.After(at) || !t.Before(to) || !yield(t) {
				return
			}
			at = t
		}
	}
}
