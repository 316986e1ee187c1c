package metrics_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/metrics"
	"github.com/punctual-go/punctual/executor/runlog"
)

// reaches returns a task that says how far it is, and goes on for a minute.
func reaches(done, total int64) executor.Task {
	return func(ctx context.Context) error {
		runlog.Progress(ctx, done, total, "rows")
		time.Sleep(time.Minute)
		return nil
	}
}

func TestProgressIsToldByTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := runlog.New(runlog.Config{})
		p := executor.NewScheduledPool(9, executor.Name("jobs\xff"), executor.Observe(runs.Observer()))
		loop := eventloop.New(executor.Name("session"), executor.Observe(runs.Observer()))
		defer p.Close()
		defer loop.Close()
		submit := func(name string, task executor.Task) {
			_, err := p.Submit(task, executor.Name(name))
			require.NoError(t, err)
		}
		submit("import", reaches(3, 4))
		submit("import", reaches(1, 4))
		submit("import", reaches(7, 0)) // not known of how many
		submit("full", reaches(9, 4))
		submit("a\xff", reaches(1, 2))
		submit("silent", lasts(time.Minute))
		_, err := loop.Submit(reaches(1, 10), executor.Name("beat"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		m := read(t, metrics.WithProgress(p, runs), metrics.WithProgress(loop, runs))
		const name = "punctual.run.progress"
		assert.Len(t, m[name].Points, 4)
		for task, want := range map[string]float64{"import": 0.25, "full": 1, "a\uFFFD": 0.5} {
			assert.Equal(t, want, value(t, m, name, "jobs\uFFFD", task), task)
		}
		assert.Equal(t, 0.1, value(t, m, name, "session", "beat"))
		assert.EqualValues(t, 6, value(t, m, "punctual.run.active", "jobs\uFFFD"), "it is read like the pool")
		assert.Empty(t, read(t, p)[name].Points)
		time.Sleep(time.Hour)
		assert.Empty(t, read(t, metrics.WithProgress(p, runs))[name].Points)
	})
}

func TestProgressHasABoundOfNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := runlog.New(runlog.Config{})
		p := executor.NewScheduledPool(300, executor.Observe(runs.Observer()))
		defer p.Close()
		for i := range int64(250) {
			_, err := p.Submit(reaches(1000-i, 1000), executor.Name(fmt.Sprintf("%03d", i)))
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		m := read(t, metrics.WithProgress(p, runs))
		assert.Len(t, m["punctual.run.progress"].Points, 201)
		assert.Equal(t, 1.0, value(t, m, "punctual.run.progress", "", "000"))
		assert.Equal(t, 0.751, value(t, m, "punctual.run.progress", "", "other"))
	})
}

func TestProgressOfNothing(t *testing.T) {
	_, err := metrics.Of(metrics.WithProgress(nil, runlog.New(runlog.Config{})))
	assert.ErrorIs(t, err, executor.ErrInvalid)
	p := executor.NewPool(1)
	defer p.Close()
	assert.Empty(t, read(t, metrics.WithProgress(p, nil))["punctual.run.progress"].Points)
	_, err = metrics.Of(p, metrics.WithProgress(p, nil))
	assert.ErrorIs(t, err, executor.ErrInvalid, "it is the same pool")
}
