package timertest

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// trial is one check of one facility in progress. It collects failures instead of failing a test,
// so that the suite itself can be tested with facilities that are broken.
type trial struct {
	Facility
	outer *testing.T // runs the check; bubbles are made from it

	// patience is how long functions may take to begin in real time before they count as lost.
	patience time.Duration

	inner *testing.T // the test of the current bubble
	epoch time.Time  // when that bubble began

	mu    sync.Mutex
	found []string // failures, the first few
	made  []timer.Scheduler
}

// mostFound is how many failures of one check are reported. A broken facility has thousands.
const mostFound = 8

// errorf records a failure. It may be called from any goroutine.
func (c *trial) errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.found) < mostFound {
		c.found = append(c.found, fmt.Sprintf(format, args...))
	}
}

// failed reports whether a failure has been recorded.
func (c *trial) failed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.found) > 0
}

// bubble runs f in a bubble of its own, and then stops the facilities made there. Goroutines that
// are left after that, or blocked for ever, are a failure.
func (c *trial) bubble(f func()) {
	defer func() {
		if problem := recover(); problem != nil {
			c.errorf("goroutines are left after the end, or all are blocked for ever: %v", problem)
		}
	}()
	synctest.Test(c.outer, func(t *testing.T) {
		c.inner, c.epoch = t, time.Now()
		defer c.stopAll()
		f()
	})
}

// realTime runs f outside of any bubble.
func (c *trial) realTime(f func()) {
	c.inner, c.epoch = c.outer, time.Now()
	defer c.stopAll()
	f()
}

// make returns a new facility, which is stopped at the end of the bubble.
func (c *trial) make(cfg timer.Config) timer.Scheduler {
	s := c.New(c.inner, cfg)
	c.made = append(c.made, s)
	return s
}

func (c *trial) stopAll() {
	for _, s := range c.made {
		if c.Stop != nil {
			c.Stop(s)
		}
	}
	c.made = nil
}

// now returns the time since the bubble began.
func (c *trial) now() time.Duration { return time.Since(c.epoch) }

// pass lets d pass, and then the allowed lateness, so that everything due within d has begun. The
// extra nanosecond is for facilities that set an alarm for no time at all on the way.
func (c *trial) pass(d time.Duration) {
	time.Sleep(later(d, c.Lateness) + 1)
	synctest.Wait()
}

// later returns a+b, or the end of time if that would overflow. A negative b is not allowed.
func later(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
