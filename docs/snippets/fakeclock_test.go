package snippets

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// cache is code that asks a clock of its own what time it is.
type cache struct {
	clock clockwork.Clock
	mu    sync.Mutex
	until map[string]time.Time
}

func newCache(clock clockwork.Clock) *cache {
	return &cache{clock: clock, until: map[string]time.Time{}}
}

func (c *cache) put(key string, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until[key] = c.clock.Now().Add(d)
}

func (c *cache) expire(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, t := range c.until {
		if !c.clock.Now().Before(t) {
			delete(c.until, key)
		}
	}
	return nil
}

func (c *cache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.until)
}

func TestEntriesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		cache := newCache(clockwork.NewRealClock()) // it is that of the bubble
		_, err := pool.Every(time.Minute, cache.expire)
		require.NoError(t, err)
		cache.put("session", 90*time.Second)

		time.Sleep(2 * time.Minute) // was clock.Advance(2 * time.Minute)
		synctest.Wait()             // was clock.BlockUntilContext(ctx, 1)
		require.Zero(t, cache.len())
	})
}

func TestOneEntryExpires(t *testing.T) {
	clock := clockwork.NewFakeClock()
	cache := newCache(clock)
	cache.put("session", 90*time.Second)

	clock.Advance(2 * time.Minute)
	require.NoError(t, cache.expire(t.Context())) // what the pool would run
	require.Zero(t, cache.len())
}

// pass moves a fake clock along with the time of the bubble.
func pass(clock *clockwork.FakeClock, d time.Duration) {
	clock.Advance(d)
	time.Sleep(d)
	synctest.Wait()
}

func TestBothClocksPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		clock := clockwork.NewFakeClock()
		cache := newCache(clock)
		_, err := pool.Every(time.Minute, cache.expire)
		require.NoError(t, err)
		cache.put("session", 90*time.Second)

		pass(clock, time.Minute)
		require.Equal(t, 1, cache.len())
		pass(clock, time.Minute)
		require.Zero(t, cache.len())
	})
}

func TestABubbleBeginsAtATimeOfChoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Date(2027, time.March, 28, 0, 0, 0, 0, time.UTC)
		time.Sleep(time.Until(start))
		require.True(t, time.Now().Equal(start))
	})
}
