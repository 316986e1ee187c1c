package observe_test

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
)

// A policy that panics has refused the task, so nothing is expected of it.
func TestNothingIsExpectedOfATaskWhosePolicyPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Queue(queue.Bounded(1)), pooltest.Quiet(),
			executor.OnRejection(func(*rejection.Task) error { panic("policy") }))
		defer p.Close()
		require.NoError(t, p.Execute(lasts(time.Second)))
		synctest.Wait()
		require.NoError(t, p.Execute(lasts(time.Second)))
		func() {
			defer func() { _ = recover() }()
			_, _ = p.Submit(lasts(0), executor.Name("a"),
				executor.Expect(insight.SuccessWithin(time.Minute)))
		}()
		time.Sleep(time.Hour)
		h := p.Insight().Health()
		assert.Equal(t, insight.HealthOK, h.Status, "%v", h.Err())
	})
}

// What Stats counts as rejected is told as rejected.
func TestATaskRefusedForItsContextIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rejected, submitted atomic.Uint64
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(executor.Observer{
			Submitted: func(executor.Run) { submitted.Add(1) },
			Rejected:  func(executor.Run, error) { rejected.Add(1) }}))
		defer p.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := p.Schedule(0, lasts(0), executor.WithContext(ctx))
		require.Error(t, err)
		s := p.Stats()
		assert.Equal(t, s.Rejected, rejected.Load())
	})
}

// The recording tells that a series has ended because its calendar has failed.
func TestARecordingTellsThatACalendarHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Watch(insight.Config{Record: &out}))
		_, err := p.On(failingCalendar{new(atomic.Int32)}, lasts(0), executor.Name("cal"))
		require.NoError(t, err)
		time.Sleep(10 * time.Minute)
		require.NoError(t, p.Close())
		assert.Contains(t, out.String(), `"last":true`)
	})
}

// Nothing is expected of a task that was refused, as its context had ended.
func TestNothingIsExpectedOfATaskWhoseContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, pooltest.Quiet())
		defer p.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := p.Schedule(0, lasts(0), executor.Name("a"), executor.WithContext(ctx),
			executor.Expect(insight.SuccessWithin(time.Minute)))
		require.Error(t, err)
		time.Sleep(time.Hour)
		h := p.Insight().Health()
		assert.Equal(t, insight.HealthOK, h.Status, "%v", h.Err())
		assert.Empty(t, h.Tasks)
	})
}
