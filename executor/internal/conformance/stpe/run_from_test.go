package stpe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestRunFrom_OutsideARunTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, ctx := range []context.Context{nil, context.Background(), t.Context()} {
			run, ok := executor.RunFrom(ctx)
			assert.False(t, ok)
			assert.Zero(t, run)
		}
	})
}

func TestRunFrom_InATaskRunByHandTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inBody bool
		task := future.NewTask(func(ctx context.Context) (int, error) {
			_, inBody = executor.RunFrom(ctx)
			return 0, nil
		})
		task.Run(t.Context())
		assert.False(t, inBody)
	})
}

func TestRunFrom_TellsNameNumberAndTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		began := time.Now()
		var runs []executor.Run
		body := func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			runs = append(runs, run)
			return nil
		}
		_, err := p.Schedule(5*time.Second, body, executor.Name("once"))
		require.NoError(t, err)
		_, err = p.AtFixedRate(6*time.Second, 10*time.Second, body, executor.Name("series"))
		require.NoError(t, err)
		require.NoError(t, p.Execute(body))
		time.Sleep(20 * time.Second)
		synctest.Wait()
		at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
		assert.Equal(t, []executor.Run{
			{Number: 1, Scheduled: at(0), Started: at(0)},
			{Name: "once", Number: 1, Scheduled: at(5), Started: at(5)},
			{Name: "series", Number: 1, Scheduled: at(6), Started: at(6), Periodic: true},
			{Name: "series", Number: 2, Scheduled: at(16), Started: at(16), Periodic: true},
		}, runs)
	})
}

func TestRunFrom_WorksWithADerivedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		type key struct{}
		var names []string
		f, err := p.Submit(func(ctx context.Context) error {
			valued := context.WithValue(ctx, key{}, 1)
			cancelled, cancel := context.WithCancel(valued)
			cancel()
			timed, release := context.WithTimeout(cancelled, time.Second)
			defer release()
			for _, derived := range []context.Context{valued, cancelled, timed, context.WithoutCancel(ctx)} {
				run, _ := executor.RunFrom(derived)
				names = append(names, run.Name)
			}
			return nil
		}, executor.Name("a"))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "a", "a", "a"}, names)
	})
}

func TestRunFrom_WorksInAGoroutineOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		var during, after bool
		over := make(chan struct{})
		f, err := p.Submit(func(ctx context.Context) error {
			started := make(chan struct{})
			go func() {
				defer close(over)
				_, during = executor.RunFrom(ctx)
				close(started)
				time.Sleep(time.Second)
				_, after = executor.RunFrom(ctx)
			}()
			<-started
			return nil
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		<-over
		assert.True(t, during)
		assert.False(t, after, "the goroutine has outlived the run")
	})
}

func TestRunFrom_WorksInTheHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var before, after executor.Run
		p := startPool(t, 1,
			executor.BeforeRun(func(ctx context.Context, run executor.Run) {
				before, _ = executor.RunFrom(ctx)
				before.Number -= run.Number
			}),
			executor.AfterRun(func(_ context.Context, run executor.Run, _ error) { after = run }))
		_, err := p.Submit(pooltest.Nothing, executor.Name("a"))
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, "a", before.Name)
		assert.Zero(t, before.Number, "both tell the same run")
		assert.Equal(t, "a", after.Name)
	})
}

func TestRunFrom_TellsNothingBetweenRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		first := make(chan context.Context, 10)
		_, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
			first <- ctx
			return nil
		})
		require.NoError(t, err)
		ctx := <-first
		synctest.Wait()
		_, ok := executor.RunFrom(ctx)
		assert.False(t, ok)
	})
}

// startSecondRun returns the context of the first run of a series, of which use has been made
// there, while the second run is in progress.
func startSecondRun(t *testing.T, use func(ctx context.Context)) (first context.Context) {
	t.Helper()
	p := startPool(t, 1)
	contexts := make(chan context.Context, 1)
	_, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
		if run, _ := executor.RunFrom(ctx); run.Number == 1 {
			use(ctx)
			contexts <- ctx
			return nil
		}
		time.Sleep(5 * time.Second)
		return nil
	})
	require.NoError(t, err)
	time.Sleep(12 * time.Second)
	require.Equal(t, 1, p.Stats().Busy)
	return <-contexts
}

func TestRunFrom_TheContextOfAnEarlierRunTellsNothingDuringALaterOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uses := map[string]func(context.Context){
			"Done": func(ctx context.Context) { ctx.Done() },
			"Err":  func(ctx context.Context) { _ = ctx.Err() },
		}
		for name, use := range uses {
			run, ok := executor.RunFrom(startSecondRun(t, use))
			assert.False(t, ok, "%s: told of run %d", name, run.Number)
		}
	})
}

// Whatever the first use was, by which the context was told from the next run's.
func TestRunFrom_TheContextOfAnEarlierRunStaysEndedDuringALaterOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uses := map[string]func(context.Context){
			"Done": func(ctx context.Context) { ctx.Done() },
			"Err":  func(ctx context.Context) { _ = ctx.Err() },
		}
		for name, use := range uses {
			first := startSecondRun(t, use)
			assert.ErrorIs(t, first.Err(), context.Canceled, "used by %s", name)
		}
	})
}
