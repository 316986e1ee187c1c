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

// world is what the worlds of all kinds have in common.
type world struct {
	seed   uint64
	rng    *rand.Rand // the driver's
	mode   mode
	budget int64 // operations to do

	mu sync.Mutex // guards the rest; nobody holds it while calling the facility
	gauge
	order  order
	report Report
	over   bool // the driver has come to its end
}

// patience is after how much virtual time a world is stuck: longer than anything in it takes.
const patience = 24 * time.Hour

// play plays one world: drive is what the driver does in it. A bubble that comes to a standstill panics where it was
// begun, here, which is a fault of the facility like others.
func play(t *testing.T, seed uint64, ops int, drive func(w *world)) (report Report) {
	pcg := rand.NewPCG(seed, 0)
	w := &world{seed: seed, rng: rand.New(pcg), budget: int64(ops)}
	w.mode = modeOf(w.rng.IntN(10))
	if w.mode != plain {
		h := &hook{world: w}
		h.state.Store(mix(seed))
		defer delay.Set(h.at)()
		inner := drive
		drive = func(w *world) {
			inner(w)
			h.off.Store(true)
		}
	}
	before := runtime.NumGoroutine()
	defer func() {
		v := recover()
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case v == nil:
		case w.over:
			w.fault(&w.report.Leaked, "%v", v)
		case w.report.Stuck == 0:
			w.fault(&w.report.Stuck, "%v", v)
		}
		if v == nil && outlived(before) {
			w.fault(&w.report.Leaked, "%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
		report = w.report
	}()
	synctest.Test(t, func(*testing.T) { w.live(drive) })
	return
}

// outlived reports whether there are more goroutines than before for longer than any takes to end.
func outlived(before int) bool {
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

// live has the driver drive, on a goroutine of its own, and waits for it; but not for ever, as virtual time may
// go on while it is stuck.
func (w *world) live(drive func(w *world)) {
	w.start = time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		drive(w)
		time.Sleep(time.Second) // for those that the hook still holds up
		synctest.Wait()
		w.mu.Lock()
		w.over = true
		w.mu.Unlock()
	}()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fault(&w.report.Stuck, "the driver is stuck after %d operations", w.report.Ops)
	}
}

// fault notes a fault; w.mu is held.
func (w *world) fault(sort *int64, format string, args ...any) {
	how := [...]string{"", ", yields", ", sleeps"}[w.mode]
	w.report.note(sort, w.seed, "%v%s: %s", w.last, how, fmt.Sprintf(format, args...))
}

// blame is fault for those who do not hold w.mu.
func (w *world) blame(sort *int64, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault(sort, format, args...)
}

// did counts operations.
func (w *world) did(n int64) {
	w.mu.Lock()
	w.report.Ops += n
	w.mu.Unlock()
}

// holdUp is the hook's way to sleep.
func (w *world) holdUp(d time.Duration) {
	w.mu.Lock()
	w.pass()
	w.asleep++
	w.mu.Unlock()
	time.Sleep(d)
	w.mu.Lock()
	w.pass()
	w.asleep--
	w.mu.Unlock()
}

// exact reports whether nobody is ever held up: then an operation takes no time.
func (w *world) exact() bool { return w.mode != sleeps }

// steps draws a time of less than n steps; none at all often.
func (w *world) steps(n int) time.Duration {
	return time.Duration(max(0, w.rng.IntN(n+n/4)-n/4)) * grid
}

// oneIn draws true once in n times.
func (w *world) oneIn(n int) bool { return w.rng.IntN(n) == 0 }

// more reports whether there is more to do, and counts the time that is about to pass.
func (w *world) more() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.report.Ops++
	return w.report.Ops < w.budget
}

// latest draws one of the latest of all, which are those with which something is going on; nil if there is none.
func latest[T any](w *world, all []*T) *T {
	n := min(len(all), 24)
	if n == 0 {
		return nil
	}
	return all[len(all)-1-w.rng.IntN(n)]
}

// later has a visitor do something with k, unless that is nil, after a while: at an instant at which other things may
// happen.
func later[T any](w *world, do func(k *T), k *T) {
	if k == nil {
		return
	}
	d := w.steps(20)
	go func() {
		time.Sleep(d)
		do(k)
	}()
}
