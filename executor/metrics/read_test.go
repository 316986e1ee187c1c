package metrics_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/retry"
)

func TestTheFiguresAreThoseOfThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.Name("p"),
			executor.Watch(insight.Config{ExplainLate: ms}))
		for _, task := range []struct {
			task executor.Task
			opts []executor.TaskOption
		}{
			{lasts(20 * ms), []executor.TaskOption{executor.Name("slow")}},
			{fails, []executor.TaskOption{executor.Name("bad")}},
			{fails, []executor.TaskOption{executor.Name("bad"), executor.Retry(2, retry.Backoff{})}},
			{lasts(5 * ms), []executor.TaskOption{executor.Timeout(ms)}},
			{fails, nil},
		} {
			_, err := p.Schedule(0, task.task, task.opts...)
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
		f, err := p.Schedule(time.Hour, lasts(0))
		require.NoError(t, err)
		require.True(t, f.Cancel())
		_, err = p.Schedule(time.Hour, lasts(0))
		require.NoError(t, err)
		for _, d := range []time.Duration{30 * ms, 40 * ms} {
			_, err := p.Schedule(0, lasts(d), executor.Timeout(15*ms))
			require.NoError(t, err)
		}
		time.Sleep(ms)
		_, err = p.Schedule(0, lasts(0), executor.BeginWithin(10*ms))
		require.NoError(t, err)
		_, err = p.Schedule(0, lasts(ms), executor.Name("late"))
		require.NoError(t, err)
		time.Sleep(20 * ms)

		m := read(t, p)
		assert.EqualValues(t, 6, value(t, m, "punctual.runs", "p"))
		assert.EqualValues(t, 1, value(t, m, "punctual.run.retries", "p"))
		assert.EqualValues(t, 3, value(t, m, "punctual.run.timeouts", "p"))
		assert.EqualValues(t, 2, value(t, m, "punctual.run.active", "p"))
		assert.EqualValues(t, 2, value(t, m, "punctual.run.overrunning", "p"))
		assert.EqualValues(t, 0.021, value(t, m, "punctual.run.longest", "p"))
		// What has expired does not wait any more.
		assert.EqualValues(t, 2, value(t, m, "punctual.task.queued", "p"))
		assert.EqualValues(t, 0.02, value(t, m, "punctual.queue.overdue", "p"))
		assert.EqualValues(t, 2, value(t, m, "punctual.worker.count", "p", "busy"))
		assert.EqualValues(t, 0, value(t, m, "punctual.worker.count", "p", "idle"))
		assert.EqualValues(t, 2, value(t, m, "punctual.worker.limit", "p"))
		assert.EqualValues(t, 2, value(t, m, "punctual.worker.core", "p"))
		assert.EqualValues(t, p.Stats().Wakeups, value(t, m, "punctual.worker.wakeups", "p"))
		assert.EqualValues(t, 11, value(t, m, "punctual.tasks", "p", "accepted"))
		assert.EqualValues(t, 1, value(t, m, "punctual.tasks", "p", "cancelled"))

		time.Sleep(time.Second)
		m = read(t, p)
		assert.EqualValues(t, 9, value(t, m, "punctual.tasks", "p", "completed"))
		assert.EqualValues(t, 1, value(t, m, "punctual.run.expired", "p", ""))
		assert.EqualValues(t, 0, value(t, m, "punctual.run.longest", "p"))
		assert.EqualValues(t, 0, value(t, m, "punctual.queue.overdue", "p"))
		assert.EqualValues(t, 2, value(t, m, "punctual.worker.count", "p", "idle"))
		assert.EqualValues(t, 2, value(t, m, "punctual.run.failures", "p", "bad"))
		assert.EqualValues(t, 0, value(t, m, "punctual.run.failures", "p", "slow"))
		assert.EqualValues(t, 4, value(t, m, "punctual.run.failures", "p", ""))
		assert.EqualValues(t, p.Stats().Failures, 6)
		// Also of what has expired.
		assert.Equal(t, 0.029+0.010000001, value(t, m, "punctual.run.late.time", "p", "busy"))
		for _, cause := range []string{"clock", "previous", "held", "queue", "slack", "wake"} {
			assert.Zero(t, value(t, m, "punctual.run.late.time", "p", cause), cause)
		}
		assert.EqualValues(t, 0, value(t, m, "punctual.run.late.unexplained", "p"))

		p.ShutdownNow()
		time.Sleep(time.Second)
		_, err = p.Schedule(0, lasts(0))
		require.Error(t, err)
		m = read(t, p)
		assert.EqualValues(t, 1, value(t, m, "punctual.tasks", "p", "returned"))
		assert.EqualValues(t, 1, value(t, m, "punctual.tasks", "p", "rejected"))
		assert.EqualValues(t, 2, value(t, m, "punctual.pool.health", "p"), "it is shut down")
		assert.EqualValues(t, 9, value(t, m, "punctual.runs", "p"))
	})
}

func TestTheSharesOfTasksAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Watch(insight.Config{}))
		run := func(name string, d time.Duration) {
			_, err := p.Schedule(0, lasts(d), executor.Name(name))
			require.NoError(t, err)
			time.Sleep(time.Hour)
		}
		m := read(t, p)
		assert.Zero(t, point(t, m, "punctual.run.duration", "", "").Histogram.Count(), "it is there from the start")

		run("a", 10*ms)
		run("", 3*ms)
		run("b", 20*ms)
		run("", ms)
		m = read(t, p)
		require.Len(t, m["punctual.run.duration"].Points, 3)
		assert.Equal(t, 10*ms, point(t, m, "punctual.run.duration", "", "a").Histogram.Sum)
		rest := point(t, m, "punctual.run.duration", "", "").Histogram
		assert.EqualValues(t, 2, rest.Count())
		assert.Equal(t, 4*ms, rest.Sum)
		assert.Equal(t, 3906250*time.Nanosecond, rest.Max, "the bound of its last bucket")
		assert.Equal(t, 3906250*time.Nanosecond, rest.Quantile(1))
	})
}

func TestMissedPeriodsAndSuccessesAreToldOfTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Watch(insight.Config{}))
		begun, n := time.Now(), 0
		_, err := p.AtFixedRate(0, 10*ms, func(context.Context) error {
			if n++; n == 1 {
				time.Sleep(35 * ms)
			}
			return nil
		}, executor.Name("s"), executor.CatchUp(executor.Skip), executor.Unique())
		require.NoError(t, err)
		_, err = p.AtFixedRate(time.Hour, time.Hour, lasts(0), executor.Name("never yet"))
		require.NoError(t, err)
		_, err = p.Submit(lasts(0))
		require.NoError(t, err)
		time.Sleep(52 * ms)

		unix := func(d time.Duration) float64 { return float64(begun.Add(d).UnixNano()) / 1e9 }
		m := read(t, p)
		assert.EqualValues(t, 3, value(t, m, "punctual.run.missed", "", "s"))
		assert.EqualValues(t, 0, value(t, m, "punctual.run.missed", "", ""))
		assert.Equal(t, unix(50*ms), value(t, m, "punctual.task.last_success", "", "s"))
		require.Len(t, m["punctual.task.last_success"].Points, 1)
		assert.Equal(t, unix(60*ms), value(t, m, "punctual.task.next_run", "", "s"))
		require.Len(t, m["punctual.task.next_run"].Points, 2, "also before the first run")
		assert.Equal(t, 0.01, value(t, m, "punctual.task.period", "", "s"))

		h, ok := p.Lookup("s")
		require.True(t, ok)
		require.True(t, h.Pause())
		assert.Len(t, read(t, p)["punctual.task.next_run"].Points, 1)
	})
}

