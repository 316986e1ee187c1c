package faults_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

const (
	century = 100 * 365 * 24 * time.Hour
	farAway = century / 10 * 29 // 290 years
)

func nothing(context.Context) error { return nil }

// Virtual time stops in 2262, when the runtime lets all its timers fire.
func TestWhatIsDueAfter2262ComesWhenVirtualTimeStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		f, err := p.Schedule(farAway, nothing)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 2262, time.Now().Year())
	})
	t.Run("loop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := eventloop.New()
			defer l.Shutdown()
			f, err := l.Schedule(farAway, nothing)
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			assert.NoError(t, err)
		})
	})
	t.Run("queue", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := delayqueue.New[int]()
			_, err := q.Put(1, farAway)
			require.NoError(t, err)
			got, err := q.Take(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 1, got)
		})
	})
}

// That a bubble sleeps to the end of time because of it would be wrong: it is never due.
func TestNobodyWaitsForWhatIsNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		f, err := p.Schedule(math.MaxInt64, nothing)
		require.NoError(t, err)
		time.Sleep(2 * century)
		synctest.Wait()
		g, err := p.Schedule(time.Second, nothing)
		require.NoError(t, err)
		_, err = g.Get(t.Context())
		require.NoError(t, err)
		assert.False(t, f.State().Settled())
	})
}

func TestWhatIsNeverHasNoDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.ShutdownNow()
		far := time.Date(9999, 9, 9, 0, 0, 0, 0, time.UTC)
		once, err := p.ScheduleAt(far, nothing)
		require.NoError(t, err)
		rate, err := p.AtFixedRate(0, time.Hour, nothing, executor.From(far))
		require.NoError(t, err)
		wall, err := p.ScheduleAt(far, nothing, executor.WallClock())
		require.NoError(t, err)
		for name, f := range map[string]*executor.ScheduledFuture[struct{}]{"once": once, "rate": rate, "wall": wall} {
			next, ok := f.Next()
			assert.False(t, ok, name)
			assert.Zero(t, next, name)
		}
		for _, waiting := range [][]executor.Pending{p.Queued(), p.Next(9)} {
			require.Len(t, waiting, 3)
			for _, w := range waiting {
				assert.Zero(t, w.Scheduled)
			}
		}
	})
}
