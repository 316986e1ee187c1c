package pairs

import (
	"sync"
	"time"
)

// course is what has been done to the executor, and has become of it.
type course struct {
	*clock

	// mu guards the rest; it is a leaf. After the life nothing of it changes.
	mu        sync.Mutex
	paused    []span
	shutFrom  time.Duration // when it was first ended; below 0 before that
	shutHow   string
	goesOn    bool          // series have been told to go on after that
	ended     bool          // it has terminated
	endedAt   time.Duration // and when
	cameAfter bool          // a submission came after that
	refusedAt time.Duration // the last that was refused
	sizes     bool          // they have been changed
}

type span struct{ from, to time.Duration }

// pauses notes that the executor is paused; until is below 0 if it was not said how long.
func (c *course) pauses(from, until time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resumedLocked(from)
	if c.shutFrom >= 0 {
		return
	}
	if until < 0 {
		until = 1 << 62
	}
	c.paused = append(c.paused, span{from, until})
}

// resumed notes that the executor is not paused any more.
func (c *course) resumed(at time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resumedLocked(at)
}

func (c *course) resumedLocked(at time.Duration) {
	if n := len(c.paused); n > 0 && c.paused[n-1].to > at {
		c.paused[n-1].to = at
	}
}

// pausesAround returns the pauses that a time lies within.
func (c *course) pausesAround(at time.Duration) (all []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.paused {
		if p.from < at && at < p.to {
			all = append(all, p)
		}
	}
	return all
}

func (c *course) pausedBetween(from, to time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.paused {
		if p.from <= to && p.to >= from {
			return true
		}
	}
	return false
}

// resized notes that the size of the pool, or how long its workers stay, was changed.
func (c *course) resized() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sizes = true
}

func (c *course) wasResized() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sizes
}

// wasPaused reports whether the executor has ever been paused.
func (c *course) wasPaused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.paused) > 0
}

// refuses notes that a submission is refused, or may have been.
func (c *course) refuses() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusedAt = c.now()
}

// shutting notes that the executor is about to be ended.
func (c *course) shutting(how string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shutFrom < 0 {
		c.shutFrom, c.shutHow = c.now(), how
	}
}

// isShut reports whether an end of the executor has begun.
func (c *course) isShut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shutFrom >= 0
}

// howShut returns what has begun the end of the executor.
func (c *course) howShut() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shutHow
}

// letSeriesGoOn notes that series are to go on after a shutdown.
func (c *course) letSeriesGoOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goesOn = true
}

// comes notes, before a submission, whether the executor has ended.
func (c *course) comes(ended bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cameAfter = c.cameAfter || ended
}

// terminates notes when the executor terminates.
func (c *course) terminates() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endedAt = c.now()
}

// ends notes that the executor has terminated, and that the driver knows it.
func (c *course) ends() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

func (c *course) hasEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}
