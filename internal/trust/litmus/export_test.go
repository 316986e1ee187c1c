package litmus

import (
	"math/rand/v2"
	"time"
)

// Simple is a pair without facilities, for tests of the harness.
type Simple struct {
	Acts    [2]func(round int)
	Outcome func(round int) string
	Finish  func() error
}

func (s Simple) prepare(int)              {}
func (s Simple) outcome(round int) string { return s.Outcome(round) }
func (s Simple) describe(int) string      { return "what was seen" }

func (s Simple) acts() []act {
	return []act{
		func(_ *actor, round int) { s.Acts[0](round) },
		func(_ *actor, round int) { s.Acts[1](round) },
	}
}

func (s Simple) finish() error {
	if s.Finish == nil {
		return nil
	}
	return s.Finish()
}

// Pair makes it one that prepares so many rounds at a time.
func (s Simple) Pair(batch int, outcomes ...Outcome) Pair {
	return Pair{
		Name: "simple", Outcomes: outcomes, batch: batch, maxPause: 4,
		newFixture: func(*rand.Rand) fixture { return s },
	}
}

// RaceFor is Race with less patience.
func (p Pair) RaceFor(rounds int, seed uint64, patience time.Duration) Result {
	return p.race(rounds, seed, nil, patience)
}
