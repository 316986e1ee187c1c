package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// failedIn returns the failed set of a pool, all of it.
func failedIn(t testing.TB, p *cluster.Pool) []cluster.Failed {
	t.Helper()
	var rows []cluster.Failed
	for after := uint64(0); ; {
		page, err := p.Failed(testContext(t, time.Minute), cluster.FailedFilter{}, after, 1000)
		require.NoError(t, err)
		rows = append(rows, page.Rows...)
		if after = page.Next; after == 0 {
			require.Len(t, rows, int(page.Total))
			return rows
		}
	}
}

// all is a filter that means every failed task.
var all = cluster.FailedFilter{All: true}

// failing is a task that fails unless it is told to be sound.
type failing struct {
	cluster.Task[string, string]
	sound atomic.Bool
	runs  atomic.Int64
}

func newFailing(name string, opts ...cluster.TaskOption) *failing {
	f := &failing{}
	f.Task = cluster.Define(name, func(_ context.Context, in string) (string, error) {
		f.runs.Add(1)
		if f.sound.Load() {
			return "did " + in, nil
		}
		return "", errAsTold
	}, opts...)
	return f
}

// fail submits a task, and waits until it has failed.
func (f *failing) fail(
	ctx context.Context, t testing.TB, p *cluster.Pool, in string, opts ...cluster.SubmitOption,
) *cluster.Future[string] {
	t.Helper()
	future, err := cluster.Submit(ctx, p, f.Task, in, opts...)
	require.NoError(t, err)
	_, err = future.Get(ctx)
	var failure *cluster.TaskError
	require.ErrorAs(t, err, &failure)
	return future
}

// What has failed for good is in the failed set by the time its future says so, with what there is
// to know of it; what was skipped, or has succeeded in the end, is not.
func TestWhatHasFailedIsKept(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, time.Minute)
	var wrongs atomic.Int64
	task := cluster.Define("work well", func(ctx context.Context, in string) (string, error) {
		run, _ := cluster.RunFrom(ctx)
		switch {
		case in == "skip":
			return "", executor.ErrSkipped
		case in == "panic":
			panic("on \x00 purpose")
		case in == "twice" && run.Attempt == 2:
			return "", nil
		}
		wrongs.Add(1)
		return "", errors.New(strings.Repeat("longer ", 1000))
	}, cluster.Retry(2, retry.Backoff{}))
	wrong := cluster.Define("work well", func(context.Context, int) (string, error) { return "", nil })
	r := l.start(t, []cluster.Runnable{task}, cluster.Instance("Here & now"))
	defer r.end(t)
	planned := time.Now().Add(50 * time.Millisecond)
	errored, err := cluster.ScheduleAt(ctx, l.pool, planned, task, "error")
	require.NoError(t, err)
	for _, in := range []string{"skip", "panic", "twice"} {
		f, err := cluster.Submit(ctx, l.pool, task, in)
		require.NoError(t, err)
		_, err = f.Get(ctx)
		require.Equal(t, in == "twice", err == nil, in)
	}
	f, err := cluster.Submit(ctx, l.pool, wrong, 1)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	_, err = errored.Get(ctx)
	require.Error(t, err)

	kinds := map[string]cluster.Failed{}
	for _, f := range failedIn(t, l.pool) {
		kinds[f.Kind] = f
		require.Equal(t, "work well", f.Task)
		require.Equal(t, "Here & now", f.Instance)
		require.WithinDuration(t, time.Now(), f.At, time.Minute)
	}
	require.Len(t, kinds, 3)
	require.Equal(t, "on \x00 purpose", kinds["panic"].Error)
	require.Equal(t, 1, kinds["undecodable"].Attempts)
	require.Equal(t, "1", string(kinds["undecodable"].Payload))
	f2 := kinds["error"]
	require.Equal(t, errored.ID(), f2.ID)
	require.Equal(t, `"error"`, string(f2.Payload))
	require.Equal(t, 2, f2.Attempts)
	require.True(t, planned.Equal(f2.Planned), "%v, and not %v", f2.Planned, planned)
	require.Regexp(t, "^longer longer ", f2.Error)
	require.Less(t, len(f2.Error), 1001)
	require.Empty(t, f2.Series)
	text, err := json.Marshal(f2)
	require.NoError(t, err)
	require.Contains(t, string(text), `"kind":"error"`)
}

