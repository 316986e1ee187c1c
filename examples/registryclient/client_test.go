package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func seconds(ns ...int) (ds []time.Duration) {
	for _, n := range ns {
		ds = append(ds, time.Duration(n)*time.Second)
	}
	return ds
}

// Renewals come thirty seconds apart, to the nanosecond.
func TestTheLeaseIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		c := NewClient(m, "a")
		time.Sleep(100 * time.Second)
		synctest.Wait()
		require.Equal(t, seconds(0), m.questions("register"))
		require.Equal(t, seconds(0, 30, 60, 90), m.questions("renew"))
		require.NoError(t, c.Close(t.Context()))
		require.Empty(t, m.alive())
	})
}

// However the registry behaves, two renewals are not farther apart than half a lease: one may be
// lost.
func TestTheWorstGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(newMemory(), "a")
		require.LessOrEqual(t, c.renew.Stats().WorstGap, Lease/2)
		require.NoError(t, c.Close(t.Context()))
	})
}

// The registry hangs for ten minutes. Heartbeats go on each 40 s: the timeout, and the interval.
// Fetches become rare, and the copy stays. Then the lease has run out, and the next heartbeat gets
// a new one.
func TestARegistryThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		c := NewClient(m, "a")
		time.Sleep(35 * time.Second)
		m.hang(true)
		time.Sleep(10 * time.Minute)
		m.hang(false)
		synctest.Wait()
		heartbeats, fetches := len(m.questions("renew")), len(m.questions("fetch"))
		require.Equal(t, seconds(0, 30, 60, 100, 140, 180, 220, 260, 300, 340, 380, 420, 460, 500, 540, 580,
			620), m.questions("renew"))
		require.Less(t, fetches, heartbeats/2)
		instances, age := c.Instances()
		require.Equal(t, []string{"a"}, instances)
		require.GreaterOrEqual(t, age, 10*time.Minute)

		time.Sleep(6 * time.Minute)
		synctest.Wait()
		require.Len(t, m.questions("register"), 2)
		instances, age = c.Instances()
		require.Equal(t, []string{"a"}, instances)
		require.Less(t, age, time.Minute)
		require.NoError(t, c.Close(t.Context()))
	})
}
