package main

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	ttl  = 30 * time.Minute
	tick = time.Second
)

// A session that nobody uses is there until its time has come, and gone a tick later.
func TestASessionLastsForItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions[string](ttl, tick)
		defer s.Close()
		s.Put("a", "alice")
		time.Sleep(ttl - 1)
		require.Equal(t, 1, s.Len())
		time.Sleep(1 + tick)
		synctest.Wait()
		require.Equal(t, 0, s.Len())
		_, ok := s.Get("a")
		require.False(t, ok)
	})
}

// Each use moves the deadline: for a day, and then it ends like any other.
func TestUseKeepsASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions[string](ttl, tick)
		defer s.Close()
		s.Put("a", "alice")
		for range 49 {
			time.Sleep(ttl - 1)
			value, ok := s.Get("a")
			require.True(t, ok)
			require.Equal(t, "alice", value)
		}
		time.Sleep(ttl + tick)
		synctest.Wait()
		require.Equal(t, 0, s.Len())
	})
}

// The deadline of a session that was replaced does not end the one that took its place.
func TestAReplacedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions[int](ttl, tick)
		defer s.Close()
		s.Put("a", 1)
		time.Sleep(ttl / 2)
		s.Put("a", 2)
		time.Sleep(ttl/2 + tick)
		synctest.Wait()
		value, ok := s.Get("a")
		require.True(t, ok)
		require.Equal(t, 2, value)
	})
}

// A thousand sessions, one begun each second: at any time those of the last ttl are there, and at
// most those of one tick more.
func TestManySessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions[int](10*time.Minute, tick)
		defer s.Close()
		for i := range 1000 {
			s.Put(fmt.Sprint(i), i)
			require.LessOrEqual(t, s.Len(), 602)
			require.GreaterOrEqual(t, s.Len(), min(i+1, 600))
			time.Sleep(time.Second)
			synctest.Wait()
		}
		time.Sleep(10*time.Minute + tick)
		synctest.Wait()
		require.Equal(t, 0, s.Len())
	})
}