// A page has the oldest rows after a place, and tells how many there are.
func TestPagesOfTheFailedSet(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, time.Minute)
	a, b := newFailing("a"), newFailing("a.b")
	l.serve(t, a.Task, b.Task)
	empty, err := l.pool.Failed(ctx, cluster.FailedFilter{}, 0, 0)
	require.NoError(t, err)
	require.Equal(t, cluster.FailedPage{}, empty)
	ids := map[string]string{}
	for i := range 130 {
		task := a
		if i%2 == 1 {
			task = b
		}
		ids[task.fail(ctx, t, l.pool, fmt.Sprint(i)).ID()] = fmt.Sprintf(`"%d"`, i)
	}
	look := func(of cluster.FailedFilter, most int, want ...int) (rows []cluster.Failed) {
		t.Helper()
		after := uint64(0)
		for i, n := range want {
			page, err := l.pool.Failed(ctx, of, after, most)
			require.NoError(t, err)
			require.Len(t, page.Rows, n)
			require.Equal(t, i == len(want)-1, page.Next == 0)
			rows, after = append(rows, page.Rows...), page.Next
			sum := 0
			for _, n := range want {
				sum += n
			}
			require.EqualValues(t, sum, page.Total)
		}
		for i, f := range rows {
			require.Equal(t, ids[f.ID], string(f.Payload))
			require.True(t, i == 0 || f.Sequence > rows[i-1].Sequence)
		}
		return rows
	}
	rows := look(cluster.FailedFilter{}, 0, 100, 30)
	look(cluster.FailedFilter{}, 65, 65, 65)
	look(cluster.FailedFilter{Task: "a.b"}, 60, 60, 5)
	some := []string{rows[9].ID, rows[3].ID, rows[4].ID, rows[3].ID, "client.unknown"}
	look(cluster.FailedFilter{IDs: some}, 2, 2, 1)
	require.Equal(t, rows[3], look(cluster.FailedFilter{IDs: some, Task: rows[3].Task}, 0, 2)[0])
	look(cluster.FailedFilter{IDs: []string{}}, 0, 0)
	for want, call := range map[string]func() error{
		"1001 rows": func() error { _, err := l.pool.Failed(ctx, all, 0, 1001); return err },
		"-1 rows":   func() error { _, err := l.pool.Failed(ctx, all, 0, -1); return err },
		`"a.>" is not`: func() error {
			_, err := l.pool.Failed(ctx, cluster.FailedFilter{IDs: []string{"a.>"}}, 0, 0)
			return err
		},
		"nothing is redriven": func() error { _, err := l.pool.Redrive(ctx, cluster.FailedFilter{}); return err },
		"nothing is discarded": func() error {
			_, err := l.pool.Discard(ctx, cluster.FailedFilter{IDs: []string{}})
			return err
		},
		"no Task or IDs": func() error {
			_, err := l.pool.Discard(ctx, cluster.FailedFilter{All: true, Task: "a"})
			return err
		},
	} {
		err := call()
		require.ErrorIs(t, err, cluster.ErrInvalid)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, `pool "tasks"`)
	}
	stats, err := l.pool.Stats(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 130, stats.Failed)
	require.EqualValues(t, 65, stats.Tasks[1].Failed)
}

