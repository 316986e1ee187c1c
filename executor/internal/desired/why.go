package desired

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/series"
)

// Job is what a job means, as far as two of them can be compared.
type Job struct {
	Period   int64 // positive for a fixed rate, negative for a fixed delay; of a calendar any
	Calendar bool
	Options  series.Options
	Version  string
	Paused   bool
}

// Why says in words how two jobs differ. Whether their calendars do is known to the caller.
func Why(before, after Job, otherCalendar bool) string {
	var by []string
	note := func(differs bool, format string, args ...any) {
		if differs {
			by = append(by, fmt.Sprintf(format, args...))
		}
	}
	alike := (after.Period > 0) == (before.Period > 0) && after.Calendar == before.Calendar
	note(!alike, "another kind")
	note(alike && otherCalendar, "another calendar")
	note(alike && !after.Calendar && after.Period != before.Period,
		"period %v -> %v", length(before.Period), length(after.Period))
	if names := differing(before.Options, after.Options); alike {
		note(len(names) > 0, "options: %s", strings.Join(names, ", "))
	}
	note(after.Version != before.Version, "version %q -> %q", before.Version, after.Version)
	note(after.Paused != before.Paused, "paused %t -> %t", before.Paused, after.Paused)
	return strings.Join(by, "; ")
}

func length(period int64) time.Duration { return time.Duration(max(period, -period)) }

// optionName returns the name of an option as package executor has it.
func optionName(field string) string {
	switch field {
	case "OnError":
		return "FailurePolicy"
	case "BackOff":
		return "SlowDown"
	case "SuccessWithin", "StartWithin", "StartQuantile":
		return "Expect"
	case "Follower":
		return "workflow"
	}
	return field
}

// differing returns the names of the options in which two submissions differ.
func differing(before, after series.Options) (names []string) {
	a, b := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range a.NumField() {
		if reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			continue
		}
		if name := optionName(a.Type().Field(i).Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
