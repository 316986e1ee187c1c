package faults

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// Eight tasks, and a process that was there first: it holds what it runs and little more, however
// many names it serves, and what it cannot begin goes back when another has room. Each run lasts
// until all have begun that two processes have workers for.
func TestWorkIsSharedWithAProcessThatComesLater(t *testing.T) {
	t.Parallel()
	const kinds, workers = 8, 4
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var mu sync.Mutex
	running := map[string]int{}
	full := make(chan struct{})
	serving := func(who string) (list []cluster.Task[int, int]) {
		for k := range kinds {
			body := func(ctx context.Context, n int) (int, error) {
				mu.Lock()
				if running[who]++; running["first"] >= workers && running["second"] >= workers {
					select {
					case <-full:
					default:
						close(full)
					}
				}
				mu.Unlock()
				select {
				case <-full:
				case <-ctx.Done():
				}
				return n, nil
			}
			list = append(list, cluster.Define(fmt.Sprint("kind", k), body))
		}
		return list
	}
	first, second := serving("first"), serving("second")
	l.start(t, runnables(first), cluster.Workers(workers))
	var fs []*cluster.Future[int]
	for n := range 2 * workers { // the first holds all, as all of its queues were empty
		f, err := cluster.Submit(ctx, l.pool, first[n%kinds], n)
		require.NoError(t, err)
		fs = append(fs, f)
	}
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return running["first"] == workers
	}, 20*time.Second, 5*time.Millisecond)
	l.start(t, runnables(second), cluster.Workers(workers))
	for n, f := range fs {
		got, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
}

func runnables(tasks []cluster.Task[int, int]) (list []cluster.Runnable) {
	for _, t := range tasks {
		list = append(list, t)
	}
	return list
}

// A task, and a run of a series, that wait behind a task that hangs run elsewhere, and that they
// have changed hands is no attempt.
func TestWhatWaitsBehindAHungTaskRunsElsewhere(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	hangs, ran := make(chan struct{}), make(chan cluster.Run, 10)
	hung := cluster.Define("hung", func(ctx context.Context, _ int) (int, error) {
		close(hangs)
		<-ctx.Done()
		return 0, nil
	})
	work := cluster.Define("work", func(ctx context.Context, n int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		ran <- run
		return n, nil
	})
	l.start(t, []cluster.Runnable{hung, work}, cluster.Workers(1), cluster.Grace(0))
	_, err := cluster.Submit(ctx, l.pool, hung, 0)
	require.NoError(t, err)
	<-hangs
	f, err := cluster.Submit(ctx, l.pool, work, 7)
	require.NoError(t, err)
	s, err := cluster.AtFixedRate(ctx, l.pool, "series", time.Millisecond, time.Hour, work, 8)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // one of the two at least is held behind the hung one
		s, err := l.pool.Stats(ctx)
		held := 0
		for _, task := range s.Tasks {
			held += task.Held
		}
		return err == nil && held >= 2
	}, 20*time.Second, 5*time.Millisecond)
	l.start(t, []cluster.Runnable{work}, cluster.Workers(1))
	n, err := f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 7, n)
	for range 2 {
		run := <-ran
		require.Equal(t, 1, run.Attempt, run)
	}
	require.NoError(t, s.Cancel(ctx))
}

// Tasks that have failed and wait to be tried again take no place: others are fetched and run.
func TestWhatWaitsForItsNextAttemptKeepsNothingElseWaiting(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	failed := make(chan struct{}, 100)
	fails := cluster.Define("fails", func(context.Context, int) (int, error) {
		failed <- struct{}{}
		return 0, errors.New("not yet")
	}, cluster.With(executor.Retry(2, retry.Backoff{Base: time.Hour, Spread: retry.NoSpread})))
	work := cluster.Define("work", func(_ context.Context, n int) (int, error) { return n, nil })
	w := l.start(t, []cluster.Runnable{fails, work}, cluster.Workers(2), cluster.Grace(0))
	for n := range 20 {
		_, err := cluster.Submit(ctx, l.pool, fails, n)
		require.NoError(t, err)
	}
	for range 20 { // more than there is room for at a time
		<-failed
	}
	f, err := cluster.Submit(ctx, l.pool, work, 7)
	require.NoError(t, err)
	n, err := f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 7, n)
	w.end(t)
}
