package cluster

import (
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// upcoming is what a link says of the calendar by which it is planned, for processes that do not
// have that: its text, and the times that come after the link's own. It is a calendar itself, of
// those times: so a command can be given that needs the next, while a run is under way.
type upcoming struct {
	text  string
	times []time.Time
	all   bool // the calendar has no more
}

const (
	mostUpcoming    = 5
	longestCalendar = 200
	noMoreTimes     = "end"
)

// upcomingOf is what is to be known of a calendar after a time; nothing for none.
func upcomingOf(calendar Calendar, after time.Time) (u upcoming) {
	if listed, ok := calendar.(upcoming); ok {
		return listed.after(after)
	}
	if calendar == nil || after.IsZero() {
		return u
	}
	u.text = calendarText(calendar)
	u.text = strings.ToValidUTF8(u.text[:min(len(u.text), longestCalendar)], "")
	for range mostUpcoming {
		next := calendar.Next(after)
		if u.all = next.IsZero() || !next.After(after); u.all {
			return u
		}
		u.times = append(u.times, next)
		after = next
	}
	return u
}

// Next is the first of the times that is after another; zero if none of them is.
func (u upcoming) Next(after time.Time) time.Time {
	for _, t := range u.times {
		if t.After(after) {
			return t
		}
	}
	return time.Time{}
}

func (u upcoming) String() string { return u.text }

// after is what is left after a time.
func (u upcoming) after(t time.Time) upcoming {
	for len(u.times) > 0 && !u.times[0].After(t) {
		u.times = u.times[1:]
	}
	return u
}

// longest takes as much room as any of the calendar's, if t does so of all times.
func (u upcoming) longest(t time.Time) upcoming {
	if u.text == "" {
		return u
	}
	u.times, u.all = make([]time.Time, mostUpcoming), true
	for i := range u.times {
		u.times[i] = t
	}
	return u
}

func (u upcoming) write(h nats.Header) {
	if u.text == "" {
		return
	}
	h.Set(headerCalendarText, strconv.QuoteToASCII(u.text))
	var words []string
	for _, t := range u.times {
		words = append(words, t.UTC().Format(time.RFC3339Nano))
	}
	if u.all {
		words = append(words, noMoreTimes)
	}
	h.Set(headerUpcoming, strings.Join(words, " "))
}

// readUpcoming reads what a link says of its calendar. What cannot be read is not known: only
// people look at it.
func readUpcoming(h nats.Header) (u upcoming) {
	u.text, _ = strconv.Unquote(h.Get(headerCalendarText))
	for _, word := range strings.Fields(h.Get(headerUpcoming)) {
		if u.all = word == noMoreTimes; u.all {
			break
		}
		t, err := time.Parse(time.RFC3339Nano, word)
		if err != nil {
			return upcoming{text: u.text}
		}
		u.times = append(u.times, t)
	}
	return u
}
