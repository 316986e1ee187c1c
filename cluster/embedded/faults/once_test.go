package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// One key is one task, however often it is submitted, and to whichever replica.
func TestOnceIsOnce(t *testing.T) {
	t.Parallel()
	for _, servers := range []int{1, 3} {
		t.Run(fmt.Sprint(servers, " servers"), func(t *testing.T) { onceIsOnce(t, servers) })
	}
}

func onceIsOnce(t *testing.T, servers int) {
	const keys, callers = 30, 20
	ns := startNodes(t, servers)
	ctx := testContext(t, time.Minute)
	pools := []*cluster.Pool{ns.join(ctx), ns.join(ctx), ns.join(ctx)}
	ns.worker(workerConfig{Name: "A"})
	work := ns.tasks().work
	submit := func(key, caller int) (*cluster.Future[int], error) {
		p, once := pools[caller%len(pools)], cluster.Once(fmt.Sprint("key", key))
		if caller%2 == 0 {
			return cluster.Submit(ctx, p, work, input{N: key}, once)
		}
		return cluster.Schedule(ctx, p, 400*time.Millisecond, work, input{N: key}, once)
	}
	var mu sync.Mutex
	ids := map[string]bool{}
	var all sync.WaitGroup
	for i := range keys * callers {
		all.Go(func() {
			f, err := submit(i/callers, i%callers)
			if !noError(t, err) {
				return
			}
			v, err := f.Get(ctx)
			ns.saw(f.ID(), v, err)
			mu.Lock()
			defer mu.Unlock()
			ids[f.ID()] = true
		})
	}
	all.Wait()
	require.Len(t, ids, keys)
	f, err := cluster.Submit(ctx, pools[0], work, input{N: keys}, cluster.Once("key3"))
	require.NoError(t, err)
	v, err := f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 3, v, "the first one's")
	require.Equal(t, keys, requireSound(t, ns.dir).Runs)
	other, err := cluster.Submit(ctx, pools[0], work, input{N: 7}, cluster.Once("another"))
	require.NoError(t, err)
	require.NotEqual(t, f.ID(), other.ID())
}

// A key that is free again is taken by one of many who submit it at the same time, and the others
// get that one, also if their records of it meet on their way to three servers.
func TestAFreedKeyIsTakenByOneOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take their time")
	}
	t.Parallel()
	const keys, callers = 10, 24
	ns := startNodes(t, 3)
	ctx := testContext(t, time.Minute)
	pools := []*cluster.Pool{ns.join(ctx), ns.join(ctx), ns.join(ctx)}
	work := ns.tasks().work
	for i := range keys {
		key := cluster.Once(fmt.Sprint("key", i))
		first, err := cluster.Schedule(ctx, pools[0], time.Hour, work, input{}, key)
		require.NoError(t, err)
		_, err = first.Cancel(ctx)
		require.NoError(t, err)
		ids := make([]string, callers)
		require.NoError(t, atOnce(callers, func(i int) error {
			f, err := cluster.Schedule(ctx, pools[i%len(pools)], time.Hour, work, input{}, key)
			if err == nil {
				ids[i] = f.ID()
			}
			return err
		}))
		slices.Sort(ids)
		require.Len(t, slices.Compact(ids), 1)
		require.NotEqual(t, first.ID(), ids[0])
	}
}

// A key is taken while its task waits, for however long, and as long after that as the outcome is
// kept; then a submission is stored and runs, even if the outcome is kept very shortly.
func TestAKeyIsTakenUntilTheOutcomeOfItsTaskIsForgotten(t *testing.T) {
	t.Parallel()
	const keep = 3 * time.Second
	l := startLocal(t, cluster.Keep(keep))
	ctx := testContext(t, time.Minute)
	ran := make(chan string, 10)
	task := cluster.Define("remind", func(_ context.Context, in string) (string, error) {
		ran <- in
		return in, nil
	}, cluster.Lease(brief))
	l.serve(t, task)
	begun := time.Now()
	first, err := cluster.Schedule(ctx, l.pool, 3*keep, task, "first", cluster.Once("key"))
	require.NoError(t, err)
	time.Sleep(2 * keep)
	second, err := cluster.Schedule(ctx, l.pool, 10*keep, task, "second", cluster.Once("key"))
	require.NoError(t, err)
	require.Equal(t, first.ID(), second.ID())
	got, err := second.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, "first", got)
	require.GreaterOrEqual(t, time.Since(begun), 3*keep-time.Millisecond)
	require.Equal(t, "first", <-ran)

	_, err = cluster.Submit(ctx, l.pool, task, "third", cluster.Once("key"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := cluster.Submit(ctx, l.pool, task, "fourth", cluster.Once("key"))
		require.NoError(t, err)
		select {
		case in := <-ran:
			require.Equal(t, "fourth", in)
			return true
		default:
			return false
		}
	}, 10*keep, keep/6)
	l.requireHealed(t, 0)
}

