package calendar

import (
	"fmt"
	"iter"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
	"github.com/punctual-go/punctual/internal/identity"
)

// Schedule is a [Calendar] that this package has made. Two are equal (==) if they were made in the
// same way from equal parts; to compare some that contain calendars of your own, those must be of
// types that can be compared. [Schedule.Equal] asks for less. The zero Schedule never comes.
type Schedule struct{ content }

// content is embedded so that the documentation of a schedule has no word about Compare, which the
// executor asks for.
type content struct{ part part }

func scheduleWith(p part) Schedule { return Schedule{content{p}} }

// part is what a schedule consists of. Restrictions, zones and policies are handed down to the
// parts of a part, since they concern civil times, which only the innermost ones know.
type part interface {
	Calendar
	fmt.Stringer
	restrict(w window) part
	in(zone *time.Location) part
	change(change func(*civil.Settings)) part
	zones() []*time.Location // those of the parts that have one
	interval() bool
	compare(other part) identity.Verdict
}

// Next returns the first time of the schedule that is later than after, or the zero time if there
// is none. The answer is in the location of after, without a monotonic reading. A schedule without
// a zone, see [Schedule.In], is in that location, too.
//
// It does not allocate, unless a calendar of your own does. If one of those breaks its contract,
// with an answer that is not later than what it was asked about, so does this: the answer is after
// itself then, or earlier.
func (s Schedule) Next(after time.Time) time.Time {
	if s.part == nil {
		return time.Time{}
	}
	return s.part.Next(after.Round(0))
}

// Prev returns the last time of the schedule that is earlier than before, or the zero time if there
// is none: the inverse of [Schedule.Next], over gaps and repeated times too. The answer is in the
// location of before, and so are parts without a zone. See [Past] for what it costs, and for parts
// that count from the time asked.
func (s Schedule) Prev(before time.Time) time.Time { return civil.Previous(s, before) }

// Between returns the times of the schedule that are not before from and are before to, in their
// order. (The window of this name is the function [Between].)
func (s Schedule) Between(from, to time.Time) iter.Seq[time.Time] {
	return civil.Between(s, from, to)
}

// Interval reports whether the schedule is like an interval: all of its parts are, as [Every] and
// the lines of cron like */15. Such a one goes on from the present time when the clock has been put
// back; see package executor.
func (s Schedule) Interval() bool { return s.part != nil && s.part.interval() }

// In returns the schedule in a zone. Its parts that have a zone already keep it. A part without a
// zone is in the location of the time that Next is asked about; package executor asks in
// [time.Local].
//
// It panics if the zone is nil.
func (s Schedule) In(zone *time.Location) Schedule {
	if zone == nil {
		panic("calendar: nil zone")
	}
	return s.with(func(p part) part { return p.in(zone) })
}

// Zone returns the zone of the schedule: the one that all parts have which have one. It is nil if
// none has, or if they have several.
func (s Schedule) Zone() *time.Location {
	if s.part == nil {
		return nil
	}
	var zone *time.Location
	for _, z := range s.part.zones() {
		if zone != nil && !identity.Zones(zone, z) {
			return nil
		}
		zone = z
	}
	return zone
}

// Gaps returns the schedule with another answer to the question what becomes of times that do not
// exist because the clocks are put forward, as 02:30 on a night in March. The default is [After].
//
// It concerns neither [Every] nor lines of cron that are like an interval, as */15, nor calendars
// of your own.
func (s Schedule) Gaps(p GapPolicy) Schedule {
	if p > Skip {
		panic(fmt.Sprintf("calendar: no policy for gaps has the number %d", p))
	}
	return s.with(func(parts part) part {
		return parts.change(func(s *civil.Settings) { s.Gap = p })
	})
}

// Repeats returns the schedule with another answer to the question which instants count that show
// the same time, because the clocks are put back. The default is [First]. It concerns what
// [Schedule.Gaps] concerns.
func (s Schedule) Repeats(p RepeatPolicy) Schedule {
	if p > Both {
		panic(fmt.Sprintf("calendar: no policy for repeated times has the number %d", p))
	}
	return s.with(func(parts part) part {
		return parts.change(func(s *civil.Settings) { s.Repeat = p })
	})
}

// String tells the schedule in words, for logs: daily at 02:30 in Europe/Berlin.
func (s Schedule) String() string {
	if s.part == nil {
		return "never"
	}
	return s.part.String()
}

// with returns the schedule with another part. One that never comes has none.
func (s Schedule) with(change func(part) part) Schedule {
	if s.part == nil {
		return s
	}
	return scheduleWith(change(s.part))
}
