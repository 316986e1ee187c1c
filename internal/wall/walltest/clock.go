// Package walltest has a wall clock that tests set.
package walltest

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/punctual-go/punctual/internal/wall"
)

// Clock is ahead of the system's clock by as much as a test wants. In a testing/synctest bubble
// both are virtual.
type Clock struct {
	mu       sync.Mutex
	ahead    time.Duration
	watchers map[int]func()
	count    int
}

// Use has executors that are made during the test use a clock, which it returns.
func Use(t testing.TB) *Clock {
	c := &Clock{watchers: map[int]func(){}}
	t.Cleanup(wall.Replace(c))
	return c
}

// Read returns the moment on both clocks.
func (c *Clock) Read() (mono, wall time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	return now, now.Round(0).Add(c.ahead)
}

// Now returns what the wall clock shows.
func (c *Clock) Now() time.Time {
	_, now := c.Read()
	return now
}

// Watch has parted called by Set.
func (c *Clock) Watch(parted func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.count
	c.count++
	c.watchers[n] = parted
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, n)
	}
}

// Step sets the clock by so much, and tells all who watch. A machine that is suspended looks the
// same: what runs on the monotonic clock has not seen the time pass.
func (c *Clock) Step(by time.Duration) {
	c.StepUnheard(by)
	c.Tell()
}

// StepUnheard sets the clock, and tells nobody yet.
func (c *Clock) StepUnheard(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += by
}

// Tell tells all who watch.
func (c *Clock) Tell() {
	c.mu.Lock()
	watchers := slices.Collect(maps.Values(c.watchers))
	c.mu.Unlock()
	for _, parted := range watchers {
		parted()
	}
}

// Watchers returns how many watch.
func (c *Clock) Watchers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.watchers)
}
