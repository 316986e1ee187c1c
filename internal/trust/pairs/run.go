package pairs

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/internal/trust/watchdog"
)

// hangs is after how much real time a life counts as hanging.
const hangs = time.Minute

// Run runs the life of a seed, and returns what was wrong with it and which pairs were effective.
// It may only be called outside of bubbles. A fault does not fail the test: the caller decides. A
// life that is wrong is run again with ever less, and the shortest program that is still wrong is
// told.
//
// If pairs are given, the life is about one of these; the first are drawn more often than the last.
func Run(t *testing.T, seed uint64, about ...Pair) Report {
	ready()
	p := draw(seed, about)
	r := p.run(t)
	if r.Bad() > 0 {
		r.Faults = append(r.Faults, fmt.Sprintf("seed %d, as short as it gets:\n%v", seed,
			p.shrink(t, r)))
	}
	return r
}

// run runs a program in a bubble. A bubble that is deadlocked panics here: that is a fault like any
// other.
func (p *program) run(t *testing.T) (report Report) {
	timer := watchdog.Start(hangs, func() string {
		return fmt.Sprintf("pairs: does not end: %v", p)
	})
	defer timer.Stop()
	l := newLife(p)
	before := runtime.NumGoroutine()
	defer func() {
		v := recover()
		switch {
		case v == nil && leaked(before):
			l.found.leaked("%d goroutines before, %d after", before, runtime.NumGoroutine())
		case v != nil && l.found.hasEnded():
			l.found.leaked("%v", v)
		case v != nil && !l.found.isStuck():
			l.found.stuck("%v", v)
		}
		report = l.found.ofOneLife()
	}()
	synctest.Test(t, func(*testing.T) { l.drive() })
	return report
}

// leaked reports whether there are more goroutines than before, long after the last should have
// ended.
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
