// Package chaos has many goroutines do everything at once to one facility on the real clock, shuts
// it down in the middle, and then checks that nothing was lost, ran twice, ran early, or hangs. It
// is for tests, and worth most under the race detector, which also shuffles the scheduler.
//
// A seed fixes what is done, and neither the times nor the order in which the participants do it.
package chaos

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/trust/watchdog"
)

// Kind is a kind of facility with a workload.
type Kind struct {
	Name  string
	round func(r *round)
}

// Kinds returns all there are.
func Kinds() []Kind {
	return []Kind{
		{"scheduled", scheduledRound},
		{"pool", poolRound},
		{"delayqueue", queueRound},
		{"hashed", wheelRound(newHashed)},
		{"hierarchical", wheelRound(newHierarchical)},
		{"revolver", wheelRound(newRevolver)},
		{"loop", loopRound},
		{"timer", timerRound},
		{"waits", waitsRound},
	}
}

// Report says what a round has done, and what was wrong with it.
type Report struct {
	Ops       int64 // calls of the participants, and runs
	Lost      int64 // neither ran, nor cancelled, nor handed back
	Duplicate int64 // ran twice, or beside itself, or in spite of its end
	Early     int64
	Faults    []string // in words, these and all others
}

// Patience is how long a round may take before it counts as hanging: then it writes all stacks to
// the standard error, and panics.
const Patience = time.Minute

// participants is how many goroutines use the facility at once.
const participants = 8

// Round runs the workload on a new facility. If held, goroutines are held up at the delay points; a
// process can run only one such round at a time.
func (k Kind) Round(seed uint64, held bool) Report {
	r := &round{seed: seed, rng: rand.New(rand.NewPCG(seed, 0))}
	timer := watchdog.Start(Patience, func() string { return r.describe(k) })
	defer timer.Stop()
	if held {
		defer delay.Set(holdUp)()
	}
	k.round(r)
	return r.report()
}

// holdUp holds up some of the goroutines that pass a delay point, mostly for about as long as
// others need for a step.
func holdUp(p delay.Point) {
	switch n := rand.IntN(64); {
	case n < 8:
		for range n + 1 {
			runtime.Gosched()
		}
	case n == 8 && !p.Locked():
		time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
	}
}

// round is what the participants of a round share.
type round struct {
	seed  uint64
	rng   *rand.Rand // of the set-up
	state atomic.Pointer[func() string]

	ops, lost, duplicate, early atomic.Int64

	mu      sync.Mutex
	faults  []string
	records []*taskRecord
}

// run has the participants do their steps, each with a random source of its own, and calls end
// meanwhile.
func (r *round) run(steps int, step func(rng *rand.Rand), end func(rng *rand.Rand)) {
	var all sync.WaitGroup
	for i := range participants {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(r.seed, uint64(i)+1))
			for range steps {
				step(rng)
				r.ops.Add(1)
			}
		})
	}
	time.Sleep(time.Duration(r.rng.IntN(2000)) * time.Microsecond)
	end(r.rng)
	all.Wait()
}

// fault notes what is wrong. The counter may be nil.
func (r *round) fault(counter *atomic.Int64, format string, args ...any) {
	if counter != nil {
		counter.Add(1)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.faults) < 10 {
		r.faults = append(r.faults, fmt.Sprintf("seed %d: ", r.seed)+fmt.Sprintf(format, args...))
	}
}

// demand notes a fault unless the condition holds.
func (r *round) demand(condition bool, format string, args ...any) {
	if !condition {
		r.fault(nil, format, args...)
	}
}

func (r *round) report() Report {
	return Report{
		Ops: r.ops.Load(), Lost: r.lost.Load(), Duplicate: r.duplicate.Load(),
		Early: r.early.Load(), Faults: r.faults,
	}
}

// describe says of a round that hangs which it is, and what its facility says of itself.
func (r *round) describe(k Kind) string {
	text := fmt.Sprintf("%s: the round with seed %d does not end", k.Name, r.seed)
	if f := r.state.Load(); f != nil {
		text += ": " + (*f)()
	}
	return text
}

// micros is a random time below n microseconds.
func micros(rng *rand.Rand, n int) time.Duration {
	return time.Duration(rng.IntN(n)) * time.Microsecond
}
