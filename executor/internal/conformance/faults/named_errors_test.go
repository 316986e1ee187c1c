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
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// Whoever reads an error in a log must see whose it is.
func TestErrorsCarryPoolTaskAndDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		poll := executor.Name("poll")
		hour := pooltest.Sleep(time.Hour)
		full := pooltest.NewPool(t, 1, executor.Name("jobs"), executor.Queue(queue.HandOff()))
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

// Five jobs are scheduled in a row: which one has the bad argument?
func TestErrorsOfBadArgumentsCarryTheNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := pooltest.NewScheduledPool(t, 1, executor.Name("jobs"))
		loop := eventloop.New(executor.Name("io"))
		defer loop.Close()
		poll, value := executor.Name("poll"), func(context.Context) (int, error) { return 0, nil }
		_, tooShort := pool.AtFixedRate(0, 0, pooltest.Nothing, executor.Timeout(-1), poll)
		_, badOption := pool.Schedule(0, pooltest.Nothing, executor.Timeout(-1), poll) // before the name
		_, nilTask := pool.WithFixedDelay(0, time.Second, nil, poll)
		_, nilFunc := executor.Submit[int](pool, nil, poll)
		_, nilLater := executor.Schedule[int](pool, 0, nil, poll)
		_, nilCalendar := pool.On(nil, pooltest.Nothing, poll)
		_, nilJob := pool.Apply(executor.Job{Name: "poll", Rate: time.Second})
		_, noRate := pool.Apply(executor.Job{Name: "poll", Task: pooltest.Nothing})
		_, unnamed := pool.Submit(nil)
		_, onLoop := loop.AtFixedRate(0, -1, pooltest.Nothing, poll)
		_, unique := loop.Schedule(0, pooltest.Nothing, poll, executor.Unique())
		_, nilOnLoop := eventloop.Submit[int](loop, nil, poll)
		_, valid := eventloop.Submit(loop, value, poll)
		assert.NoError(t, valid)
		for want, err := range map[string]error{
			`executor: task "poll" of pool "jobs": invalid argument: period or delay 0s is not positive`: tooShort,
			`executor: task "poll" of pool "jobs": invalid argument: timeout -1ns is not positive`:       badOption,
			`executor: task "poll" of pool "jobs": invalid argument: nil calendar`:                       nilCalendar,
			`executor: task "poll" of pool "jobs": invalid argument: ` +
				`a job needs a name, and either a period, a rate, a delay or a calendar, or is on demand`: noRate,
			`eventloop: task "poll" of loop "io": invalid argument: period or delay -1ns is not positive`: onLoop,
			`eventloop: task "poll" of loop "io": invalid argument: an event loop knows no unique tasks`:  unique,
		} {
			assert.EqualError(t, err, want)
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
		for _, err := range []error{nilTask, nilFunc, nilLater, nilJob} {
			assert.EqualError(t, err, `executor: task "poll" of pool "jobs": nil task`)
			assert.ErrorIs(t, err, executor.ErrNilTask)
		}
		assert.EqualError(t, unnamed, `executor: pool "jobs": nil task`)
		assert.EqualError(t, nilOnLoop, `eventloop: task "poll" of loop "io": nil task`)
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

func TestAFailureAfterSeveralAttemptsIsLoggedWithTheirNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, text := pooltest.NewLog()
		pool := pooltest.NewScheduledPool(t, 1, executor.Logger(log))
		require.NoError(t, pool.Execute(pooltest.Fail, executor.Name("push"), executor.Retry(4, retry.Backoff{})))
		require.NoError(t, pool.Execute(pooltest.Fail, executor.Name("once")))
		synctest.Wait()
		assert.Regexp(t, `task=push run=1 attempts=4 error=`, text.String())
		assert.Regexp(t, `task=once run=1 error=`, text.String())
	})
}
