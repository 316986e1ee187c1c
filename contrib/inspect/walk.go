package inspect

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// walk is times of a calendar that are known: each time is asked for once, and not twice a second.
type walk struct {
	after time.Time   // all times are known that are later than this
	times []time.Time // in order
	ended bool        // there is none after these
}

// walkTo returns the times of the calendar of a task between two others, so many at most, and up to
// which time these are all.
func (e *entry) walkTo(
	a *asker, c executor.Calendar, after, end time.Time, most int,
) (times []time.Time, known time.Time) {
	q := e.inquiry()
	if w, ok := q.walked(after, end, most); ok {
		return w.between(after, end, most)
	}
	w, trouble := ask(a, q, func() walk {
		q.walk.proceed(c, after, end, most)
		return q.walk
	})
	if trouble != "" {
		return nil, after
	}
	return w.between(after, end, most)
}

// walked returns what is known, if that is all that is asked for.
func (q *inquiry) walked(after, end time.Time, most int) (w walk, ok bool) {
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
		q.walk.drop(after)
		return q.walk, q.walk.reaches(end, most)
	default: // it is being asked
		return w, false
	}
}

// drop forgets the times up to one. If not all are known from there on, it forgets the others as
// well.
func (w *walk) drop(after time.Time) {
	if after.Before(w.after) || !w.ended && (len(w.times) == 0 || w.last().Before(after)) {
		*w = walk{after: after}
		return
	}
	gone, _ := slices.BinarySearchFunc(w.times, after, func(t, after time.Time) int {
		if t.After(after) {
			return 1
		}
		return -1
	})
	w.after, w.times = after, w.times[gone:]
}

func (w *walk) last() time.Time {
	if len(w.times) == 0 {
		return w.after
	}
	return w.times[len(w.times)-1]
}

// reaches reports whether nothing more has to be asked for.
func (w *walk) reaches(end time.Time, most int) bool {
	return w.ended || len(w.times) >= most || !w.last().Before(end)
}

// proceed asks for what is missing. It calls the user's code.
func (w *walk) proceed(c executor.Calendar, after, end time.Time, most int) {
	w.drop(after)
	for !w.reaches(end, most) {
		at := c.Next(w.last())
		if !at.After(w.last()) { // it has no more, or the pool will refuse it
			w.ended = true
			return
		}
		w.times = append(w.times, at.Round(0))
	}
}

// between returns the known times before an end, and up to which time that is all.
func (w walk) between(after, end time.Time, most int) (times []time.Time, known time.Time) {
	w.drop(after)
	times = w.times[:min(len(w.times), max(most, 0))]
	before, _ := slices.BinarySearchFunc(times, end, time.Time.Compare)
	if before < len(times) || w.ended && len(times) == len(w.times) {
		return times[:before], end
	}
	return times, later(after, w.lastOf(times))
}

func (w *walk) lastOf(times []time.Time) time.Time {
	if len(times) == 0 {
		return w.after
	}
	return times[len(times)-1]
}
