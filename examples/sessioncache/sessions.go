package main

import (
	"sync"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

// Sessions holds values that are dropped when nobody has asked for them for a while. Each has a
// deadline of its own in a timing wheel, where moving it costs the same however many there are. A
// session ends up to a tick late, never early.
type Sessions[V any] struct {
	ttl   time.Duration
	wheel *hashedwheel.Wheel

	mu  sync.Mutex
	all map[string]*session[V]
}

type session[V any] struct {
	value    V
	deadline timer.Handle
}

// NewSessions makes a cache of sessions that last for ttl after the last use. Close it when it is
// no longer needed.
func NewSessions[V any](ttl, tick time.Duration) *Sessions[V] {
	return &Sessions[V]{
		ttl: ttl,
		// As many slots as ticks in a lifetime: then a tick finds only what is due.
		wheel: hashedwheel.New(timer.Config{Tick: tick, Slots: min(int(ttl/tick)+1, 1<<20)}),
		all:   map[string]*session[V]{},
	}
}

// Put begins a session, or replaces it.
func (c *Sessions[V]) Put(id string, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.all[id]; old != nil {
		old.deadline.Stop()
	}
	s := &session[V]{value: value}
	s.deadline = c.wheel.AfterFunc(c.ttl, func() { c.expire(id, s) })
	c.all[id] = s
}

// Get returns the value of a session, which lasts for another ttl from now on.
func (c *Sessions[V]) Get(id string) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.all[id]
	if s == nil {
		return value, false
	}
	s.deadline.Reset(c.ttl)
	return s.value, true
}

// expire drops a session, unless another has taken its place.
func (c *Sessions[V]) expire(id string, s *session[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all[id] == s {
		delete(c.all, id)
	}
}

// Len counts the sessions.
func (c *Sessions[V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// Close ends the expiry. What is in the cache stays there.
func (c *Sessions[V]) Close() { c.wheel.Close() }