// A nightly job has a next run from the moment it is planned, and not only from its first run on.
func TestTheNextRunIsToldBeforeTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Watch(insight.Config{}))
		begun := time.Now()
		for _, name := range []string{"nightly", "weekly"} {
			_, err := p.AtFixedRate(time.Hour, 24*time.Hour, lasts(0), executor.Name(name), executor.Unique())
			require.NoError(t, err)
		}
		for range 2 {
			_, err := p.AtFixedRate(time.Hour, time.Hour, lasts(0), executor.Name("two of them"))
			require.NoError(t, err)
		}
		m := read(t, p)
		require.Len(t, m["punctual.task.next_run"].Points, 2)
		assert.EqualValues(t, begun.Add(time.Hour).Unix(), value(t, m, "punctual.task.next_run", "", "nightly"))
		assert.EqualValues(t, 86400, value(t, m, "punctual.task.period", "", "weekly"))
	})
}

func TestAPoolWithoutMeasureTellsWhatItCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Name("p"))
		_, err := p.Submit(fails, executor.Name("x"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		m := read(t, p)
		assert.EqualValues(t, 1, value(t, m, "punctual.run.failures", "p", ""))
		assert.EqualValues(t, 1, value(t, m, "punctual.runs", "p"))
		for _, name := range []string{"punctual.run.duration", "punctual.run.lateness",
			"punctual.run.late.time", "punctual.run.late.unexplained", "punctual.run.longest",
			"punctual.run.missed", "punctual.task.last_success"} {
			assert.Empty(t, m[name].Points, name)
		}
	})
}

func TestAPoolWithoutABoundHasNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, pooltest.NewCached(pooltest.Quiet()))
		assert.Empty(t, read(t, p)["punctual.worker.limit"].Points)
	})
}

func TestHelpersAreNotCountedAsWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewDirectPool(t)
		require.NoError(t, p.Execute(func(context.Context) error { // on the goroutine of the test
			m := read(t, p)
			assert.EqualValues(t, 2, value(t, m, "punctual.run.active", ""))
			assert.EqualValues(t, 1, value(t, m, "punctual.worker.count", "", "busy"))
			assert.EqualValues(t, 0, value(t, m, "punctual.worker.count", "", "idle"))
			return nil
		}))
	})
}

func TestBlockedSubmittersAndPausesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
		require.NoError(t, p.Execute(lasts(time.Minute)))
		go func() { _ = p.Execute(lasts(0)) }()
		synctest.Wait()
		m := read(t, p)
		assert.EqualValues(t, 1, value(t, m, "punctual.submitter.blocked", ""))
		assert.EqualValues(t, 0, value(t, m, "punctual.pool.paused", ""))
		time.Sleep(time.Hour)

		p.Pause()
		assert.EqualValues(t, 1, value(t, read(t, p), "punctual.pool.paused", ""))
		p.Resume()
	})
}

func TestALoopHasMetricsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New(executor.Watch(insight.Config{}), executor.Name("loop"))
		defer l.Close()
		_, err := l.Schedule(0, lasts(3*ms), executor.Name("x"))
		require.NoError(t, err)
		time.Sleep(2 * ms)
		m := read(t, l)
		assert.EqualValues(t, 0.002, value(t, m, "punctual.run.longest", "loop"))
		assert.EqualValues(t, 1, value(t, m, "punctual.worker.count", "loop", "busy"))
		time.Sleep(time.Second)
		m = read(t, l)
		assert.EqualValues(t, 1, value(t, m, "punctual.runs", "loop"))
		assert.EqualValues(t, 1, value(t, m, "punctual.tasks", "loop", "completed"))
		assert.Equal(t, 3*ms, point(t, m, "punctual.run.duration", "loop", "x").Histogram.Max)
		assert.EqualValues(t, 1, value(t, m, "punctual.worker.count", "loop", "idle"))
		assert.EqualValues(t, 1, value(t, m, "punctual.worker.limit", "loop"))
		assert.EqualValues(t, 0, value(t, m, "punctual.pool.health", "loop"))
		for _, name := range []string{"punctual.queue.overdue", "punctual.run.overrunning",
			"punctual.pool.paused"} {
			assert.Empty(t, m[name].Points, name)
		}
	})
}
