package cluster

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// link is one link of a series' chain: what a message at its place says. Its payload is the task's.
type link struct {
	do         string // what the one who gets it has to do
	name       string // of the series
	number     uint64 // of the run
	due        time.Time
	id         time.Time // the due time that is stored: due itself, but for a run that begins late
	missed     uint64
	cadence    cadence
	hash       string    // of the declaration
	calendar   string    // the digest of the one by which it is planned; empty for none
	generation uint64    // of the declaration
	then       time.Time // of a run that was triggered: the time that was planned before
	first      bool      // of a declaration, whose initial delay may be longer than its period
	follows    uint64    // of a command: the run that was not known to be over when it was given
	upcoming   upcoming  // of a calendar: what those know who do not have it
	last       lastRun   // what is known of the run before
}

// What is to do with a link.
const (
	doRun    = "run"
	doArm    = "arm"    // store it as the next run
	doResume = "resume" // the same, with what CatchUp says of the times that have passed
	doPause  = "pause"  // store it as a series that waits for Resume
)

// headers of links, beside headerDue.
const (
	headerDo           = "Punctual-Do"
	headerName         = "Punctual-Series"
	headerNumber       = "Punctual-Number"
	headerMissed       = "Punctual-Missed"
	headerCadence      = "Punctual-Cadence"
	headerHash         = "Punctual-Hash"
	headerCalendar     = "Punctual-Calendar"
	headerGeneration   = "Punctual-Generation"
	headerThen         = "Punctual-Then"
	headerFirst        = "Punctual-First"
	headerFollows      = "Punctual-Follows"
	headerCalendarText = "Punctual-Calendar-Text"
	headerUpcoming     = "Punctual-Upcoming"
	headerLast         = "Punctual-Last"
)

func (l link) write(h nats.Header) {
	h.Set(headerDo, l.do)
	h.Set(headerName, url.QueryEscape(l.name))
	h.Set(headerNumber, strconv.FormatUint(l.number, 10))
	h.Set(headerDue, l.due.UTC().Format(time.RFC3339Nano))
	h.Set(headerCadence, l.cadence.String())
	h.Set(headerHash, l.hash)
	if l.calendar != "" {
		h.Set(headerCalendar, l.calendar)
	}
	if l.generation > 0 {
		h.Set(headerGeneration, strconv.FormatUint(l.generation, 10))
	}
	if l.missed > 0 {
		h.Set(headerMissed, strconv.FormatUint(l.missed, 10))
	}
	if l.follows > 0 {
		h.Set(headerFollows, strconv.FormatUint(l.follows, 10))
	}
	if !l.then.IsZero() {
		h.Set(headerThen, l.then.UTC().Format(time.RFC3339Nano))
	}
	if l.first {
		h.Set(headerFirst, "1")
	}
	l.upcoming.write(h)
	l.last.write(h)
}

func readLink(h nats.Header) (l link, err error) {
	l = link{do: h.Get(headerDo), hash: h.Get(headerHash), calendar: h.Get(headerCalendar),
		due: dueOf(h), id: dueOf(h), first: h.Get(headerFirst) != ""}
	if l.name, err = url.QueryUnescape(h.Get(headerName)); err != nil {
		return l, fmt.Errorf("cluster: the name of a series: %w", err)
	}
	if l.number, err = strconv.ParseUint(h.Get(headerNumber), 10, 64); err != nil {
		return l, fmt.Errorf("cluster: the number of a run of series %q: %w", l.name, err)
	}
	if l.cadence, err = parseCadence(h.Get(headerCadence)); err != nil {
		return l, err
	}
	if s := h.Get(headerMissed); s != "" {
		if l.missed, err = strconv.ParseUint(s, 10, 64); err != nil {
			return l, fmt.Errorf("cluster: the missed runs of series %q: %w", l.name, err)
		}
	}
	if s := h.Get(headerGeneration); s != "" {
		if l.generation, err = strconv.ParseUint(s, 10, 64); err != nil {
			return l, fmt.Errorf("cluster: the generation of series %q: %w", l.name, err)
		}
	}
	if s := h.Get(headerFollows); s != "" {
		if l.follows, err = strconv.ParseUint(s, 10, 64); err != nil {
			return l, fmt.Errorf("cluster: the run before a command of series %q: %w", l.name, err)
		}
	}
	l.upcoming, l.last = readUpcoming(h), readLastRun(h)
	if s := h.Get(headerThen); s != "" {
		if l.then, err = time.Parse(time.RFC3339Nano, s); err != nil {
			return l, fmt.Errorf("cluster: the next time of series %q: %w", l.name, err)
		}
	}
	return l, nil
}

// tell completes what a function is told of its run.
func (l *link) tell(r *Run) {
	r.Series, r.Number, r.Missed = l.name, l.number, l.missed
	r.Scheduled = l.due
	r.Triggered = !l.then.IsZero()
	r.ID = l.name + "@" + l.id.UTC().Format(time.RFC3339Nano)
}

// after is the link that follows a run, which ends now; ok is false if the series ends.
func (l link) after(calendar Calendar, now time.Time) (next link, ok bool) {
	next = link{do: doRun, name: l.name, number: l.number + 1, cadence: l.cadence, hash: l.hash,
		calendar: calendarDigest(calendar), generation: l.generation}
	if l.then.IsZero() {
		next.due, next.missed = l.cadence.next(calendar, l.due, now)
	} else {
		next.due, next.missed = l.cadence.caughtUp(calendar, l.then, now)
		next.first = l.first // the time planned before is still to come
	}
	next.upcoming = upcomingOf(calendar, next.due)
	return next.inReach(now), !next.due.IsZero()
}

// inReach is the link with a time that its cadence can have planned. A series at a rate, or with a
// delay, waits for its period at most, but for its first run. If it is to wait for longer, the
// server's clock was set back, and it would be silent for as long as the clock takes to come there
// again. So it goes on a period from now. It leaves its grid, whose times have passed once: the ID
// of a run, which has its time, is not that of another. A calendar's times are the clock's.
func (l link) inReach(now time.Time) link {
	if !l.outOfReach(now) {
		return l
	}
	l.due = now.Add(l.cadence.every)
	return l
}

// outOfReach reports whether the time of a link is further away than its cadence plans.
func (l link) outOfReach(now time.Time) bool {
	return !l.first && l.do != doPause && l.cadence.kind != onCalendar &&
		l.due.Sub(now) > l.cadence.every+stepped
}