// A key whose task is cancelled is free: many who submit it again get one new task, and the old one
// stays cancelled.
func TestACancelFreesItsKey(t *testing.T) {
	t.Parallel()
	const keep, rounds, callers = 2 * time.Second, 3, 8
	l := startLocal(t, cluster.Keep(keep))
	ctx := testContext(t, time.Minute)
	began := make(chan string, 10)
	task := cluster.Define("remind", func(ctx context.Context, in string) (string, error) {
		began <- in
		if in != "last" {
			<-ctx.Done()
		}
		return in, context.Cause(ctx)
	}, cluster.Lease(keep/10))
	l.serve(t, task)
	key := cluster.Once("key")
	submit := func(delay time.Duration, in string) *cluster.Future[string] {
		f, err := cluster.Schedule(ctx, l.pool, delay, task, in, key)
		require.NoError(t, err)
		return f
	}
	known := map[string]bool{}
	for round := range rounds {
		delay := []time.Duration{0, time.Hour, 2 * keep}[round]
		f := submit(delay, fmt.Sprint(round))
		require.False(t, known[f.ID()])
		known[f.ID()] = true
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				again, err := cluster.Schedule(ctx, l.pool, 0, task, "other", key)
				if noError(t, err) {
					assert.Equal(t, f.ID(), again.ID())
				}
			})
		}
		all.Wait()
		switch round {
		case 0:
			require.Equal(t, "0", <-began)
		case 2: // the record of the key is forgotten, while its task waits
			time.Sleep(keep + keep/2)
			require.Equal(t, f.ID(), submit(0, "other").ID())
		}
		prevented, err := f.Cancel(ctx)
		require.NoError(t, err)
		require.True(t, prevented)
		_, err = f.Get(ctx)
		require.ErrorIs(t, err, cluster.ErrCancelled)
	}
	last := submit(0, "last")
	require.False(t, known[last.ID()])
	got, err := last.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, "last", got)
	require.Equal(t, "last", <-began, "nothing else has run")
	attached, err := cluster.Attach(l.pool, task, last.ID()).Get(ctx)
	require.NoError(t, err)
	require.Equal(t, "last", attached)
	l.requireEmpty(t)
	l.requireHealed(t, 0)
}

// Many submit a key that is free, and was used before: they get one task.
func TestManyWhoSubmitAFreeKeyGetOneTask(t *testing.T) {
	t.Parallel()
	const rounds, callers = 20, 10
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	task := cluster.Define("remind", func(context.Context, int) (int, error) { return 0, nil })
	ids := map[string]bool{}
	for round := range rounds {
		futures := make([]*cluster.Future[int], callers)
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				f, err := cluster.Schedule(ctx, l.pool, time.Hour, task, round, cluster.Once("key"))
				noError(t, err)
				futures[i] = f
			})
		}
		all.Wait()
		for _, f := range futures {
			ids[f.ID()] = true
			_, err := f.Cancel(ctx)
			require.NoError(t, err)
		}
		require.Len(t, ids, round+1)
	}
	l.requireEmpty(t)
}

// A failure frees a key where that is asked for.
func TestAFailureFreesAKeyOnlyWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	task := cluster.Define("remind", func(_ context.Context, fails bool) (bool, error) {
		if fails {
			return false, errors.New("the mail server is away")
		}
		return true, nil
	}, cluster.Lease(brief))
	l.serve(t, task)
	get := func(fails bool, once cluster.SubmitOption) (id string, err error) {
		f, err := cluster.Submit(ctx, l.pool, task, fails, once)
		require.NoError(t, err)
		_, err = f.Get(ctx)
		return f.ID(), err
	}
	var failed *cluster.TaskError
	first, err := get(true, cluster.Once("key"))
	require.ErrorAs(t, err, &failed)
	same, err := get(false, cluster.Once("key"))
	require.ErrorAs(t, err, &failed)
	require.Equal(t, first, same)
	second, err := get(false, cluster.OnceUnlessFailed("key"))
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	for _, once := range []cluster.SubmitOption{cluster.Once("key"), cluster.OnceUnlessFailed("key")} {
		same, err = get(true, once)
		require.NoError(t, err)
		require.Equal(t, second, same)
	}
}

// A task that was purged has left its key behind, which says that it is stored. The key is free, so
// that what the next submission accepts has an outcome. To cancel what is gone prevents nothing.
func TestAKeyWhoseTaskWasPurgedIsFree(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	task := cluster.Define("task", func(_ context.Context, n int) (int, error) { return n, nil })
	first, err := cluster.Schedule(ctx, l.pool, time.Hour, task, 1, cluster.Once("key"))
	require.NoError(t, err)
	require.NoError(t, l.queue(t).Purge(ctx))
	_, err = first.Cancel(ctx)
	require.ErrorIs(t, err, cluster.ErrGone)
	require.ErrorContains(t, err, first.ID())
	_, err = cluster.Attach(l.pool, task, "once.never").Cancel(ctx)
	require.ErrorIs(t, err, cluster.ErrGone)
	l.serve(t, task)
	second, err := cluster.Submit(ctx, l.pool, task, 2, cluster.Once("key"))
	require.NoError(t, err)
	got, err := second.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, got)
	third, err := cluster.Submit(ctx, l.pool, task, 3, cluster.Once("key"))
	require.NoError(t, err)
	require.Equal(t, second.ID(), third.ID())
}
