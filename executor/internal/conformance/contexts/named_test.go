package contexts_test

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
)

type valueKey struct{}

// alike are options of one name. Tasks of the first two share what is known of them.
func alike(t *testing.T) map[string][]executor.TaskOption {
	t.Helper()
	name := executor.Name("x")
	return map[string][]executor.TaskOption{
		"plain":  {name},
		"urgent": {name, executor.Priority(3)},
		"timed":  {name, executor.Timeout(time.Minute)},
		"carrying": {name,
			executor.WithValues(context.WithValue(t.Context(), valueKey{}, "defined"))},
	}
}

func TestNamedTasksAreAlikeHoweverTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Name("jobs"), pooltest.Quiet())
		defer p.Close()
		for what, opts := range alike(t) {
			var names, labels []string
			body := func(ctx context.Context) error {
				r, _ := executor.RunFrom(ctx)
				label, _ := pprof.Label(ctx, "task")
				names, labels = append(names, r.Name), append(labels, label)
				return nil
			}
			_, err := p.Submit(body, opts...)
			require.NoError(t, err, what)
			_, err = p.SubmitContext(t.Context(), body, opts...)
			require.NoError(t, err, what)
			require.NoError(t, p.Execute(body, opts...), what)
			require.NoError(t, p.ExecuteAfter(time.Second, body, opts...), what)
			_, err = p.Schedule(2*time.Second, body, opts...)
			require.NoError(t, err, what)
			serial := serial.New(p)
			_, err = serial.Submit(body, opts...)
			require.NoError(t, err, what)
			require.NoError(t, serial.Execute(body, opts...), what)
			_, err = p.ScheduleAt(time.Now().Add(3*time.Second), body, opts...)
			require.NoError(t, err, what)
			series, err := p.AtFixedRate(4*time.Second, time.Second, body,
				append(opts[:len(opts):len(opts)], executor.MaxRuns(2))...)
			require.NoError(t, err, what)
			_, err = series.Get(t.Context())
			require.NoError(t, err, what)
			all := []string{"x", "x", "x", "x", "x", "x", "x", "x", "x", "x"}
			assert.Equal(t, all, names, what)
			assert.Equal(t, all, labels, what)
		}
	})
}

func TestANamedTaskThatFailsIsReportedIfItHasNoFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("bad")
		var told []string
		p := executor.NewScheduledPool(1, executor.ErrorHandler(
			func(_ context.Context, r executor.Run, err error) { told = append(told, r.Name+": "+err.Error()) }))
		defer p.Close()
		for _, opts := range alike(t) {
			told = nil
			f, err := p.Submit(func(context.Context) error { return bad }, opts...)
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.ErrorIs(t, err, bad)
			require.NoError(t, p.Execute(func(context.Context) error { return bad }, opts...))
			require.NoError(t, serial.New(p).Execute(
				func(context.Context) error { return bad }, opts...))
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Equal(t, []string{"x: bad", "x: bad"}, told)
		}
	})
}

func TestTasksOfOneNameTimeOutEachForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(3, executor.Name("jobs"), pooltest.Quiet())
		defer p.Close()
		opts := alike(t)["timed"]
		body := func(ctx context.Context) error { <-ctx.Done(); return nil }
		for range 3 {
			f, err := p.Submit(body, opts...)
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			assert.ErrorContains(t, err, `task "x" of pool "jobs"`)
		}
		synctest.Wait() // until the pool has heard of the last
		assert.EqualValues(t, 3, p.Stats().TimedOut)
	})
}

func TestNamedTasksCarryValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var seen any
		body := func(ctx context.Context) error { seen = ctx.Value(valueKey{}); return nil }
		submitter := context.WithValue(t.Context(), valueKey{}, "submitter")
		for what, opts := range alike(t) {
			f, err := p.SubmitContext(submitter, body, opts...)
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			if what == "carrying" { // as with WithValues itself
				assert.Equal(t, "defined", seen)
			} else {
				assert.Equal(t, "submitter", seen, what)
			}
		}
	})
}

// To have a name costs a task its options, and not what is made of them.
func TestANameCostsNoPlan(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	cost := func(opts ...executor.TaskOption) float64 {
		return testing.AllocsPerRun(100, func() {
			f, err := p.Schedule(time.Hour, pooltest.Nothing, opts...)
			if err != nil {
				t.Fatal(err)
			}
			f.Cancel()
		})
	}
	assert.EqualValues(t, 1, cost())
	assert.EqualValues(t, 3, cost(executor.Name("x")), "the task, its name, and its options")
	assert.EqualValues(t, 3, cost(executor.Name("x"), executor.Priority(3)))
	assert.Greater(t, cost(executor.Name("x"), executor.Timeout(time.Minute)), 4.0)
}

// Names that are made anew for each task do not pile up.
func TestNamesWithoutNumber(t *testing.T) {
	p := executor.NewPool(1)
	defer p.Close()
	for i := range 3_000 {
		name := fmt.Sprint("task ", i)
		f, err := executor.Submit(p, func(ctx context.Context) (string, error) {
			r, _ := executor.RunFrom(ctx)
			return r.Name, nil
		}, executor.Name(name))
		require.NoError(t, err)
		got, err := f.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, name, got)
	}
}
