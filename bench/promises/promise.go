package main

import (
	"slices"
	"strings"
	"time"
)

// promise is one promise of an executor: the program that puts it to the test, and the judge of
// what happened.
type promise struct {
	name    string // in the table
	program string
	judge   func(journal, documents) verdict

	refuses bool // refusals are what it is about

	// slow says that a machine which stands still for some time may look like a system that breaks
	// the promise. It is then played again.
	slow bool
}

// documents are what a system's documentation says about an orderly shutdown: for what is due but
// has not begun, and for what is due later. It is empty if that says nothing. The grain is the
// distance below which two times are the same to the system.
type documents struct {
	due, later fate
	grain      time.Duration
}

type fate string

const (
	runs  fate = "runs"
	drops fate = "is dropped"
)

// promises returns all of them, in the order of the table.
func promises() []promise {
	return slices.Concat(
		order(), times(), series(), cancellation(), failures(), futures(), shutdowns(), bounds(),
	)
}

// steps returns the program, which must be right.
func (p promise) steps() []step {
	steps, err := parse(p.program)
	if err != nil {
		panic(p.name + ": " + err.Error())
	}
	return steps
}

// plays returns how often it may have to be played.
func (p promise) plays() int {
	if p.slow {
		return 3
	}
	return 1
}

// verdict judges what happened. died says how the process of the system ended, if it did before the
// program was over.
func (p promise) verdict(j journal, d documents, died string) verdict {
	if e, ok := j.first("unable"); ok {
		return cannot(e.text)
	}
	if _, ok := j.first("done"); !ok {
		return breaks("the process died: %s", died)
	}
	if e, ok := j.first("refused"); ok && !p.refuses {
		return breaks("%s is refused: %s", e.id, e.text)
	}
	if e, ok := j.first("missed"); ok {
		if n := len(j.of(e.id).all("begin")); n > 0 {
			return breaks("%s stopped after %d runs", e.id, n)
		}
		return breaks("%s was accepted and never ran", e.id)
	}
	return p.judge(j, d)
}

// lines joins lines of a program.
func lines(parts ...string) string { return strings.Join(parts, "\n") }
