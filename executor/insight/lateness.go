package insight

import (
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/text"
)

// Lateness says how late a run began, or expired, and what it had waited for since it was due.
// Total is the sum of Clock, Previous, Held, Busy, Queue, Slack and Wake. In a testing/synctest
// bubble each of them is exact; otherwise they are as exact as the clock, but what a part of Wake
// was spent on is an estimate.
//
// The time from which it counts is the one for which the run was planned before CatchUp may have
// moved that, so that a stall is seen. Jitter is not late.
type Lateness struct {
	Total time.Duration

	Clock    time.Duration // the wall clock was set, or the machine slept
	Previous time.Duration // its own previous run went on, or its serial executor was not free yet
	Held     time.Duration // the pool was paused, or its pace allowed no start
	Busy     time.Duration // no worker was free
	Queue    time.Duration // workers took what was due earlier
	Slack    time.Duration // a worker waited to share a wake-up, see executor.Slack
	Wake     time.Duration // a worker was free, but woken late, or held up by the Go scheduler

	// Collector is the part of Wake for which the garbage collector had stopped the world: an
	// estimate, without the work that it does beside the program. It is 0 for less than 1 ms of
	// Wake.
	Collector time.Duration

	// Holders are up to three runs that held the workers meanwhile, the longest first.
	Holders []Holder

	// Partial is set if runs that may have held the workers have been forgotten: a pool remembers
	// 64. Their time is in Wake.
	Partial bool

	// Expired is set if the run has not begun: it had waited in vain for longer than its
	// BeginWithin.
	Expired bool
}

// Holder is a run that held a worker, and for how long it had been running, or ran in all.
type Holder struct {
	Name    string
	Number  uint64
	Started time.Time
	For     time.Duration
}

// LateRun is a run that has begun late, or has expired, as it was at that moment.
type LateRun struct {
	Name      string
	Number    uint64    // the one that it would have had, if it has expired
	Scheduled time.Time // as in executor.Run
	Started   time.Time // or expired
	Why       Lateness
}

// String describes the reasons in a line, such as
//
//	workers 398ms (import-1 9.2s, import-2 3.1s), wake 11ms, gc 3ms
func (l Lateness) String() string {
	var parts []string
	add := func(what string, d time.Duration) {
		if d > 0 {
			parts = append(parts, what+" "+text.Short(d))
		}
	}
	add("clock", l.Clock)
	add("previous run", l.Previous)
	add("held", l.Held)
	add("workers", l.Busy)
	add("queue", l.Queue)
	if n := len(parts); n > 0 && len(l.Holders) > 0 && l.Busy+l.Queue > 0 {
		var by []string
		for _, h := range l.Holders {
			by = append(by, h.String())
		}
		parts[n-1] += " (" + strings.Join(by, ", ") + ")"
	}
	add("slack", l.Slack)
	add("wake", l.Wake)
	add("gc", l.Collector)
	if len(parts) == 0 {
		return "on time"
	}
	all := strings.Join(parts, ", ")
	if l.Partial {
		all += ", or others that are forgotten"
	}
	return all
}

// String names the run and says how long it has lasted: poll#17 9.2s.
func (h Holder) String() string {
	return text.Called(h.Name, h.Number) + " " + text.Short(h.For)
}
