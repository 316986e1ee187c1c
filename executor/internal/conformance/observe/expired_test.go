package observe_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/timer/cron"
)

var quietly = executor.Logger(slog.New(slog.DiscardHandler))

// telling is what pools and loops have in common.
type telling interface {
	Schedule(time.Duration, executor.Task, ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	On(executor.Calendar, executor.Task, ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	Insight() insight.View
}

// each plays a test with a pool of one worker and with a loop, of which told counts how often
// observers were told that a run has expired.
func each(t *testing.T,
	play func(t *testing.T, e telling, expired func() uint64, told *atomic.Int64)) {
	t.Helper()
	told := new(atomic.Int64)
	opts := []eventloop.Option{executor.Watch(insight.Config{History: true}), quietly,
		executor.Observe(executor.Observer{Expired: func(executor.Run) { told.Add(1) }})}
	t.Run("pool", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var all []executor.Option
			for _, o := range opts {
				all = append(all, o.(executor.Option))
			}
			p := executor.NewScheduledPool(1, all...)
			defer p.Close()
			play(t, p, func() uint64 { return p.Stats().Expired }, told)
		})
	})
	told.Store(0)
	t.Run("loop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := eventloop.New(opts...)
			defer l.Close()
			play(t, l, func() uint64 { return l.Stats().Expired }, told)
		})
	})
}

func TestWhatHasExpiredIsCountedByName(t *testing.T) {
	each(t, func(t *testing.T, e telling, expired func() uint64, told *atomic.Int64) {
		within := executor.BeginWithin(time.Second)
		_, err := e.Schedule(0, lasts(10500*ms))
		require.NoError(t, err)
		_, err = e.Schedule(time.Second, lasts(0), executor.Name("once"), within)
		require.NoError(t, err)
		_, err = e.Schedule(time.Second, lasts(0), within)
		require.NoError(t, err)
		_, err = e.AtFixedRate(time.Second, 2*time.Second, lasts(0), executor.Name("series"), within)
		require.NoError(t, err)
		calendar, err := cron.ParseSeconds("*/5 * * * * *")
		require.NoError(t, err)
		_, err = e.On(calendar, lasts(0), executor.Name("calendar"), within)
		require.NoError(t, err)
		time.Sleep(12 * time.Second)
		synctest.Wait()
		m := e.Insight().Measurements()
		counts := map[string]uint64{}
		for _, task := range m.Tasks {
			counts[task.Name] = task.Expired
		}
		assert.Equal(t, map[string]uint64{"once": 1, "series": 5, "calendar": 1}, counts)
		assert.EqualValues(t, 8, m.Expired)
		assert.EqualValues(t, 8, expired())
		assert.EqualValues(t, 8, told.Load())
		assert.EqualValues(t, m.Took.Count(), m.Late.Count(), "only those that have begun")
		var remembered uint64
		for _, s := range e.Insight().History().Seconds {
			remembered += s.Expired
		}
		assert.EqualValues(t, 8, remembered)
	})
}

func TestASeriesKeepsWhatHasExpired(t *testing.T) {
	each(t, func(t *testing.T, e telling, _ func() uint64, _ *atomic.Int64) {
		begun := time.Now()
		_, err := e.Schedule(1500*ms, lasts(2*time.Second), executor.Name("hog"))
		require.NoError(t, err)
		f, err := e.AtFixedRate(time.Second, time.Second, func(context.Context) error {
			return executor.ErrExpired // of another task
		}, executor.Name("t"), executor.BeginWithin(600*ms))
		require.NoError(t, err)
		time.Sleep(3500*ms + 1)
		synctest.Wait()
		runs := f.Handle.History()
		require.Len(t, runs, 3)
		assert.Equal(t, []bool{false, true, false},
			[]bool{runs[0].Expired, runs[1].Expired, runs[2].Expired})
		for i, number := range []int{2, 2, 1} {
			assert.EqualValues(t, number, runs[i].Number, "none begins with what expires")
			assert.ErrorIs(t, runs[i].Err, executor.ErrExpired)
		}
		assert.WithinDuration(t, begun.Add(2*time.Second), runs[1].Scheduled, 1)
		assert.WithinDuration(t, begun.Add(2600*ms), runs[1].Started, 2)
		assert.Equal(t, 600*ms+1, runs[1].Late)
		assert.Zero(t, runs[1].Took)
		require.NotNil(t, runs[1].Why)
		assert.True(t, runs[1].Why.Expired)
		last, ok := f.Handle.Last()
		require.True(t, ok)
		assert.Equal(t, last.Started, runs[0].Started, "it is no run")
		assert.Equal(t, last.Err, runs[0].Err)
		assert.EqualValues(t, 2, f.Runs())
	})
}

func TestTheHistoryHasTasksThatHaveExpired(t *testing.T) {
	each(t, func(t *testing.T, e telling, _ func() uint64, _ *atomic.Int64) {
		_, err := e.Schedule(0, lasts(10*time.Second), executor.Name("hog"))
		require.NoError(t, err)
		_, err = e.Schedule(2*time.Second, lasts(0), executor.Name("x"), executor.BeginWithin(ms))
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		h := e.Insight().History()
		require.Len(t, h.Late, 1)
		late := h.Late[0]
		assert.True(t, late.Expired)
		assert.Equal(t, "x", late.Name)
		assert.EqualValues(t, 1, late.Number)
		require.ErrorIs(t, late.Err, executor.ErrExpired)
		assert.Equal(t, "workers 1ms (hog 2s)", late.Why.String())
		require.Len(t, h.Seconds, 1, "of nothing that goes on")
		assert.EqualValues(t, 1, h.Seconds[0].Expired)
		assert.Zero(t, h.Seconds[0].Runs)
		text, err := json.Marshal(late.Why)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"expired":true`)
		var read insight.Lateness
		require.NoError(t, json.Unmarshal(text, &read))
		assert.True(t, read.Expired)
	})
}
