package executor_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// A pool with many jobs is changed in many places: the error of a command says of which job or pool
// it is, and the error of a configuration which of its jobs is wrong.
func TestErrorsOfCommandsCarryTheNames(t *testing.T) {
	pool := executor.NewScheduledPool(2, executor.Name("jobs"))
	defer pool.Close()
	nothing := func(context.Context) error { return nil }
	poll := executor.Name("poll")
	series, err := pool.Every(time.Hour, nothing, poll)
	require.NoError(t, err)
	once, err := pool.Schedule(time.Hour, nothing, poll)
	require.NoError(t, err)
	ended, err := pool.Every(time.Hour, nothing, poll)
	require.NoError(t, err)
	require.True(t, ended.Cancel())
	apply := func(jobs ...executor.Job) error {
		_, err := pool.Apply(jobs...)
		return err
	}
	_, percent := pool.Every(time.Hour, nothing, poll, executor.Expect(insight.StartWithin(time.Second, 99)))
	hourly := executor.Job{Name: "report", Every: time.Hour, Task: nothing}

	const task, jobs = `executor: task "poll" of pool "jobs": `, `executor: pool "jobs": invalid argument: `
	for want, err := range map[string]error{
		task + "invalid argument: period or delay 0s is not positive":  series.SetPeriod(0),
		task + "invalid argument: a task that runs once has no period": once.SetPeriod(time.Hour),
		jobs + `job "report" is given twice`:                           apply(hourly, hourly),
		jobs + "job 1 has no name":                                     apply(hourly, executor.Job{Every: 1}),
		task + "invalid argument: start within 1s in 99 of all runs: " +
			"the time must be positive, the part above 0 and at most 1": percent,
	} {
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, err, executor.ErrInvalid)
	}
	assert.EqualError(t, ended.SetPeriod(time.Minute), task+"the periodic task has ended")
	assert.NoError(t, series.SetPeriod(time.Minute))
}
