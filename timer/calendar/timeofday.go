package calendar

import (
	"fmt"
	"time"
)

// TimeOfDay is a time that a clock shows, to the second. The zero TimeOfDay is midnight.
type TimeOfDay struct{ second int32 }

// At returns a time of day. It panics unless the hour is from 0 to 23 and the minute from 0 to 59.
func At(hour, minute int) TimeOfDay { return AtSecond(hour, minute, 0) }

// AtSecond is [At] with a second, from 0 to 59.
func AtSecond(hour, minute, second int) TimeOfDay {
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		panic(fmt.Sprintf("calendar: no clock shows %02d:%02d:%02d", hour, minute, second))
	}
	return TimeOfDay{int32((hour*60+minute)*60 + second)}
}

// ParseTimeOfDay returns the time of day that is written as 15:04 or 15:04:05.
func ParseTimeOfDay(text string) (TimeOfDay, error) {
	for _, layout := range []string{"15:04", "15:04:05"} {
		t, err := time.Parse(layout, text)
		if err == nil && len(text) == len(layout) {
			return AtSecond(t.Clock()), nil
		}
	}
	return TimeOfDay{}, fmt.Errorf("calendar: %q is no time of day: one is written 15:04 or 15:04:05",
		shortened(text))
}

// String returns the time as 15:04, or as 15:04:05 if it has a second.
func (t TimeOfDay) String() string {
	hour, minute, second := t.clock()
	if second == 0 {
		return fmt.Sprintf("%02d:%02d", hour, minute)
	}
	return fmt.Sprintf("%02d:%02d:%02d", hour, minute, second)
}

func (t TimeOfDay) clock() (hour, minute, second int) {
	s := int(t.second)
	return s / 3600, s / 60 % 60, s % 60
}

// shortened returns so much of a text as an error may show.
func shortened(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}
