package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The source is down from 15 s to 35 s. The refresh of 20 s is tried again after 1, 2, 4 and 8
// seconds; that fails, and what was loaded at 10 s is served. The next refreshes are those of the
// grid.
func TestAStaleValueIsBetterThanNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		now := func() int { return int(time.Since(begun) / time.Second) }
		var loads []int
		c := NewCache(func(context.Context, string) (int, error) {
			loads = append(loads, now())
			if 15 < now() && now() < 36 {
				return 0, errors.New("down")
			}
			return now(), nil
		}, Settings{Refresh: 20 * time.Second, Timeout: time.Second, Retry: time.Second, Workers: 1})
		defer c.Close()
		require.NoError(t, c.Keep(t.Context(), "key"))

		time.Sleep(39 * time.Second)
		value, age, ok := c.Get("key")
		require.True(t, ok)
		require.Equal(t, 0, value)
		require.Equal(t, 39*time.Second, age)

		time.Sleep(22 * time.Second)
		synctest.Wait()
		require.Equal(t, []int{0, 20, 21, 23, 27, 35, 40, 60}, loads)
		value, age, _ = c.Get("key")
		require.Equal(t, 60, value)
		require.Equal(t, time.Second, age)
	})
}

// A load that hangs is given up, and the reader does not notice.
func TestALoadThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hangs atomic.Bool
		c := NewCache(func(ctx context.Context, _ string) (string, error) {
			if hangs.Load() {
				<-ctx.Done()
				return "", context.Cause(ctx)
			}
			return "fine", nil
		}, Settings{Refresh: time.Minute, Timeout: time.Second, Retry: time.Second, Workers: 1})
		defer c.Close()
		require.NoError(t, c.Keep(t.Context(), "key"))
		hangs.Store(true)
		time.Sleep(10 * time.Minute)
		value, age, _ := c.Get("key")
		require.Equal(t, "fine", value)
		require.Equal(t, 10*time.Minute, age)
	})
}

func TestTheFirstLoadFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		c := NewCache(func(context.Context, string) (int, error) { return 0, down },
			Settings{Refresh: time.Minute, Timeout: time.Second, Retry: time.Second, Workers: 1})
		defer c.Close()
		require.ErrorIs(t, c.Keep(t.Context(), "key"), down)
		_, _, ok := c.Get("key")
		require.False(t, ok)
	})
}
