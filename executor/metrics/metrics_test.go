package metrics_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/metrics"
)

const ms = time.Millisecond

var errBad = errors.New("bad")

// lasts returns a task that takes so long.
func lasts(d time.Duration) executor.Task {
	return func(context.Context) error { time.Sleep(d); return nil }
}

func fails(context.Context) error { return errBad }

// read reads the metrics of the sources, and checks that no two points are the same.
func read(t *testing.T, sources ...metrics.Source) map[string]metrics.Family {
	t.Helper()
	set, err := metrics.Of(sources...)
	require.NoError(t, err)
	families := map[string]metrics.Family{}
	for _, f := range set.Read() {
		seen := map[string]bool{}
		for _, p := range f.Points {
			require.Len(t, p.Attributes, len(f.Attributes), f.Name)
			key := strings.Join(p.Attributes, "\x00")
			assert.False(t, seen[key], "%s has two points %q", f.Name, p.Attributes)
			seen[key] = true
			assert.Equal(t, f.Kind == metrics.Histogram, p.Histogram != nil, f.Name)
		}
		families[f.Name] = f
	}
	return families
}

// point returns a point that must be there.
func point(t *testing.T, families map[string]metrics.Family, name string, attributes ...string) metrics.Point {
	t.Helper()
	f, ok := families[name]
	require.True(t, ok, name)
	i := slices.IndexFunc(f.Points, func(p metrics.Point) bool {
		return slices.Equal(p.Attributes, attributes)
	})
	require.GreaterOrEqual(t, i, 0, "%s has no point %q: %v", name, attributes, f.Points)
	return f.Points[i]
}

func value(t *testing.T, families map[string]metrics.Family, name string, attributes ...string) float64 {
	t.Helper()
	return point(t, families, name, attributes...).Value
}

func TestTheTableIsComplete(t *testing.T) {
	var rows []string
	for _, m := range metrics.Table() {
		rows = append(rows, m.Name+" "+m.Unit+" "+m.Kind.String()+" "+strings.Join(m.Attributes, ","))
		assert.Regexp(t, `^[A-Z].*\.$`, m.Help, m.Name)
	}
	assert.Equal(t, []string{
		"punctual.runs {run} counter pool",
		"punctual.run.failures {run} counter pool,task",
		"punctual.run.retries {attempt} counter pool",
		"punctual.run.expired {run} counter pool,task",
		"punctual.run.skipped {run} counter pool,task",
		"punctual.run.timeouts {run} counter pool",
		"punctual.run.missed {period} counter pool,task",
		"punctual.run.duration s histogram pool,task",
		"punctual.run.lateness s histogram pool,task",
		"punctual.run.late.time s counter pool,cause",
		"punctual.run.late.unexplained {run} counter pool",
		"punctual.run.active {run} updowncounter pool",
		"punctual.run.overrunning {run} updowncounter pool",
		"punctual.run.longest s gauge pool",
		"punctual.run.progress 1 gauge pool,task",
		"punctual.tasks {task} counter pool,result",
		"punctual.task.queued {task} updowncounter pool",
		"punctual.queue.overdue s gauge pool",
		"punctual.submitter.blocked {submitter} updowncounter pool",
		"punctual.worker.count {worker} updowncounter pool,state",
		"punctual.worker.limit {worker} updowncounter pool",
		"punctual.worker.core {worker} updowncounter pool",
		"punctual.worker.wakeups {wakeup} counter pool",
		"punctual.pool.health 1 gauge pool",
		"punctual.pool.paused 1 gauge pool",
		"punctual.task.expected {task} updowncounter pool,state",
		"punctual.task.health 1 gauge pool,task",
		"punctual.task.last_success s gauge pool,task",
		"punctual.task.next_run s gauge pool,task",
		"punctual.task.period s gauge pool,task",
	}, rows)
	assert.Equal(t, "unknown", metrics.Kind(0).String())
}

func TestReadingKeepsTheOrderOfTheTable(t *testing.T) {
	set, err := metrics.Of()
	require.NoError(t, err)
	var read []metrics.Metric
	for _, f := range set.Read() {
		assert.Empty(t, f.Points)
		read = append(read, f.Metric)
	}
	assert.Equal(t, metrics.Table(), read)
}
