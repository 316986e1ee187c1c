package prompunctual_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/prompunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
)

func TestAScrapeHasEveryMetric(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, executor.Name("jobs"), executor.Watch(insight.Config{ExplainLate: ms}))
		playEverything(t, p)
		assert.Equal(t, []string{
			"punctual_pool_health gauge pool",
			"punctual_pool_paused gauge pool",
			"punctual_queue_overdue_seconds gauge pool",
			"punctual_run_active gauge pool",
			"punctual_run_duration_seconds histogram pool,task",
			"punctual_run_expired_total counter pool,task",
			"punctual_run_failures_total counter pool,task",
			"punctual_run_late_seconds_total counter cause,pool",
			"punctual_run_late_unexplained_total counter pool",
			"punctual_run_lateness_seconds histogram pool,task",
			"punctual_run_longest_seconds gauge pool",
			"punctual_run_missed_periods_total counter pool,task",
			"punctual_run_overrunning gauge pool",
			"punctual_run_retries_total counter pool",
			"punctual_run_skipped_total counter pool,task",
			"punctual_run_timeouts_total counter pool",
			"punctual_runs_total counter pool",
			"punctual_submitter_blocked gauge pool",
			"punctual_task_expected gauge pool,state",
			"punctual_task_health gauge pool,task",
			"punctual_task_last_success_timestamp_seconds gauge pool,task",
			"punctual_task_next_run_timestamp_seconds gauge pool,task",
			"punctual_task_period_seconds gauge pool,task",
			"punctual_task_queued gauge pool",
			"punctual_tasks_total counter pool,result",
			"punctual_worker_core gauge pool",
			"punctual_worker_limit gauge pool",
			"punctual_worker_wakeups_total counter pool",
			"punctual_workers gauge pool,state",
		}, scrape(t, registryOf(t, prompunctual.Options{}, p)).shapes())
	})
}

func TestThereIsNothingToLint(t *testing.T) {
	for _, opts := range []prompunctual.Options{{}, {NativeHistograms: true, Micrometer: true}} {
		synctest.Test(t, func(t *testing.T) {
			p := newPool(t, executor.Name("jobs"), executor.Watch(insight.Config{ExplainLate: ms}))
			playEverything(t, p)
			problems, err := testutil.GatherAndLint(registryOf(t, opts, p))
			require.NoError(t, err)
			assert.Empty(t, problems)
		})
	}
}

func TestTheValuesAreThoseOfTheRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		p := newPool(t, executor.Name("jobs"), executor.Watch(insight.Config{ExplainLate: ms}))
		registry := registryOf(t, prompunctual.Options{}, p)
		for range 3 {
			_, err := p.Schedule(0, lasts(10*ms), executor.Name("x"))
			require.NoError(t, err)
		}
		_, err := p.Schedule(0, fails, executor.Name("y"))
		require.NoError(t, err)
		time.Sleep(5 * ms)
		s := scrape(t, registry)
		assert.Equal(t, 1.0, s.value(t, "punctual_run_active", "pool", "jobs"))
		assert.Equal(t, 3.0, s.value(t, "punctual_task_queued", "pool", "jobs"))
		assert.Equal(t, 0.005, s.value(t, "punctual_queue_overdue_seconds", "pool", "jobs"))
		assert.Equal(t, 1.0, s.value(t, "punctual_workers", "pool", "jobs", "state", "busy"))

		time.Sleep(time.Second)
		s = scrape(t, registry)
		assert.Equal(t, 4.0, s.value(t, "punctual_runs_total", "pool", "jobs"))
		assert.Equal(t, 4.0, s.value(t, "punctual_tasks_total", "pool", "jobs", "result", "completed"))
		assert.Equal(t, 1.0, s.value(t, "punctual_run_failures_total", "pool", "jobs", "task", "y"))
		assert.Equal(t, 0.0, s.value(t, "punctual_run_failures_total", "pool", "jobs", "task", "x"))
		took := s.metric(t, "punctual_run_duration_seconds", "pool", "jobs", "task", "x").Histogram
		assert.EqualValues(t, 3, took.GetSampleCount())
		assert.Equal(t, 0.03, took.GetSampleSum())
		late := s.metric(t, "punctual_run_lateness_seconds", "pool", "jobs", "task", "y").Histogram
		assert.Equal(t, 0.03, late.GetSampleSum())
		waited := 0.0
		for _, cause := range []string{"clock", "previous", "held", "busy", "queue", "slack", "wake"} {
			waited += s.value(t, "punctual_run_late_seconds_total", "pool", "jobs", "cause", cause)
		}
		assert.InDelta(t, 0.06, waited, 1e-9)
		assert.Equal(t, float64(begun.Add(30*ms).UnixNano())/1e9,
			s.value(t, "punctual_task_last_success_timestamp_seconds", "pool", "jobs", "task", "x"))
	})
}

