package litmus

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/trust/watchdog"
)

const (
	patience  = 30 * time.Second // for a batch, before one of its rounds counts as hanging
	maxFaults = 10               // kept
)

// Race races p for some rounds, and calls progress, unless that is nil, after every batch with the
// number of rounds done. If a round does not end, it writes the stacks of all goroutines to the
// standard error and panics.
func (p Pair) Race(rounds int, seed uint64, progress func(done int)) Result {
	return p.race(rounds, seed, progress, patience)
}

func (p Pair) race(
	rounds int, seed uint64, progress func(done int), patience time.Duration,
) Result {
	r := newRace(p, seed)
	defer r.stop()
	timer := watchdog.Start(patience, func() string {
		return fmt.Sprintf("litmus: a round of %s does not end, seed %d", p.Name, seed)
	})
	defer timer.Stop()
	for r.result.Rounds < rounds {
		timer.Reset(patience)
		r.batch(min(p.batch, rounds-r.result.Rounds))
		if progress != nil {
			progress(r.result.Rounds)
		}
	}
	return r.result
}

// race is the work of one call of Race.
type race struct {
	pair    Pair
	rng     *rand.Rand
	fixture fixture
	actors  []*actor // the first is the caller of Race
	barrier barrier

	rounds, stride int // of the batch: how many, and how often the actors meet

	result Result
}

func newRace(p Pair, seed uint64) *race {
	rng := rand.New(rand.NewPCG(seed, 0))
	r := &race{pair: p, rng: rng, fixture: p.newFixture(rng)}
	r.result.Seen = map[string]int{}
	acts := r.fixture.acts()
	looks := 64
	if len(acts) > runtime.GOMAXPROCS(0) {
		looks = 4 // an actor that waits keeps the processor from those to come
	}
	r.barrier.parties = int64(len(acts))
	for i, act := range acts {
		a := &actor{
			rng: rand.New(rand.NewPCG(seed, uint64(i+1))), act: act,
			maxPause: p.maxPause, looks: looks, batches: make(chan struct{}),
		}
		r.actors = append(r.actors, a)
		if i > 0 {
			go a.serve(r)
		}
	}
	return r
}

// stop ends the actors.
func (r *race) stop() {
	for _, a := range r.actors {
		close(a.batches)
	}
}

// batch runs and judges some rounds.
func (r *race) batch(n int) {
	r.fixture.prepare(n)
	r.rounds = n
	if r.stride = 1 << (2 * r.rng.IntN(5)); r.pair.maxLead > 0 {
		r.stride = min(r.stride, r.pair.maxLead)
	}
	for _, a := range r.actors[1:] {
		a.batches <- struct{}{}
	}
	r.actors[0].run(r)
	for i := range n {
		r.count(i, r.fixture.outcome(i))
	}
	if err := r.fixture.finish(); err != nil {
		r.fault("accounts", err.Error())
	}
	r.result.Rounds += n
}

// count notes the outcome of a round.
func (r *race) count(round int, name string) {
	r.result.Seen[name]++
	if !r.allowed(name) {
		r.fault(name, r.fixture.describe(round))
	}
}

// allowed reports whether an outcome may be. One that is not listed may not.
func (r *race) allowed(name string) bool {
	return slices.ContainsFunc(r.pair.Outcomes,
		func(o Outcome) bool { return o.Name == name && o.Grade != Forbidden })
}

func (r *race) fault(what, seen string) {
	if len(r.result.Faults) < maxFaults {
		r.result.Faults = append(r.result.Faults,
			fmt.Sprintf("%s: %s: %s", r.pair.Name, what, seen))
	}
}
