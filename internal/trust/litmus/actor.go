package litmus

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"
)

// actor is one of the goroutines of a race. The first is the caller of Race.
type actor struct {
	rng      *rand.Rand
	act      act
	maxPause int
	looks    int // how often it looks, before it lets others run

	batches chan struct{} // to a batch; closed in the end
	idle    atomic.Uint32 // nobody else's
	_       [64]byte
}

func (a *actor) serve(r *race) {
	for range a.batches {
		a.run(r)
	}
}

// run does the actor's part of a batch.
func (a *actor) run(r *race) {
	for i := range r.rounds {
		if i%r.stride == 0 {
			r.barrier.await(a)
		}
		a.pause()
		a.act(a, i)
	}
	r.barrier.await(a)
}

// pause lasts between nothing and the longest pause of the pair, with all orders of magnitude
// alike. Sometimes it yields the processor, as there may be only one.
func (a *actor) pause() { a.pauseUpTo(a.maxPause) }

// pauseUpTo is pause for a reach of its own.
func (a *actor) pauseUpTo(reach int) {
	x := a.rng.Uint64()
	if x&31 == 0 {
		runtime.Gosched()
	}
	magnitude := (x >> 5 & 0xff) % uint64(reach+1)
	for range x >> 16 & (1<<magnitude - 1) {
		a.idle.Load()
	}
}

// oneIn is true once in n times.
func (a *actor) oneIn(n int) bool { return a.rng.IntN(n) == 0 }

// spinUntil returns when the condition holds.
func (a *actor) spinUntil(condition func() bool) { spin(a.looks, condition) }

// barrier is where the actors wait for each other.
type barrier struct {
	parties int64

	_       [64]byte
	arrived atomic.Int64 // in all meetings
	_       [64]byte
}

// await returns when all have come as often as the caller.
func (m *barrier) await(a *actor) {
	mine := m.arrived.Add(1)
	all := (mine + m.parties - 1) / m.parties * m.parties
	a.spinUntil(func() bool { return m.arrived.Load() >= all })
}

// spin returns when the condition holds. It lets other goroutines run after some looks, and other
// threads after many: one that was preempted gets the processor back sooner.
func spin(looks int, condition func() bool) {
	const yields = 16
	for i := 1; !condition(); i++ {
		switch {
		case i%looks > 0:
		case i%(looks*yields) > 0:
			runtime.Gosched()
		default:
			time.Sleep(20 * time.Microsecond)
		}
	}
}
