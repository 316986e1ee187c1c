package faults_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// payload is captured by what a series has been given.
type payload [1 << 16]byte

// requireReleased demands that what start captures is collected while what it returns is kept.
func requireReleased(t *testing.T, start func(big *payload) executor.Handle) {
	t.Helper()
	gone := make(chan struct{})
	kept := func() executor.Handle {
		big := new(payload)
		runtime.AddCleanup(big, func(c chan struct{}) { close(c) }, gone)
		return start(big)
	}()
	defer runtime.KeepAlive(kept)
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}, 10*time.Second, time.Millisecond)
}

// always is a calendar that says that it is time every microsecond.
type always struct{ big *payload }

func (a always) Next(after time.Time) time.Time { return after.Add(time.Microsecond) }

// A table of jobs keeps the handles of those that have ended.
func TestTheHandleOfAnEndedSeriesKeepsNoneOfItsFunctions(t *testing.T) {
	type scheduler interface {
		executor.ScheduledSubmitter
		On(executor.Calendar, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
		Close() error
	}
	for name, make := range map[string]func() scheduler{
		"pool": func() scheduler { return executor.NewScheduledPool(1) },
		"loop": func() scheduler { return eventloop.New() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("the end", func(t *testing.T) {
				p := make()
				defer p.Close()
				requireReleased(t, func(big *payload) executor.Handle {
					f, err := p.WithFixedDelay(0, time.Microsecond, func(context.Context) error { big[1]++; return nil },
						executor.DelayBy(func(executor.LastRun) (time.Duration, bool) { big[0]++; return 0, false }))
					require.NoError(t, err)
					_, err = f.Get(t.Context())
					require.NoError(t, err)
					return f.Handle
				})
			})
			t.Run("a cancellation", func(t *testing.T) {
				p := make()
				defer p.Close()
				requireReleased(t, func(big *payload) executor.Handle {
					f, err := p.On(always{big}, nothing)
					require.NoError(t, err)
					assert.True(t, f.Cancel())
					return f.Handle
				})
			})
			t.Run("a shutdown", func(t *testing.T) {
				p := make()
				requireReleased(t, func(big *payload) executor.Handle {
					f, err := p.AtFixedRate(time.Hour, time.Hour, nothing,
						executor.DelayBy(func(executor.LastRun) (time.Duration, bool) { big[0]++; return 0, true }))
					require.NoError(t, err)
					require.NoError(t, p.Close())
					return f.Handle
				})
			})
		})
	}
}
