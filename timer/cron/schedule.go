package cron

import (
	"iter"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// rule is embedded under this name so that package calendar can restrict a schedule to some civil
// times, those in a gap included.
type rule = civil.Rule

// Schedule is a line of cron: it knows when it comes next. It is a small value without state, and
// any number of goroutines may use one. Two are equal (==) if they were parsed from the same line
// with the same options; [Schedule.Equal] tells whether they mean the same. The zero Schedule never
// comes.
type Schedule struct {
	rule
	line  string
	every time.Duration // of @every, else 0
}

// Next returns the first time of the schedule that is later than after, or the zero time if there
// is none. The answer is in the location of after, without a monotonic reading. A schedule without
// a zone of its own is in that location, too.
//
// It costs less than a microsecond, or half a millisecond if all times for centuries are in gaps
// that are skipped, and does not allocate.
func (s Schedule) Next(after time.Time) time.Time {
	if s.every > 0 {
		if next := after.Round(0).Add(s.every); next.After(after) {
			return next
		}
		return time.Time{} // beyond the last time that there is
	}
	return s.rule.Next(after)
}

// Prev returns the last time of the schedule that is earlier than before, or the zero time if there
// is none: the inverse of [Schedule.Next], over gaps and repeated times too. The answer is in the
// location of before, and a schedule without a zone of its own is in that location. A line like
// "@every 90s" has no times of its own: Prev tells the time from which before would be the next.
//
// It asks for the next time some three to twenty times: a microsecond, as a rule.
func (s Schedule) Prev(before time.Time) time.Time {
	if s.every > 0 {
		if prev := before.Round(0).Add(-s.every); prev.Before(before) {
			return prev
		}
		return time.Time{}
	}
	return civil.Previous(&s.rule, before)
}

// Between returns the times of the schedule that are not before from and are before to, in their
// order.
func (s Schedule) Between(from, to time.Time) iter.Seq[time.Time] {
	return civil.Between(s, from, to)
}

// Equal reports whether two schedules are the same: the same fields, policies and splay, and zones
// of the same name. It holds more often than ==: also for zones that were loaded twice, and for
// lines that say the same in other words, such as "0 3 * * 0" and "0 3 * * SUN".
func (s Schedule) Equal(other Schedule) bool {
	return s.every == other.every && s.Settings().Equal(other.Settings())
}

// Never reports whether no time is of the schedule, as of "0 0 31 2 *", the line of a job that is
// switched off. Next is the zero time then, whatever the zone.
func (s Schedule) Never() bool {
	if s.every > 0 {
		return false
	}
	p, ok := s.Settings().Times.(civil.Pattern)
	return !ok || p.Empty()
}

// Zone returns the zone of the schedule, by the line or by the option [Zone], or nil if it has none.
func (s Schedule) Zone() *time.Location { return s.Settings().Zone }

// Interval reports whether the schedule is like an interval, see [Gap].
func (s Schedule) Interval() bool { return s.every > 0 || s.Settings().Interval }

// String returns the line, with single blanks, and names and macros as they were but in one case. A
// zone is in it if it was in the line. Parsed again, with the same options, it is the same
// schedule.
func (s Schedule) String() string { return s.line }
