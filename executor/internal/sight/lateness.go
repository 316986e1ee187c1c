package sight

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// Lateness is executor.Lateness.
type Lateness struct {
	Total     time.Duration
	Clock     time.Duration
	Previous  time.Duration
	Held      time.Duration
	Busy      time.Duration
	Queue     time.Duration
	Slack     time.Duration
	Wake      time.Duration
	Collector time.Duration
	Holders   []Holder
	Partial   bool
	Expired   bool
}

// Holder is a run that a late one has waited for.
type Holder struct {
	run.Info
	For time.Duration
}

// Why describes the reasons in a line: workers 398ms (import-1 9.2s, import-2 3.1s), wake 11ms.
func (l *Lateness) Why() string {
	var parts []string
	add := func(what string, d time.Duration) {
		if d > 0 {
			parts = append(parts, what+" "+short(d))
		}
	}
	add("clock", l.Clock)
	add("previous run", l.Previous)
	add("held", l.Held)
	add("workers", l.Busy)
	add("queue", l.Queue)
	if n := len(parts); n > 0 && l.Busy+l.Queue > 0 {
		parts[n-1] += TextOf(l.Holders)
	}
	add("slack", l.Slack)
	add("wake", l.Wake)
	add("gc", l.Collector)
	if len(parts) == 0 {
		return "on time"
	}
	text := strings.Join(parts, ", ")
	if l.Partial {
		text += ", or others that are forgotten"
	}
	return text
}

// TextOf names runs and says for how long each has lasted, in parentheses: (import-1 9.2s).
func TextOf(holders []Holder) string {
	var names []string
	for _, h := range holders {
		names = append(names, called(h.Name, h.Number)+" "+short(h.For))
	}
	if names == nil {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// called names a run: poll#17, or run 1 of a task without a name.
func called(name string, number uint64) string {
	switch {
	case name == "":
		return "unnamed"
	case number > 1:
		return fmt.Sprintf("%s#%d", name, number)
	}
	return name
}

// Text describes a late run in a line: late 412ms poll#17: workers 398ms, wake 14ms. Of one that
// has expired it says "expired after" in place of "late".
func (l *Lateness) Text(name string, number uint64) string {
	what := "late "
	if l.Expired {
		what = "expired after "
	}
	return what + short(l.Total) + " " + called(name, number) + ": " + l.Why()
}

// short writes a duration with three digits.
func short(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < unit*1000 {
			return d.Round(unit).String()
		}
	}
}
