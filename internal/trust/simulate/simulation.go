package simulate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/internal/delay"
)

// simulation is what all kinds have in common.
type simulation struct {
	seed uint64
	rng  *rand.Rand // the driver's
	mode mode
	ops  int64 // operations to do

	mu sync.Mutex // guards the rest; nobody holds it while calling the facility
	timeline
	order      orderOracle
	report     Report
	driverDone bool // the driver has come to its end
}

// patience is the virtual time after which a simulation counts as stuck: longer than anything in it
// takes.
const patience = 24 * time.Hour

// simulate runs one simulation, in which drive is the driver. A bubble that is deadlocked panics
// here, where it was begun: a fault of the facility like any other.
func simulate(t *testing.T, seed uint64, ops int, drive func(sim *simulation)) (report Report) {
	pcg := rand.NewPCG(seed, 0)
	sim := &simulation{seed: seed, rng: rand.New(pcg), ops: int64(ops)}
	sim.mode = drawMode(sim.rng.IntN(10))
	if sim.mode != noDelays {
		h := &delayHook{sim: sim}
		h.state.Store(mix(seed))
		defer delay.Set(h.at)()
		inner := drive
		drive = func(sim *simulation) {
			inner(sim)
			h.off.Store(true)
		}
	}
	before := runtime.NumGoroutine()
	defer func() {
		v := recover()
		sim.mu.Lock()
		defer sim.mu.Unlock()
		switch {
		case v == nil:
		case sim.driverDone:
			sim.faultLocked(&sim.report.Leaked, "%v", v)
		case sim.report.Stuck == 0:
			sim.faultLocked(&sim.report.Stuck, "%v", v)
		}
		if v == nil && leaked(before) {
			sim.faultLocked(&sim.report.Leaked, "%d goroutines before, %d after", before,
				runtime.NumGoroutine())
		}
		report = sim.report
	}()
	synctest.Test(t, func(*testing.T) { sim.runDriver(drive) })
	return
}

// leaked reports whether there are still more goroutines than before, long after the last should
// have ended.
func leaked(before int) bool {
	for range 1000 {
		for range 10 {
			if runtime.NumGoroutine() <= before {
				return false
			}
			runtime.Gosched()
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

// runDriver runs the driver on a goroutine of its own and waits for it, but not for ever: virtual
// time may go on while the driver is stuck.
func (sim *simulation) runDriver(drive func(sim *simulation)) {
	sim.start = time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		drive(sim)
		time.Sleep(time.Second) // for those that the hook still holds up
		synctest.Wait()
		sim.mu.Lock()
		sim.driverDone = true
		sim.mu.Unlock()
	}()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		sim.mu.Lock()
		defer sim.mu.Unlock()
		sim.faultLocked(&sim.report.Stuck, "the driver is stuck after %d operations",
			sim.report.Ops)
	}
}

// faultLocked notes a fault; sim.mu is held.
func (sim *simulation) faultLocked(sort *int64, format string, args ...any) {
	how := [...]string{"", ", yields", ", sleeps"}[sim.mode]
	sim.report.note(sort, sim.seed, "%v%s: %s", sim.lastChange, how, fmt.Sprintf(format, args...))
}

// fault is faultLocked for those who do not hold sim.mu.
func (sim *simulation) fault(sort *int64, format string, args ...any) {
	sim.mu.Lock()
	defer sim.mu.Unlock()
	sim.faultLocked(sort, format, args...)
}

// countOps counts operations.
func (sim *simulation) countOps(n int64) {
	sim.mu.Lock()
	sim.report.Ops += n
	sim.mu.Unlock()
}

// holdUp is the hook's way to sleep.
func (sim *simulation) holdUp(d time.Duration) {
	sim.mu.Lock()
	sim.advanceLocked()
	sim.heldUp++
	sim.mu.Unlock()
	time.Sleep(d)
	sim.mu.Lock()
	sim.advanceLocked()
	sim.heldUp--
	sim.mu.Unlock()
}

// exact reports whether nobody is ever held up: then an operation takes no time.
func (sim *simulation) exact() bool { return sim.mode != sleeps }

// steps draws a time of less than n steps; none at all often.
func (sim *simulation) steps(n int) time.Duration {
	return time.Duration(max(0, sim.rng.IntN(n+n/4)-n/4)) * grid
}

// oneIn draws true once in n times.
func (sim *simulation) oneIn(n int) bool { return sim.rng.IntN(n) == 0 }

// more reports whether there is more to do, and counts the time that is about to pass.
func (sim *simulation) more() bool {
	sim.mu.Lock()
	defer sim.mu.Unlock()
	sim.report.Ops++
	return sim.report.Ops < sim.ops
}

// latest draws one of the latest of all, which are those with which something is going on; nil if
// there is none.
func latest[T any](sim *simulation, all []*T) *T {
	n := min(len(all), 24)
	if n == 0 {
		return nil
	}
	return all[len(all)-1-sim.rng.IntN(n)]
}

// later has a visitor do something with k, unless that is nil, after a while: at an instant at
// which other things may happen.
func later[T any](sim *simulation, do func(k *T), k *T) {
	if k == nil {
		return
	}
	d := sim.steps(20)
	go func() {
		time.Sleep(d)
		do(k)
	}()
}
