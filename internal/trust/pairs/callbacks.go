package pairs

import "sync"

// callbacks counts the calls of callbacks, and knows at which of them one behaves badly.
type callbacks struct {
	lapses []lapse

	mu     sync.Mutex  // guards the rest; it is a leaf
	calls  map[int]int // of each lapse
	lapsed bool        // one has behaved badly
}

// next counts a call, about a task or about none, and returns how it goes on; nil for well.
func (c *callbacks) next(f *Feature, r *record) (behaviour *Feature) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, p := range c.lapses {
		if p.callback != f || r != nil && r.t != p.task {
			continue
		}
		if c.calls[i] == p.call {
			behaviour = p.behaviour
		}
		c.calls[i]++
	}
	c.lapsed = c.lapsed || behaviour != nil
	return behaviour
}

// haveLapsed reports whether one has behaved badly.
func (c *callbacks) haveLapsed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lapsed
}
