package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor/retry"
)

// journal is what was run, in all lives of the pool.
type journal struct {
	mu    sync.Mutex
	runs  map[string]int // by their IDs
	ticks []uint64       // the numbers of a series
}

func (j *journal) note(ctx context.Context) {
	run, _ := cluster.RunFrom(ctx)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.runs[run.ID]++
	if run.Series != "" {
		j.ticks = append(j.ticks, run.Number)
	}
}

func (j *journal) counted() (ticks []uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.ticks)
}

// count is how often a task was begun.
func (j *journal) count(id string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.runs[id]
}

// life is a pool with everything in it, and what has to come of it.
type life struct {
	*journal
	echo  cluster.Task[int, int]
	tick  cluster.Task[int, int]
	fails cluster.Task[int, int]
	bad   cluster.Task[int, int]
	again cluster.Task[int, int] // fails at its first attempt

	ids       map[string]int // what is to have its number as its outcome
	failed    string
	dead      string
	cancelled string
	key       string // the ID of the task that has the key
	backoff   string // of the one that waits for its second attempt
}

func newLife() *life {
	l := &life{journal: &journal{runs: map[string]int{}}, ids: map[string]int{}}
	noted := func(name string, err error) cluster.Task[int, int] {
		return cluster.Define(name, func(ctx context.Context, n int) (int, error) {
			l.note(ctx)
			return n, err
		})
	}
	l.echo, l.tick, l.bad = noted("echo", nil), noted("tick", nil), noted("bad", nil)
	l.fails = noted("fails", errors.New("as planned"))
	l.again = cluster.Define("again", func(ctx context.Context, n int) (int, error) {
		l.note(ctx)
		if run, _ := cluster.RunFrom(ctx); run.Attempt != 2 {
			return 0, errors.New("as planned")
		}
		return n, nil
	}, cluster.Retry(3, retry.Backoff{Base: 8 * time.Second, Spread: retry.NoSpread}))
	return l
}

func (l *life) tasks() []cluster.Runnable {
	return []cluster.Runnable{l.echo, l.tick, l.fails, l.bad, l.again}
}

// begin fills a pool that is served, and ends the serving.
func (l *life) begin(t testing.TB, p *cluster.Pool, queued, planned int) {
	t.Helper()
	ctx := testContext(t)
	stop := serve(t, p, l.tasks()...)
	_, err := cluster.AtFixedRate(ctx, p, "tick", 0, 300*time.Millisecond, l.tick, 0)
	require.NoError(t, err)
	done := l.submit(t, p, 20, 0)
	failed, err := cluster.Submit(ctx, p, l.fails, 1)
	require.NoError(t, err)
	_, err = failed.Get(ctx)
	require.ErrorContains(t, err, "as planned")
	l.failed = failed.ID()
	unread := cluster.Define("bad", func(context.Context, string) (int, error) { return 0, nil })
	dead, err := cluster.Submit(ctx, p, unread, "not a number")
	require.NoError(t, err)
	_, err = dead.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	l.dead = dead.ID()
	for _, id := range done {
		_, err := cluster.Attach(p, l.echo, id).Get(ctx)
		require.NoError(t, err)
	}
	backoff, err := cluster.Submit(ctx, p, l.again, 5)
	require.NoError(t, err)
	l.backoff = backoff.ID()
	for len(l.counted()) < 3 || l.count(l.backoff) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	l.submit(t, p, queued, 0)
	// Some come due while the pool is moved.
	l.submit(t, p, planned/2, 4*time.Second)
	l.submit(t, p, planned-planned/2, 12*time.Second)
	cancelled, err := cluster.Schedule(ctx, p, time.Second, l.echo, -1)
	require.NoError(t, err)
	prevented, err := cancelled.Cancel(ctx)
	require.NoError(t, err)
	require.True(t, prevented)
	l.cancelled = cancelled.ID()
	once, err := cluster.Schedule(ctx, p, 10*time.Second, l.echo, 7, cluster.Once("key"))
	require.NoError(t, err)
	l.key = once.ID()
	l.ids[l.key] = 7
}

// submit submits tasks that are due in the second half of a time, and returns their IDs.
func (l *life) submit(t testing.TB, p *cluster.Pool, n int, within time.Duration) []string {
	t.Helper()
	ctx := testContext(t)
	ids := make([]string, n)
	var group sync.WaitGroup
	room := make(chan struct{}, 256)
	for i := range n {
		room <- struct{}{}
		group.Go(func() {
			defer func() { <-room }()
			d := within/2 + within/2*time.Duration(i)/time.Duration(n)
			f, err := cluster.Schedule(ctx, p, d, l.echo, i)
			if err == nil {
				ids[i] = f.ID()
			}
		})
	}
	group.Wait()
	for i, id := range ids {
		require.NotEmpty(t, id)
		l.ids[id] = i
	}
	return ids
}

// end serves a pool that has all of it, and judges.
func (l *life) end(t testing.TB, p *cluster.Pool) {
	t.Helper()
	ctx := testContext(t)
	again, err := cluster.Submit(ctx, p, l.echo, 8, cluster.Once("key"))
	require.NoError(t, err)
	require.Equal(t, l.key, again.ID(), "the key is taken")
	before := len(l.counted())
	stop := serve(t, p, l.tasks()...)
	for id, n := range l.ids {
		got, err := cluster.Attach(p, l.echo, id).Get(ctx)
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
	got, err := cluster.Attach(p, l.again, l.backoff).Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 5, got)
	require.Equal(t, 2, l.count(l.backoff))
	_, err = cluster.Attach(p, l.fails, l.failed).Get(ctx)
	require.ErrorContains(t, err, "as planned")
	_, err = cluster.Attach(p, l.bad, l.dead).Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	_, err = cluster.Attach(p, l.echo, l.cancelled).Get(ctx)
	require.ErrorIs(t, err, cluster.ErrCancelled)
	for len(l.counted()) < before+3 {
		require.NoError(t, ctx.Err())
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	for i, number := range l.counted() {
		require.EqualValues(t, i+1, number, "the series has no gap, and nothing twice")
	}
	l.requireOnce(t, p)
	require.Zero(t, l.runs[l.cancelled])
	stats, err := p.Stats(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 2, stats.Failed)
	set, err := p.Failed(ctx, cluster.FailedFilter{}, 0, 0)
	require.NoError(t, err)
	require.Equal(t, l.failed, set.Rows[0].ID)
	require.Equal(t, l.dead, set.Rows[1].ID)
	require.EqualValues(t, 1, stats.Stored, "the series is what is left")
}

// requireOnce requires that all has run, once, and that nothing had to be healed.
func (l *life) requireOnce(t testing.TB, p *cluster.Pool) {
	t.Helper()
	for id := range l.ids {
		require.Equal(t, 1, l.runs[id], "%s ran once", id)
	}
	stats, err := p.Stats(testContext(t))
	require.NoError(t, err)
	require.Zero(t, stats.Healed)
}
