package calendar

import (
	"fmt"
	"reflect"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// scheduleOf returns a calendar as a schedule.
func scheduleOf(c Calendar) Schedule {
	check(c)
	if s, ok := c.(Schedule); ok {
		return s
	}
	s, ours := settingsOf(c)
	switch {
	case !ours:
		return scheduleWith(instants{source: c})
	case s.Times == nil: // it counts from the time asked, or it is a zero value
		return scheduleWith(instants{source: c, zone: s.Zone, counts: true})
	}
	return scheduleWith(timetable{rule: civil.NewRule(s), text: nameOf(c)})
}

var ruleType = reflect.TypeFor[civil.Rule]()

// settingsOf returns the rule of a schedule of another package of this module. A type around such a
// schedule has its methods too, but may have a Next of its own: so the rule must be its own field.
func settingsOf(c Calendar) (s civil.Settings, ours bool) {
	ruler, ok := c.(civil.Ruler)
	if !ok {
		return s, false
	}
	t := reflect.TypeOf(c)
	if t.Kind() != reflect.Struct || t.NumField() == 0 || t.Field(0).Type != ruleType {
		return s, false
	}
	return ruler.Settings(), true
}

// nameOf returns how a calendar calls itself, or its type.
func nameOf(c Calendar) string {
	if s, ok := c.(fmt.Stringer); ok {
		if text := s.String(); text != "" {
			return text
		}
	}
	return fmt.Sprintf("%T", c)
}

// known returns a zone, if there is one.
func known(zone *time.Location) []*time.Location {
	if zone == nil {
		return nil
	}
	return []*time.Location{zone}
}

// located returns a time in a zone, if there is one.
func located(t time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return t
	}
	return t.In(zone)
}
