package faults_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// Whoever reads an error in a log must see whose it is.
func TestErrorsCarryPoolTaskAndDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		poll := executor.Name("poll")
		hour := pooltest.Sleep(time.Hour)
		full := pooltest.NewPool(t, 1, executor.Name("jobs"), executor.HandOff())
		held, err := full.Submit(hour, poll, executor.Timeout(5*time.Second))
		require.NoError(t, err)

		_, err = full.Submit(pooltest.Nothing, poll)
		assert.EqualError(t, err, `executor: task "poll" of pool "jobs": pool is saturated`)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.ErrorIs(t, err, executor.ErrRejected)
		assert.EqualError(t, full.Execute(pooltest.Nothing), `executor: pool "jobs": pool is saturated`)

		_, err = held.GetTimeout(time.Second)
		assert.EqualError(t, err, `future: task "poll" of pool "jobs": not settled after 1s`)
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.ErrorIs(t, err, context.DeadlineExceeded)

		_, err = held.Get(context.Background())
		assert.EqualError(t, err, `executor: task "poll" of pool "jobs": timed out after 5s`)
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		full.Shutdown()
		_, err = full.Submit(pooltest.Nothing, poll)
		assert.EqualError(t, err, `executor: task "poll" of pool "jobs": pool is shut down`)
		assert.ErrorIs(t, err, executor.ErrShutdown)

		line := pooltest.NewPool(t, 1, executor.Name("line"))
		_ = line.Execute(hour)
		dropped, _ := line.Submit(pooltest.Nothing, poll)
		synctest.Wait()
		line.ShutdownNow()
		_, err = dropped.Get(context.Background())
		assert.EqualError(t, err, `future: cancelled: executor: task "poll" of pool "line": pool is shut down`)
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.EqualError(t, line.Execute(pooltest.Nothing), `executor: pool "line": pool is shut down`)

		_, err = future.NewPromise[int]().Future().GetTimeout(time.Minute)
		assert.EqualError(t, err, "future: not settled after 1m0s")
	})
}

func TestErrorsOfALoopCarryItsNameToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New(executor.Name("io"))
		f, err := l.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, executor.Name("read"), executor.Timeout(time.Second))
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		assert.EqualError(t, err, `eventloop: task "read" of loop "io": timed out after 1s`)
		assert.NoError(t, l.Close())
		_, err = l.Submit(pooltest.Nothing, executor.Name("read"))
		assert.EqualError(t, err, `eventloop: task "read" of loop "io": loop is shut down`)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

// The cause is the same, and the time has passed as well.
func TestTheEndOfTheBaseContextIsNotTheTimeoutOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, end := context.WithCancelCause(context.Background())
		p := pooltest.NewPool(t, 1, executor.BaseContext(base))
		f, err := p.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(time.Hour)
			return context.Cause(ctx)
		}, executor.Timeout(time.Minute))
		require.NoError(t, err)
		time.Sleep(time.Second)
		end(future.ErrTimeout)
		_, err = f.Get(context.Background())
		assert.Equal(t, future.ErrTimeout, err, "what the body has returned")
	})
}
