package litmus

import (
	"math/rand/v2"
	"time"
)

// Simple is a pair without facilities, for tests of the harness.
type Simple struct {
	Acts  [2]func(round int)
	Judge func(round int) string
	Clear func() error
}

func (s Simple) set(int)                {}
func (s Simple) judge(round int) string { return s.Judge(round) }
func (s Simple) tell(int) string        { return "what was seen" }

func (s Simple) acts() []act {
	return []act{
		func(_ *actor, round int) { s.Acts[0](round) },
		func(_ *actor, round int) { s.Acts[1](round) },
	}
}

func (s Simple) clear() error {
	if s.Clear == nil {
		return nil
	}
	return s.Clear()
}

// Pair makes it one that prepares so many rounds at a time.
func (s Simple) Pair(batch int, outcomes ...Outcome) Pair {
	return Pair{
		Name: "simple", Outcomes: outcomes, batch: batch, reach: 4,
		lay: func(*rand.Rand) table { return s },
	}
}

// RaceFor is Race with less patience.
func (p Pair) RaceFor(rounds int, seed uint64, patience time.Duration) Result {
	return p.race(rounds, seed, nil, patience)
}
