package contexts_test

import (
	"context"
	"errors"
	"runtime/pprof"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

type valueKey struct{}

// options are definitions of one name that cost differently.
func definitions(t *testing.T, p *executor.ScheduledPool) map[string]executor.TaskOption {
	t.Helper()
	plain, err := p.Define("x")
	require.NoError(t, err)
	urgent, err := p.Define("x", executor.Priority(3))
	require.NoError(t, err)
	timed, err := p.Define("x", executor.Timeout(time.Minute))
	require.NoError(t, err)
	carrying, err := p.Define("x",
		executor.WithValues(context.WithValue(t.Context(), valueKey{}, "defined")))
	require.NoError(t, err)
	return map[string]executor.TaskOption{"plain": plain, "urgent": urgent, "timed": timed,
		"carrying": carrying}
}

func TestADefinedTaskIsLikeOneWithTheseOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Name("jobs"), pooltest.Quiet())
		defer p.Close()
		for what, defined := range definitions(t, p) {
			var names, labels []string
			body := func(ctx context.Context) error {
				r, _ := executor.RunFrom(ctx)
				label, _ := pprof.Label(ctx, "task")
				names, labels = append(names, r.Name), append(labels, label)
				return nil
			}
			_, err := p.Submit(body, defined)
			require.NoError(t, err, what)
			_, err = p.SubmitContext(t.Context(), body, defined)
			require.NoError(t, err, what)
			require.NoError(t, p.Execute(body, defined), what)
			require.NoError(t, p.ExecuteAfter(time.Second, body, defined), what)
			_, err = p.Schedule(2*time.Second, body, defined)
			require.NoError(t, err, what)
			serial := executor.NewSerial(p)
			_, err = serial.Submit(body, defined)
			require.NoError(t, err, what)
			require.NoError(t, serial.Execute(body, defined), what)
			_, err = p.ScheduleAt(time.Now().Add(3*time.Second), body, defined)
			require.NoError(t, err, what)
			series, err := p.AtFixedRate(4*time.Second, time.Second, body, defined,
				executor.MaxRuns(2))
			require.NoError(t, err, what)
			_, err = series.Get(t.Context())
			require.NoError(t, err, what)
			all := []string{"x", "x", "x", "x", "x", "x", "x", "x", "x", "x"}
			assert.Equal(t, all, names, what)
			assert.Equal(t, all, labels, what)
		}
	})
}

func TestADefinedTaskThatFailsIsReportedIfItHasNoFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("bad")
		var told []string
		p := executor.NewScheduledPool(1, executor.ErrorHandler(
			func(_ context.Context, r executor.Run, err error) { told = append(told, r.Name+": "+err.Error()) }))
		defer p.Close()
		for _, defined := range definitions(t, p) {
			told = nil
			f, err := p.Submit(func(context.Context) error { return bad }, defined)
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.ErrorIs(t, err, bad)
			require.NoError(t, p.Execute(func(context.Context) error { return bad }, defined))
			require.NoError(t, executor.NewSerial(p).Execute(
				func(context.Context) error { return bad }, defined))
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Equal(t, []string{"x: bad", "x: bad"}, told)
		}
	})
}

func TestTasksOfOneDefinitionTimeOutEachForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(3, executor.Name("jobs"), pooltest.Quiet())
		defer p.Close()
		defined, err := p.Define("x", executor.Timeout(time.Second))
		require.NoError(t, err)
		body := func(ctx context.Context) error { <-ctx.Done(); return nil }
		for range 3 {
			f, err := p.Submit(body, defined)
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			assert.ErrorContains(t, err, `task "x" of pool "jobs"`)
		}
		synctest.Wait() // until the pool has heard of the last
		assert.EqualValues(t, 3, p.Stats().TimedOut)
	})
}

func TestADefinitionCarriesValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var seen any
		body := func(ctx context.Context) error { seen = ctx.Value(valueKey{}); return nil }
		submitter := context.WithValue(t.Context(), valueKey{}, "submitter")
		for what, defined := range definitions(t, p) {
			f, err := p.SubmitContext(submitter, body, defined)
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

func TestADefinitionIsAnOptionElsewhereToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		other := executor.NewPool(1)
		l := eventloop.New()
		defer p.Close()
		defer other.Close()
		defer l.Close()
		for _, defined := range definitions(t, p) {
			for _, s := range []executor.Submitter{other, l} {
				var name string
				f, err := s.Submit(func(ctx context.Context) error {
					r, _ := executor.RunFrom(ctx)
					name = r.Name
					return nil
				}, defined, executor.Timeout(time.Minute))
				require.NoError(t, err)
				_, err = f.Get(t.Context())
				require.NoError(t, err)
				assert.Equal(t, "x", name)
			}
		}
	})
}

func TestABadDefinitionIsRefused(t *testing.T) {
	p := executor.NewPool(1)
	defer p.Close()
	_, err := p.Define("x", executor.Timeout(-1))
	assert.ErrorIs(t, err, executor.ErrInvalid)
	_, err = p.Define("x", nil)
	assert.ErrorIs(t, err, executor.ErrInvalid)
	defined, err := p.Define("x")
	require.NoError(t, err)
	_, err = p.Submit(pooltest.Nothing, executor.Timeout(1), defined)
	assert.ErrorIs(t, err, executor.ErrInvalid)
	assert.ErrorContains(t, err, "first option")
}

func TestADefinitionSavesWhatANameCosts(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	plain, err := p.Define("x")
	require.NoError(t, err)
	timed, err := p.Define("x", executor.Timeout(time.Minute))
	require.NoError(t, err)
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
	assert.EqualValues(t, 1, cost(plain), "the task itself")
	assert.EqualValues(t, 2, cost(timed), "and its plan")
}
