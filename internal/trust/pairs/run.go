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
