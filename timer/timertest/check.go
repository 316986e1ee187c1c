package timertest

import (
	"slices"
	"testing"
	"time"
)

// check is one promise: its name, how to check it, and what a facility needs for that.
type check struct {
	name  string
	run   func(c *trial)
	needs []need
}

// need is what a facility must have for a check to make sense.
type need struct {
	lack string // completes "the facility …" when the check is skipped
	met  func(f Facility) bool
}

// of returns what a check runs, of a method of its family: each family is a trial, and nothing else,
// under a name of its own.
func of[F ~struct{ *trial }](run func(F)) func(*trial) {
	return func(c *trial) { run(F{c}) }
}

// missing returns what the facility lacks for the check, or "".
func (k check) missing(f Facility) string {
	for _, n := range k.needs {
		if !n.met(f) {
			return n.lack
		}
	}
	return ""
}

// failures runs the check on the facility and returns the failures found.
func (k check) failures(t *testing.T, f Facility, patience time.Duration) []string {
	c := &trial{Facility: f, outer: t, patience: patience}
	k.run(c)
	return c.found
}

func stoppable() need {
	return need{"cannot be stopped", func(f Facility) bool { return f.Stop != nil }}
}

func returning() need {
	return need{"does not return what it stops", func(f Facility) bool {
		return f.Stop != nil && f.Returns
	}}
}

func executing() need {
	return need{"has no Executor", func(f Facility) bool { return f.Executor }}
}

func serial() need {
	return need{"does not call one function after the other", func(f Facility) bool {
		return f.Executor || f.Serial
	}}
}

func ordered() need {
	return need{"promises no order", func(f Facility) bool {
		return f.Ordered && (f.Executor || f.Serial)
	}}
}

func limited() need {
	return need{"has no pending limit", func(f Facility) bool { return f.Limited }}
}

func counting() need {
	return need{"does not count how often it wakes", func(f Facility) bool {
		return f.Wakeups != nil
	}}
}

func panics(as ...Panics) need {
	return need{"treats panics in another way", func(f Facility) bool {
		return slices.Contains(as, f.Panics)
	}}
}
