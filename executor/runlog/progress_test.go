package runlog_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
)

func TestProgressIsToldWhileTheRunGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := runlog.New(runlog.Config{})
		p := executor.NewScheduledPool(2, executor.Name("jobs"), executor.Observe(kept.Observer()))
		defer p.Close()
		_, err := p.Submit(func(ctx context.Context) error {
			for i := range int64(10) {
				runlog.Progress(ctx, i, 10, "rows")
				time.Sleep(time.Second)
			}
			return nil
		}, executor.Name("import"))
		require.NoError(t, err)
		_, err = p.Submit(func(context.Context) error { time.Sleep(time.Hour); return nil })
		require.NoError(t, err)
		time.Sleep(3500 * ms)
		runs := kept.InProgress("jobs")
		require.Len(t, runs, 1)
		assert.Equal(t, "import", runs[0].Name)
		assert.Equal(t, &runlog.Position{Done: 3, Total: 10, Note: "rows"}, runs[0].Progress)
		assert.Empty(t, kept.InProgress("other"))
		time.Sleep(time.Minute)
		assert.Empty(t, kept.InProgress("jobs"))
		assert.EqualValues(t, 9, kept.Runs("jobs", "import")[0].Progress.Done, "it stays")
	})
}

func TestWhatProgressTakes(t *testing.T) {
	long := strings.Repeat("é", 1<<19)
	for _, test := range []struct {
		done, total int64
		note        string
		want        runlog.Position
		ratio       float64
		known       bool
	}{
		{1, 4, "a", runlog.Position{Done: 1, Total: 4, Note: "a"}, 0.25, true},
		{5, 4, "", runlog.Position{Done: 5, Total: 4}, 1, true},
		{5, 0, "", runlog.Position{Done: 5}, 0, false},
		{-5, -4, "", runlog.Position{}, 0, false},
		{0, 1, long, runlog.Position{Total: 1, Note: long[:200] + "… (1048576 bytes)"}, 0, true},
	} {
		got := run(t, runlog.Config{}, func(ctx context.Context) {
			runlog.Progress(ctx, test.done, test.total, test.note)
		})
		assert.Equal(t, &test.want, got.Progress)
		ratio, known := got.Progress.Ratio()
		assert.Equal(t, test.ratio, ratio)
		assert.Equal(t, test.known, known)
	}
}

func TestProgressElsewhereDoesNothing(t *testing.T) {
	assert.NotPanics(t, func() {
		runlog.Progress(t.Context(), 1, 2, "")
		runlog.Progress(nil, 1, 2, "") //nolint:staticcheck // a nil context harms nobody
	})
	assert.Zero(t, testing.AllocsPerRun(100, func() { runlog.Progress(t.Context(), 1, 2, "note") }))
}

// TestASteadyProgressAllocatesNothing: it may be told in a loop.
func TestASteadyProgressAllocatesNothing(t *testing.T) {
	run(t, runlog.Config{}, func(ctx context.Context) {
		n := int64(0)
		assert.Zero(t, testing.AllocsPerRun(100, func() { n++; runlog.Progress(ctx, n, 1000, "rows") }))
	})
}

// TestARunBeyondItsTimeout is still told of: its lines, and how far it is, until its body returns.
func TestARunBeyondItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, log := runlog.New(runlog.Config{}), logger()
		p := executor.NewScheduledPool(1, quiet, executor.Observe(kept.Observer()))
		defer p.Close()
		_, err := p.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
			runlog.Progress(ctx, 1, 2, "")
			time.Sleep(time.Minute)
			log.WarnContext(ctx, "still here", "cause", context.Cause(ctx))
			return nil
		}, executor.Name("poll"), executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		assert.Len(t, kept.InProgress(""), 1)
		time.Sleep(time.Minute)
		assert.Empty(t, kept.InProgress(""))
		got := kept.Runs("", "poll")[0]
		assert.Contains(t, texts(got)[0], "still here")
		assert.True(t, got.Ended)
		assert.Equal(t, time.Minute, got.Took)
	})
}

// TestASubmittedTaskBeyondItsTimeout: its future has settled long before.
func TestASubmittedTaskBeyondItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, log := runlog.New(runlog.Config{}), logger()
		p := executor.NewScheduledPool(1, quiet, executor.Observe(kept.Observer()))
		defer p.Close()
		_, err := p.Submit(func(ctx context.Context) error {
			runlog.Progress(ctx, 1, 2, "")
			time.Sleep(time.Minute)
			log.WarnContext(ctx, "still here")
			return nil
		}, executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		assert.Empty(t, kept.InProgress(""))
		assert.Equal(t, []string{"still here"}, texts(kept.Runs("", "")[0]))
	})
}

type idKey struct{}

func TestTheIDOfATrace(t *testing.T) {
	long := strings.Repeat("f", 1<<20)
	for _, test := range []struct {
		trace func(context.Context) string
		want  string
	}{
		{nil, ""},
		{func(context.Context) string { return "" }, ""},
		{func(ctx context.Context) string { id, _ := ctx.Value(idKey{}).(string); return id }, "abc"},
		{func(context.Context) string { return long }, long[:128] + "… (1048576 bytes)"},
		{func(context.Context) string { panic("no id") }, ""},
	} {
		kept, log := runlog.New(runlog.Config{Trace: test.trace}), logger()
		begins := executor.Observer{Began: func(ctx context.Context, _ executor.Run) context.Context {
			return context.WithValue(ctx, idKey{}, "abc")
		}}
		p := executor.NewPool(1, executor.Observe(begins, kept.Observer()))
		require.NoError(t, p.Execute(func(ctx context.Context) error {
			log.InfoContext(ctx, "line")
			return nil
		}))
		p.Close()
		runs := kept.Runs("", "")
		require.Len(t, runs, 1)
		assert.Equal(t, test.want, runs[0].Trace)
		assert.Equal(t, []string{"line"}, texts(runs[0]))
	}
}

// TestRunsOfWhichNothingIsToldAreNotKept: those that neither log nor say how far they are.
func TestRunsOfWhichNothingIsToldAreNotKept(t *testing.T) {
	kept := runlog.New(runlog.Config{})
	p := executor.NewPool(1, quiet, executor.Observe(kept.Observer()))
	require.NoError(t, p.Execute(func(ctx context.Context) error {
		logger().DebugContext(ctx, "of too low a level")
		return errBad
	}, executor.Name("silent")))
	p.Close()
	assert.Empty(t, kept.Tasks(""))
	assert.Zero(t, kept.Stats())
}

// TestWithoutAName: the lines of tasks without a name, in a pool with one and in one without.
func TestWithoutAName(t *testing.T) {
	for _, pool := range []string{"", "jobs"} {
		kept, log := runlog.New(runlog.Config{}), logger()
		p := executor.NewScheduledPool(1, executor.Name(pool), executor.Observe(kept.Observer()))
		for range 3 {
			require.NoError(t, p.Execute(func(ctx context.Context) error {
				log.InfoContext(ctx, "line")
				return nil
			}))
		}
		p.Close()
		assert.Len(t, kept.Runs(pool, ""), 3, pool)
	}
}
