package contexts_test

import (
	"context"
	"runtime/pprof"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/labelstest"
)

// labelled is what a task sees of labels.
type labelled struct {
	goroutine string            // of its goroutine
	context   map[string]string // of its context
	within    string            // of its goroutine in pprof.Do
}

func lookForLabels(ctx context.Context) (l labelled, err error) {
	l.goroutine = labelstest.Here()
	l.context = map[string]string{}
	pprof.ForLabels(ctx, func(key, value string) bool { l.context[key] = value; return true })
	pprof.Do(ctx, pprof.Labels("step", "1"), func(context.Context) { l.within = labelstest.Here() })
	return l, nil
}

func TestTheRunsHaveTheLabelsOfTheirSubmitterAndTheNamesOfTheirOwn(t *testing.T) {
	given := pprof.WithLabels(context.Background(), pprof.Labels("tenant", "x", "pool", "other", "task", "its"))
	for name, row := range map[string]struct {
		pool []executor.Option
		name string
		want string
	}{
		"no names":   {want: `{"tenant":"x"}`},
		"a pool":     {pool: []executor.Option{executor.Name("p")}, want: `{"pool":"p", "tenant":"x"}`},
		"both names": {pool: []executor.Option{executor.Name("p")}, name: "t", want: `{"pool":"p", "task":"t", "tenant":"x"}`},
		"a base context": {pool: []executor.Option{executor.BaseContext(
			pprof.WithLabels(context.Background(), pprof.Labels("tenant", "base", "zone", "z")))},
			want: `{"tenant":"x", "zone":"z"}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := pooltest.NewPool(t, 1, row.pool...)
			opts := []executor.TaskOption{executor.WithValues(given)}
			if row.name != "" {
				opts = append(opts, executor.Name(row.name))
			}
			l, err := pooltest.SubmitFunc(t, p, lookForLabels, opts...).Get(t.Context())
			require.NoError(t, err)
			assert.Equal(t, row.want, l.goroutine)
			assert.Equal(t, "x", l.context["tenant"])
			assert.NotEqual(t, "other", l.context["pool"])
			assert.NotEqual(t, "its", l.context["task"])
			assert.Contains(t, l.within, `"step":"1"`)
			assert.Contains(t, l.within, `"tenant":"x"`)

			after, err := pooltest.SubmitFunc(t, p, lookForLabels).Get(t.Context())
			require.NoError(t, err)
			assert.NotContains(t, after.goroutine, `"tenant":"x"`, "they end with the run")
		})
	}
}

func TestATaskOfALoopHasTheLabelsOfItsSubmitter(t *testing.T) {
	loop := eventloop.New(executor.Name("l"))
	defer loop.Close()
	given := pprof.WithLabels(context.Background(), pprof.Labels("tenant", "x"))
	f, err := eventloop.Submit(loop, lookForLabels, executor.WithValues(given))
	require.NoError(t, err)
	l, err := f.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, `{"pool":"l", "tenant":"x"}`, l.goroutine)
	assert.Equal(t, map[string]string{"pool": "l", "tenant": "x"}, l.context)
}

// Values without labels change nothing about the labels.
func TestANamedTaskWithValuesKeepsItsLabels(t *testing.T) {
	p := pooltest.NewPool(t, 1, executor.Name("p"))
	asked := 0
	submitter := &counting{traced(t, "a"), &asked}
	f := pooltest.SubmitFunc(t, p, func(ctx context.Context) (labelled, error) {
		assert.Equal(t, 1, asked, "once, by the submission: not on the goroutine of the pool")
		return lookForLabels(ctx)
	}, executor.Name("t"), executor.WithValues(submitter))
	l, err := f.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, `{"pool":"p", "task":"t"}`, l.goroutine)
	assert.Equal(t, map[string]string{"pool": "p", "task": "t"}, l.context)
}

// The task that submits is named, and in a part of its own; its child is neither.
func TestAChildHasTheLabelsOfItsParentButNotItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, q := pooltest.NewPool(t, 1, executor.Name("p")), pooltest.NewPool(t, 1)
		var child *future.Future[labelled]
		parent := pooltest.Submit(t, p, func(ctx context.Context) (err error) {
			pprof.Do(ctx, pprof.Labels("tenant", "x"), func(ctx context.Context) {
				child, err = executor.SubmitContext(ctx, q, lookForLabels)
			})
			return err
		}, executor.Name("parent"))
		synctest.Wait()
		require.NoError(t, pooltest.Outcome(t, parent))
		l, err := pooltest.Settled(t, child)
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"tenant": "x"}, l.context)
	})
}

func TestAForeignSubmittersOwnLabelsStay(t *testing.T) {
	given := pprof.WithLabels(t.Context(), pprof.Labels("tenant", "x"))
	own := pprof.WithLabels(t.Context(), pprof.Labels("worker", "w"))
	for base, want := range map[context.Context]map[string]string{
		own: {"worker": "w"}, t.Context(): {"tenant": "x"},
	} {
		f, err := executor.SubmitContext(given, &inline{base}, lookForLabels)
		require.NoError(t, err)
		l, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, l.context)
	}
}
