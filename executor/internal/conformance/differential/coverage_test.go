package differential

import "fmt"

// coverage counts the scripts that show what is rare if it is left to chance.
type coverage map[string]int

// quotas are how many scripts of a recording have to show what.
var quotas = coverage{
	"bounded Abort":         100,
	"bounded CallerRuns":    100,
	"bounded Discard":       100,
	"bounded DiscardOldest": 100,
	"hand-off Abort":        100,
	"hand-off CallerRuns":   100,
	"hand-off Discard":      100,
	dueAtShutdown:           100,
	killedTimer:             100,
	overrun:                 100,
}

const (
	dueAtShutdown = "due, and waiting, at a shutdown that drops what is not"
	killedTimer   = "a timer that dies of a failure"
	overrun       = "a run of a series that lasts longer than its period"
)

// add counts what a script has shown on the JDK.
func (c coverage) add(s script, java outcome) {
	if s.saturated(java) {
		c[fmt.Sprint(s.queue, " ", s.policy)]++
	}
	if s.wasDue(java) {
		c[dueAtShutdown]++
	}
	if s.death(java) < s.commands[s.first(shutdownNow)].at {
		c[killedTimer]++
	}
	if s.overruns(java) {
		c[overrun]++
	}
}

// saturated tells whether a pool has refused or dropped a task for lack of room, or its submitter
// ran it.
func (s script) saturated(java outcome) bool {
	if s.kind != pooled {
		return false
	}
	for i := range s.commands[:min(s.first(shutdown), s.first(shutdownNow))] {
		if _, ok := java.result('r', i); ok {
			return true
		}
	}
	return s.ranByCaller(java) || len(s.lost(java)) > 0
}

// overruns tells whether a run at a fixed rate has made the next ones late, which then follow at
// once.
func (s script) overruns(java outcome) bool {
	for i, c := range s.commands {
		if s.kind == scheduled && c.op == rate && c.n[2] > c.n[1] && java.ended(i, 2) < never {
			return true
		}
	}
	return false
}

// ranByCaller tells whether a submitter has run a task itself: then more run than there are
// workers.
func (s script) ranByCaller(java outcome) bool {
	if s.kind != pooled || s.policy != callerRuns {
		return false
	}
	runs := 0
	for i, e := range java.events {
		switch e.what {
		case 's':
			runs++
		case 'e':
			runs--
		}
		// At one instant there is no order.
		last := i+1 == len(java.events) || java.events[i+1].at > e.at
		if last && runs > s.most {
			return true
		}
	}
	return false
}

// wasDue tells whether a task that is to run once was due at a shutdown, and still waited, while
// the pool was told to drop what is not yet due.
func (s script) wasDue(java outcome) bool {
	end := s.first(shutdown)
	if s.kind != scheduled || s.delayed || end == len(s.commands) {
		return false
	}
	at := s.commands[end].at
	for i, c := range s.commands[:end] {
		start := java.started(i)
		if c.op == once && c.at+c.n[0] <= at && start > at && start < never {
			return true
		}
	}
	return false
}
