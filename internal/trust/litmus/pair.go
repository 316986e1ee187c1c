package litmus

import (
	"math/rand/v2"
)

// Pair is two operations that are raced against each other. [Pairs] makes them.
type Pair struct {
	Name     string
	Outcomes []Outcome

	batch      int // rounds prepared at a time
	maxPause   int // a pause is up to 1<<reach steps long
	maxLead    int // how many rounds the actors may be apart at most; 0 means any number
	newFixture func(rng *rand.Rand) fixture
}

// Outcome is how a round may end.
type Outcome struct {
	Name  string
	Grade Grade
}

// Grade is what an outcome means.
type Grade uint8

// The grades.
const (
	Acceptable  Grade = iota // right, and to be seen in any run that is long enough
	Interesting              // right, and so rare that it need not be seen
	Forbidden                // a bug
)

// Result is what has come of some rounds of a pair.
type Result struct {
	Rounds int
	Seen   map[string]int // rounds by outcome
	Faults []string       // forbidden outcomes and accounts that do not come out, the first few
}

// Unseen returns the outcomes of p that are acceptable and have not been seen.
func (r Result) Unseen(p Pair) (names []string) {
	for _, o := range p.Outcomes {
		if o.Grade == Acceptable && r.Seen[o.Name] == 0 {
			names = append(names, o.Name)
		}
	}
	return names
}

// fixture holds the states that the actors of a pair race on, for one batch of rounds.
type fixture interface {
	// prepare makes the states of a number of rounds.
	prepare(rounds int)
	// acts are the parts of the actors. Each goes through the rounds of a batch in order.
	acts() []act
	// outcome returns the outcome of a round, when all have done their parts.
	outcome(round int) string
	// describe returns what was seen in the round, for a fault.
	describe(round int) string
	// finish ends what prepare and the actors have begun, and audits the batch.
	finish() error
}

// act is what an actor does in a round.
type act func(a *actor, round int)

// grades makes a list of outcomes: some acceptable, the others forbidden.
func grades(acceptable, forbidden []string) (os []Outcome) {
	for _, name := range acceptable {
		os = append(os, Outcome{name, Acceptable})
	}
	for _, name := range forbidden {
		os = append(os, Outcome{name, Forbidden})
	}
	return os
}
