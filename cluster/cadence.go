package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Calendar tells which time comes next: a calendar.Schedule, one of package cron, or one's own.
type Calendar = executor.Calendar

// cadence is how the times of a series follow each other. It travels with each run, but for a
// calendar, which replicas know by the name of the series.
type cadence struct {
	kind    string // rate, delay or calendar
	every   time.Duration
	catchUp executor.CatchUpPolicy
}

const (
	atRate     = "rate"
	withDelay  = "delay"
	onCalendar = "calendar"
)

func (c cadence) String() string {
	return fmt.Sprintf("%s %s %s", c.kind, c.every, catchUpNames[c.catchUp])
}

var catchUpNames = map[executor.CatchUpPolicy]string{
	executor.Burst: "burst", executor.Skip: "skip", executor.Coalesce: "coalesce",
}

func parseCadence(s string) (cadence, error) {
	parts := strings.Fields(s)
	if len(parts) != 3 {
		return cadence{}, fmt.Errorf("cluster: %q is no cadence", s)
	}
	every, err := time.ParseDuration(parts[1])
	if err != nil {
		return cadence{}, fmt.Errorf("cluster: %q is no cadence: %w", s, err)
	}
	for policy, name := range catchUpNames {
		if name == parts[2] {
			return cadence{parts[0], every, policy}, nil
		}
	}
	return cadence{}, fmt.Errorf("cluster: %q is no cadence", s)
}

// latest moves a planned time that is late by periods to the last that has passed, and counts
// those before it. Under Burst each has a run of its own.
func (c cadence) latest(calendar Calendar, planned, now time.Time) (time.Time, uint64) {
	if c.catchUp == executor.Burst || c.kind == withDelay {
		return planned, 0
	}
	if c.kind == atRate {
		if late := now.Sub(planned); late >= c.every {
			n := late / c.every
			return planned.Add(n * c.every), uint64(n)
		}
		return planned, 0
	}
	for missed := uint64(0); ; missed++ {
		next := calendar.Next(planned)
		if next.IsZero() || next.After(now) || !next.After(planned) {
			return planned, missed
		}
		planned = next
	}
}

// next is the time after planned, for a run that ends now, and how many times are dropped for it.
// It is the zero time if there is none.
func (c cadence) next(calendar Calendar, planned, now time.Time) (time.Time, uint64) {
	switch {
	case c.kind == withDelay:
		return now.Add(c.every), 0
	case c.kind == atRate:
		return c.caughtUp(calendar, planned.Add(c.every), now)
	}
	next := calendar.Next(planned)
	if next.IsZero() || !next.After(planned) {
		return time.Time{}, 0
	}
	return c.caughtUp(calendar, next, now)
}

// caughtUp applies the catch-up policy to a time that may have passed.
func (c cadence) caughtUp(calendar Calendar, due, now time.Time) (time.Time, uint64) {
	if due.After(now) {
		return due, 0
	}
	last, missed := c.latest(calendar, due, now)
	if c.catchUp != executor.Skip || c.kind == withDelay {
		return last, missed
	}
	if c.kind == atRate {
		return last.Add(c.every), missed + 1
	}
	return calendar.Next(last), missed + 1
}

// hash tells two declarations of a series apart.
func (c cadence) hash(calendar Calendar, payload []byte) string {
	what := c.String()
	if calendar != nil {
		what += calendarText(calendar)
	}
	return digest(append([]byte(what+"\x00"), payload...))
}

// calendarText is what is known of a calendar. Of types without a String method that is the type:
// they may hold pointers, whose text differs from process to process.
func calendarText(calendar Calendar) string {
	if s, ok := calendar.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", calendar)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}
