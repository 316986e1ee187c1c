package cluster

import (
	"errors"
	"sync"
)

// calendars are those of the series that this process has declared. A calendar does not travel, but
// each link says which it was planned by: a process plans by that one, or not at all.
type calendars struct {
	mu     sync.Mutex
	byName map[place]Calendar
}

func (c *calendars) set(at place, calendar Calendar) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byName == nil {
		c.byName = map[place]Calendar{}
	}
	c.byName[at] = calendar
}

var (
	errNoCalendar    = errors.New("its calendar was not declared in this process; call On before Serve")
	errOtherCalendar = errors.New("this process has declared it with another calendar")
)

// of returns the calendar that a link is planned by; nil if that is none. Links of earlier versions
// do not say which it was.
func (c *calendars) of(at place, l link) (Calendar, error) {
	if l.cadence.kind != onCalendar {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	calendar, known := c.byName[at]
	switch {
	case !known:
		return nil, errNoCalendar
	case l.calendar != "" && l.calendar != calendarDigest(calendar):
		return nil, errOtherCalendar
	}
	return calendar, nil
}

// calendarDigest tells two calendars apart; it is empty for none.
func calendarDigest(calendar Calendar) string {
	if calendar == nil {
		return ""
	}
	return digest([]byte(calendarText(calendar)))
}
