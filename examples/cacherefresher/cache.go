package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// Load fetches the value of a key, from a database or a service.
type Load[V any] func(ctx context.Context, key string) (V, error)

// Settings say when values are refreshed.
type Settings struct {
	Refresh time.Duration // between the refreshes of a key
	Timeout time.Duration // of one attempt to load
	Retry   time.Duration // before the second attempt; then twice as long, and so on
	Workers int
}

// Cache holds values that are refreshed before anybody asks for them, so a reader never waits for a
// load. While loading fails, readers get the last value, and learn how old it is.
type Cache[V any] struct {
	settings Settings
	load     Load[V]
	pool     *executor.ScheduledPool

	mu     sync.RWMutex
	values map[string]entry[V]
}

type entry[V any] struct {
	value  V
	loaded time.Time
}

// NewCache makes an empty cache. Close it when it is no longer needed.
func NewCache[V any](load Load[V], s Settings) *Cache[V] {
	return &Cache[V]{
		settings: s,
		load:     load,
		pool:     executor.NewScheduledPool(s.Workers, executor.Name("cache")),
		values:   map[string]entry[V]{},
	}
}

// Keep loads a key now, and from then on regularly. It returns the error of the first load.
func (c *Cache[V]) Keep(ctx context.Context, key string) error {
	if err := c.refresh(ctx, key); err != nil {
		return fmt.Errorf("cache: %q: %w", key, err)
	}
	_, err := c.pool.Every(c.settings.Refresh,
		func(ctx context.Context) error { return c.refresh(ctx, key) },
		executor.Name(key), executor.Unique(),
		executor.Timeout(c.settings.Timeout),
		// No worker is held between two attempts. The grid stays: after an outage the keys are
		// spread as they were before.
		executor.Retry(5, retry.Backoff{Base: c.settings.Retry, Spread: retry.NoSpread}),
		executor.CatchUp(executor.Skip))
	return err
}

func (c *Cache[V]) refresh(ctx context.Context, key string) error {
	value, err := c.load(ctx, key)
	if err != nil {
		return err // the old value stays
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] = entry[V]{value, time.Now()}
	return nil
}

// Get returns the value of a key and its age. It is false for a key that is not kept.
func (c *Cache[V]) Get(key string) (value V, age time.Duration, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.values[key]
	return e.value, time.Since(e.loaded), ok
}

// Close ends the refreshing.
func (c *Cache[V]) Close() { c.pool.Close() }
