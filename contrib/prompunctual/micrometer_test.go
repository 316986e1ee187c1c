package prompunctual_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/prompunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/queue"
)

func TestMicrometersNamesAreAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, executor.Name("jobs"), executor.Watch(insight.Config{}))
		free := executor.NewPool(0, executor.Queue(queue.HandOff()), executor.MaximumSize(math.MaxInt),
			executor.Name("free"))
		defer free.Close()
		registry := registryOf(t, prompunctual.Options{Micrometer: true}, p, free)
		for _, name := range []string{"a", "a", "b", ""} {
			_, err := p.Schedule(0, lasts(time.Second), executor.Name(name))
			require.NoError(t, err)
		}
		time.Sleep(2500 * ms)
		s := scrape(t, registry)
		shapes := slices.DeleteFunc(s.shapes(), func(s string) bool { return strings.HasPrefix(s, "punctual") })
		assert.Equal(t, []string{
			"executor_active_threads gauge name",
			"executor_completed_tasks_total counter name",
			"executor_pool_core_threads gauge name",
			"executor_pool_max_threads gauge name",
			"executor_pool_size_threads gauge name",
			"executor_queued_tasks gauge name",
			"executor_seconds histogram name",
		}, shapes)
		names := slices.Sorted(slices.Values(prompunctual.Micrometer()))
		for i, name := range names {
			assert.True(t, strings.HasPrefix(shapes[i], name+" "), name)
		}
		for name, value := range map[string]float64{
			"executor_active_threads": 1, "executor_completed_tasks_total": 2,
			"executor_pool_core_threads": 1, "executor_pool_max_threads": 1,
			"executor_pool_size_threads": 1, "executor_queued_tasks": 1,
		} {
			assert.Equal(t, value, s.value(t, name, "name", "jobs"), name)
		}
		assert.Equal(t, 2147483647.0, s.value(t, "executor_pool_max_threads", "name", "free"))
		require.Len(t, s["executor_seconds"].Metric, 1, "only what is measured")

		time.Sleep(time.Minute)
		h := scrape(t, registry).metric(t, "executor_seconds", "name", "jobs").Histogram
		assert.EqualValues(t, 4, h.GetSampleCount())
		assert.Equal(t, 4.0, h.GetSampleSum())
	})
}