// A task that is redriven runs as another, with an ID that follows from its own, and is not in the
// failed set any more; what has failed stays failed.
func TestAFailedTaskIsRedriven(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, time.Minute)
	task := newFailing("work", cluster.Retry(2, retry.Backoff{}))
	l.serve(t, task.Task)
	old := task.fail(ctx, t, l.pool, "it")
	id := old.ID()
	for n := 2; n < 5; n++ {
		done, err := l.pool.Redrive(ctx, cluster.FailedFilter{IDs: []string{id}})
		require.NoError(t, err)
		next := fmt.Sprint(old.ID(), "-", n)
		require.Equal(t, []cluster.Redriven{{Task: "work", ID: id, New: next}}, done)
		again := cluster.Attach(l.pool, task.Task, next)
		_, err = again.Get(ctx)
		require.Error(t, err)
		set := failedIn(t, l.pool)
		require.Len(t, set, 1)
		require.Equal(t, next, set[0].ID)
		require.Equal(t, id, set[0].RedriveOf)
		require.Equal(t, 2, set[0].Attempts, "they begin anew")
		id = next
	}
	_, err := l.pool.Redrive(ctx, cluster.FailedFilter{IDs: []string{old.ID()}})
	require.ErrorIs(t, err, cluster.ErrGone)
	require.ErrorContains(t, err, old.ID())
	task.sound.Store(true)
	done, err := l.pool.Redrive(ctx, cluster.FailedFilter{Task: "work"})
	require.NoError(t, err)
	require.Len(t, done, 1)
	got, err := cluster.Attach(l.pool, task.Task, done[0].New).Get(ctx)
	require.NoError(t, err)
	require.Equal(t, "did it", got)
	_, err = cluster.Attach(l.pool, task.Task, old.ID()).Get(ctx)
	require.ErrorContains(t, err, "as told")
	require.Empty(t, failedIn(t, l.pool))
	l.requireEmpty(t)
}

// A key stays one task's: that of the redriven one.
func TestARedrivenTaskHasItsKey(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, time.Minute)
	task := newFailing("work")
	l.serve(t, task.Task)
	for key, option := range map[string]func(string) cluster.SubmitOption{
		"once": cluster.Once, "once unless failed": cluster.OnceUnlessFailed,
	} {
		task.sound.Store(false)
		first := task.fail(ctx, t, l.pool, "it", option(key))
		task.sound.Store(true)
		done, err := l.pool.Redrive(ctx, cluster.FailedFilter{IDs: []string{first.ID()}})
		require.NoError(t, err)
		require.Len(t, done, 1)
		require.NotEqual(t, first.ID(), done[0].New)
		again, err := cluster.Submit(ctx, l.pool, task.Task, "other", option(key))
		require.NoError(t, err)
		require.Equal(t, done[0].New, again.ID())
		got, err := again.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, "did it", got)
		require.Empty(t, failedIn(t, l.pool))
	}
	l.requireEmpty(t)
}

// A key that was submitted again after its task had failed has that one: the failed one is not
// stored beside it.
func TestAKeyThatWasSubmittedAgainIsNotRedriven(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, time.Minute)
	task := newFailing("work")
	l.serve(t, task.Task)
	first := task.fail(ctx, t, l.pool, "it", cluster.OnceUnlessFailed("key"))
	task.sound.Store(true)
	second, err := cluster.Submit(ctx, l.pool, task.Task, "anew", cluster.OnceUnlessFailed("key"))
	require.NoError(t, err)
	require.NotEqual(t, first.ID(), second.ID())
	done, err := l.pool.Redrive(ctx, all)
	require.NoError(t, err)
	require.Equal(t, []cluster.Redriven{{Task: "work", ID: first.ID(), New: second.ID()}}, done)
	_, err = second.Get(ctx)
	require.NoError(t, err)
	l.requireEmpty(t)
	require.EqualValues(t, 2, task.runs.Load())
}

// Two processes that redrive the same at the same time store each task once, and neither hangs.
func TestRedrivenTwiceIsStoredOnce(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, 2*time.Minute)
	task := newFailing("work")
	l.serve(t, task.Task)
	other := l.replica(t)
	tasks := long(200, 2_000)
	require.NoError(t, atOnce(tasks, func(i int) error {
		var opts []cluster.SubmitOption
		if i%2 == 0 {
			opts = append(opts, cluster.Once(fmt.Sprint("key", i)))
		}
		f, err := cluster.Submit(ctx, l.pool, task.Task, fmt.Sprint(i), opts...)
		if err == nil {
			_, _ = f.Get(ctx)
		}
		return err
	}))
	require.Len(t, failedIn(t, l.pool), tasks)
	require.EqualValues(t, tasks, task.runs.Load())
	task.sound.Store(true)
	var done [2][]cluster.Redriven
	require.NoError(t, atOnce(2, func(i int) (err error) {
		done[i], err = []*cluster.Pool{l.pool, other}[i].Redrive(ctx, all)
		return err
	}))
	ids := map[string]string{}
	for _, d := range append(done[0], done[1]...) {
		assert.Contains(t, []string{"", d.New}, ids[d.ID])
		ids[d.ID] = d.New
	}
	require.Len(t, ids, tasks)
	for _, id := range ids {
		_, err := cluster.Attach(other, task.Task, id).Get(ctx)
		require.NoError(t, err)
	}
	l.requireEmpty(t)
	require.Empty(t, failedIn(t, l.pool))
	require.EqualValues(t, 2*tasks, task.runs.Load(), "each once more")
}

