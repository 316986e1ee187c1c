package replay_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/replay"
	"github.com/punctual-go/punctual/executor/retry"
)

func oneWorker(record executor.Option) *executor.ScheduledPool {
	return executor.NewScheduledPool(1, record, pooltest.Quiet())
}

func playedAgain(t *testing.T, play func(p *executor.ScheduledPool)) (was, again *replay.Recording) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := oneWorker(executor.Watch(insight.Config{Record: &out}))
		play(p)
		require.NoError(t, p.Close())
		var err error
		was, err = replay.Read(&out)
		require.NoError(t, err)
		again, err = was.Play(oneWorker)
		require.NoError(t, err)
	})
	return was, again
}

func begun(r *replay.Recording) (all [][]time.Duration) {
	for _, t := range r.Tasks {
		began := []time.Duration{}
		for _, run := range t.Runs {
			began = append(began, run.Began)
		}
		all = append(all, began)
	}
	return all
}

// A series that backs off comes at other times than its period says.
func TestSlowDownIsPlayed(t *testing.T) {
	was, again := playedAgain(t, func(p *executor.ScheduledPool) {
		_, err := p.AtFixedRate(time.Second, time.Second, func(context.Context) error { return errors.New("x") },
			executor.Name("s"), executor.SlowDown(2, time.Minute))
		require.NoError(t, err)
		time.Sleep(40 * time.Second)
	})
	assert.Equal(t, begun(was), begun(again))
}

// A failed attempt that another follows ends no series.
func TestRetryAndStopIsPlayed(t *testing.T) {
	was, again := playedAgain(t, func(p *executor.ScheduledPool) {
		_, err := p.AtFixedRate(time.Second, 10*time.Second, func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Attempt < 2 {
				return errors.New("x")
			}
			return nil
		}, executor.Name("s"), executor.FailurePolicy(executor.StopSeries),
			executor.Retry(2, retry.Backoff{Base: time.Second, Factor: 1, Spread: 1}))
		require.NoError(t, err)
		time.Sleep(45 * time.Second)
	})
	assert.Equal(t, begun(was), begun(again))
}

// A series of which runs have expired.
func TestExpiredRunsArePlayed(t *testing.T) {
	was, again := playedAgain(t, func(p *executor.ScheduledPool) {
		_, err := p.AtFixedRate(time.Second, time.Second, func(context.Context) error { return nil },
			executor.Name("s"), executor.BeginWithin(100*time.Millisecond), executor.MaxRuns(8))
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond)
		_, err = p.Schedule(0, func(context.Context) error { time.Sleep(2800 * time.Millisecond); return nil })
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
	})
	assert.Equal(t, begun(was), begun(again))
}

// The pool of make has tasks of its own.
func TestMakeMaySubmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		night, err := replay.Read(strings.NewReader(
			`{"punctual":1,"kind":"pool","workers":1,"at":"2000-01-01T00:00:00Z"}` + "\n"))
		require.NoError(t, err)
		assert.NotPanics(t, func() {
			_, err = night.Play(func(record executor.Option) *executor.ScheduledPool {
				p := oneWorker(record)
				_, _ = p.Schedule(0, func(context.Context) error { return nil })
				return p
			})
		})
	})
}

// The beginning of the last run is lost.
func TestALostBeginIsPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		night, err := replay.Read(strings.NewReader(
			`{"punctual":1,"kind":"pool","workers":1,"at":"2000-01-01T00:00:00Z"}
{"t":0,"e":"submit","id":1,"name":"a","rate":1000000000,"max_runs":0}
{"t":1,"e":"lost","count":1}
{"t":5,"e":"begin","id":1,"n":1,"attempt":2}
{"t":6,"e":"end","id":1,"n":1,"attempt":2,"how":"ok","last":true}
`))
		require.NoError(t, err)
		_, err = night.Play(oneWorker)
		assert.NoError(t, err)
	})
}

// A corrupt line must not take all memory, or panic.
func TestACancelBeforeItsSubmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		night, err := replay.Read(strings.NewReader(
			`{"punctual":1,"kind":"pool","workers":1,"at":"2000-01-01T00:00:00Z"}
{"t":5,"e":"submit","id":1,"name":"a"}
{"t":4,"e":"cancel","id":1}
`))
		if err != nil {
			return
		}
		assert.NotPanics(t, func() { _, _ = night.Play(oneWorker) })
	})
}

// Dropped tasks have never run, and do not in a replay.
func TestDroppedTasksArePlayed(t *testing.T) {
	was, again := playedAgain(t, func(p *executor.ScheduledPool) {
		_, err := p.Schedule(time.Second, func(context.Context) error { time.Sleep(5 * time.Second); return nil })
		require.NoError(t, err)
		_, err = p.Schedule(3*time.Second, func(context.Context) error { return nil })
		require.NoError(t, err)
		time.Sleep(4 * time.Second)
		p.ShutdownNow()
	})
	assert.Equal(t, begun(was), begun(again))
}