func TestNamesMayBeAnything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := "\"}\n# EOF\n"
		p := newPool(t, executor.Name(pool), executor.Watch(insight.Config{}))
		names := []string{`"`, `\`, "a\nb 1", "# TYPE x counter", "}", "ü€𝄞", "\x00\x7f", "le", "\xff", "\xfe"}
		for _, name := range names {
			_, err := p.Schedule(0, lasts(0), executor.Name(name))
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		s := scrape(t, registryOf(t, prompunctual.Options{Micrometer: true}, p))
		for _, name := range names[:len(names)-2] {
			h := s.metric(t, "punctual_run_duration_seconds", "pool", pool, "task", name).Histogram
			assert.EqualValues(t, 1, h.GetSampleCount(), "%q", name)
		}
		h := s.metric(t, "punctual_run_duration_seconds", "pool", pool, "task", "\uFFFD").Histogram
		assert.EqualValues(t, 2, h.GetSampleCount())
	})
}

func TestAPoolThatIsShutDownIsScraped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, executor.Name("jobs"), executor.Watch(insight.Config{}))
		l := eventloop.New(executor.Name("loop"), executor.Watch(insight.Config{}))
		registry := registryOf(t, prompunctual.Options{}, p, l)
		_, err := p.Schedule(0, lasts(ms), executor.Name("x"))
		require.NoError(t, err)
		_, err = l.Schedule(0, lasts(ms), executor.Name("x"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.NoError(t, p.Close())
		require.NoError(t, l.Close())
		s := scrape(t, registry)
		for _, pool := range []string{"jobs", "loop"} {
			assert.Equal(t, 2.0, s.value(t, "punctual_pool_health", "pool", pool))
			assert.Equal(t, 1.0, s.value(t, "punctual_runs_total", "pool", pool))
		}
	})
}

func TestOnePoolIsRegisteredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewPedanticRegistry()
		jobs, mail := newPool(t, executor.Name("jobs")), newPool(t, executor.Name("mail"))
		require.NoError(t, prompunctual.Register(registry, jobs))
		require.NoError(t, prompunctual.Register(registry, mail), "another pool may come later")
		err := prompunctual.Register(registry, newPool(t, executor.Name("jobs")))
		require.EqualError(t, err,
			`prompunctual: pools ["jobs"]: duplicate metrics collector registration attempted`)
		require.ErrorAs(t, err, new(prometheus.AlreadyRegisteredError))
		require.ErrorIs(t, prompunctual.Register(registry, newPool(t), newPool(t)), executor.ErrInvalid)
		_, err = prompunctual.New(prompunctual.Options{}, nil)
		require.ErrorIs(t, err, executor.ErrInvalid)
		assert.Len(t, scrape(t, registry)["punctual_runs_total"].Metric, 2)

		c, err := prompunctual.New(prompunctual.Options{}, mail)
		require.NoError(t, err)
		assert.True(t, registry.Unregister(c), "it is known by its pools")
		assert.Len(t, scrape(t, registry)["punctual_runs_total"].Metric, 1)
	})
}

// Outside of a bubble, for the race detector.
func TestManyScrapesAtOnce(t *testing.T) {
	p := newPool(t, executor.Name("jobs"), executor.Watch(insight.Config{ExplainLate: insight.Any}))
	registry := registryOf(t, prompunctual.Options{Micrometer: true}, p)
	_, err := p.AtFixedRate(0, 100*time.Microsecond, lasts(0), executor.Name("poll"), executor.Unique(),
		executor.Expect(insight.SuccessWithin(time.Minute)))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				_, err := registry.Gather()
				assert.NoError(t, err)
				_ = p.Execute(lasts(0))
			}
		})
	}
	wg.Wait()
}