// Ten thousand failed tasks are redriven in one call, or discarded.
func TestManyFailedTasks(t *testing.T) {
	t.Parallel()
	n := long(2_000, 10_000)
	l, ctx := startLocal(t), testContext(t, 4*time.Minute)
	task, other := newFailing("work"), newFailing("other")
	failMany := func(task *failing, n int) {
		require.NoError(t, atOnce(256, func(i int) error {
			for ; i < n; i += 256 {
				f, err := cluster.Submit(ctx, l.pool, task.Task, fmt.Sprint(i))
				if err != nil {
					return err
				}
				if _, err := f.Get(ctx); errors.Is(err, ctx.Err()) {
					return err
				}
			}
			return nil
		}))
	}
	r := l.start(t, []cluster.Runnable{task.Task, other.Task}, cluster.Workers(64))
	failMany(task, n)
	failMany(other, 10)
	task.sound.Store(true)
	begun := time.Now()
	done, err := l.pool.Redrive(ctx, cluster.FailedFilter{Task: "work"})
	require.NoError(t, err)
	require.Equal(t, n, len(done)) //nolint:testifylint // or all are written out
	t.Logf("%d redriven in %v", n, time.Since(begun))
	l.requireEmpty(t)
	require.EqualValues(t, 2*n, task.runs.Load())
	require.Len(t, failedIn(t, l.pool), 10)
	removed, err := l.pool.Discard(ctx, all)
	require.NoError(t, err)
	require.Equal(t, 10, removed)
	require.Empty(t, failedIn(t, l.pool))
	r.end(t)
}

// What an attempt has kept that could not record its outcome is dropped when the next one has
// another. Until then it cannot be redriven.
func TestWhatHasNotFailedAfterAllIsNotKept(t *testing.T) {
	t.Parallel()
	l, ctx := startOutside(t, cluster.Keep(10*longer)), testContext(t, time.Minute)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	for name, want := range map[string][]string{"succeeds": nil, "fails": {"error"}, "cancelled": nil} {
		t.Run(name, func(t *testing.T) {
			begun, ends := make(chan bool, 10), make(chan error)
			task := cluster.Define(name, func(ctx context.Context, _ int) (int, error) {
				begun <- true
				select {
				case err := <-ends:
					return 0, err
				case <-ctx.Done():
					return 0, context.Cause(ctx)
				}
			}, cluster.Lease(longer))
			first := l.start(t, []cluster.Runnable{task}, cluster.Grace(0))
			f, err := cluster.Submit(ctx, l.pool, task, 1)
			require.NoError(t, err)
			<-begun
			// As a worker would keep it that dies right then.
			_, err = js.Publish(ctx, "punctual.tasks.dead."+name+"."+f.ID(), []byte("1"))
			require.NoError(t, err)
			this := cluster.FailedFilter{Task: name}
			_, err = l.pool.Redrive(ctx, this)
			require.ErrorContains(t, err, "still under way")
			l.start(t, []cluster.Runnable{task})
			first.end(t)
			<-begun // delivered again
			switch name {
			case "succeeds":
				ends <- nil
			case "fails":
				ends <- errAsTold
			case "cancelled":
				_, err := f.Cancel(ctx)
				require.NoError(t, err)
				_, err = l.pool.Redrive(ctx, this)
				require.ErrorIs(t, err, cluster.ErrGone)
			}
			_, err = f.Get(ctx)
			require.Equal(t, name == "succeeds", err == nil)
			var kinds []string
			page, err := l.pool.Failed(ctx, this, 0, 0)
			require.NoError(t, err)
			for _, row := range page.Rows {
				kinds = append(kinds, row.Kind)
			}
			require.Equal(t, want, kinds)
		})
	}
}
