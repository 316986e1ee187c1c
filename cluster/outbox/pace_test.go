package outbox_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/outbox"
)

// at tells when each submission was asked for.
func (f *fake) at(begun time.Time) (all []time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.asked {
		all = append(all, t.Sub(begun))
	}
	return all
}

// inBubble runs a relay in virtual time, for so long.
func inBubble(t *testing.T, d time.Duration, w *world, pool *fake, opts ...outbox.Option) {
	r, err := outbox.NewRelayTo(w.db, w.table, pool, opts...)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	require.NoError(t, r.Run(ctx))
}

// A pool without room is asked less and less often, but once a batch.
func TestPausesGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := sqliteWorld(t)
		w.add("", "a", "b", "c")
		pool := &fake{before: func(cluster.Encoded) error { return cluster.ErrFull }}
		begun := time.Now()
		inBubble(t, 5*time.Second, w, pool, outbox.Backoff(time.Second), outbox.Concurrency(1))
		ms := time.Millisecond
		assert.Equal(t, []time.Duration{
			0, 100 * ms, 300 * ms, 700 * ms, 1500 * ms, 2500 * ms, 3500 * ms, 4500 * ms,
		}, pool.at(begun))
		assert.Equal(t, 3, w.rows())
		require.NoError(t, w.db.Close())
	})
}

// While there is nothing to do, the relay looks once a poll; after Wake it does so at once.
func TestWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := sqliteWorld(t)
		pool := &fake{}
		r, err := outbox.NewRelayTo(w.db, w.table, pool, outbox.Poll(time.Minute))
		require.NoError(t, err)
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		go func() {
			time.Sleep(90 * time.Second)
			w.add("", "waits for the poll")
			time.Sleep(90 * time.Second)
			w.add("", "is hinted at")
			for range 10 {
				r.Wake()
			}
		}()
		require.NoError(t, r.Run(ctx))
		assert.Equal(t, []time.Duration{2 * time.Minute, 3 * time.Minute}, pool.at(begun))
		require.NoError(t, w.db.Close())
	})
}
