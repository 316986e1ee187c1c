package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// often are waits that do not vary.
func often(d time.Duration) retry.Backoff {
	return retry.Backoff{Base: d, Factor: 1, Spread: retry.NoSpread}
}

// doubled are waits that double, the first of which is d.
func doubled(d time.Duration) retry.Backoff {
	return retry.Backoff{Base: d, Spread: retry.NoSpread}
}

var errAsTold = errors.New("as told")

// attempted is an attempt as its function sees it.
type attempted struct {
	cluster.Run
	At time.Time
}

// attempter is a task that notes its attempts.
type attempter struct {
	mu   sync.Mutex
	seen []attempted
}

// task fails as fail says of each attempt.
func (a *attempter) task(
	fail func(run cluster.Run) error, opts ...cluster.TaskOption,
) cluster.Task[int, int] {
	return a.inContext(func(_ context.Context, run cluster.Run) error { return fail(run) }, opts...)
}

func (a *attempter) inContext(
	fail func(context.Context, cluster.Run) error, opts ...cluster.TaskOption,
) cluster.Task[int, int] {
	return cluster.Define("work", func(ctx context.Context, n int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		a.mu.Lock()
		a.seen = append(a.seen, attempted{run, time.Now()})
		a.mu.Unlock()
		return n, fail(ctx, run)
	}, append([]cluster.TaskOption{cluster.Lease(brief)}, opts...)...)
}

func (a *attempter) all() []attempted {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]attempted(nil), a.seen...)
}

func (a *attempter) numbers() (numbers []int) {
	for _, run := range a.all() {
		numbers = append(numbers, run.Attempt)
	}
	return numbers
}

func always(cluster.Run) error { return errAsTold }

// until fails all attempts before one.
func until(attempt int) func(cluster.Run) error {
	return func(run cluster.Run) error {
		if run.Attempt < attempt {
			return errAsTold
		}
		return nil
	}
}

// waiting returns the message of the one task that waits for its time.
func (l *local) waiting(t testing.TB) *jetstream.RawStreamMsg {
	t.Helper()
	var m *jetstream.RawStreamMsg
	require.Eventually(t, func() bool {
		var err error
		m, err = l.queue(t).GetLastMsgForSubject(context.Background(), "punctual.tasks.arm.*.o.*.*")
		return err == nil
	}, 20*time.Second, 5*time.Millisecond)
	return m
}

// A task that fails is tried again with its ID, and counts its attempts; what it was planned for
// stays, and its fence grows. No attempt begins before its back-off is over, and the last one has
// the outcome.
func TestATaskThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	inBothWays(t, func(t *testing.T, start func(testing.TB, ...cluster.Option) *local) {
		l, ctx, a := start(t), testContext(t, time.Minute), attempter{}
		task := a.task(until(4), cluster.Retry(5, doubled(200*time.Millisecond)))
		l.serve(t, task)
		f, err := cluster.Schedule(ctx, l.pool, 100*time.Millisecond, task, 7)
		require.NoError(t, err)
		got, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, 7, got)
		require.Equal(t, []int{1, 2, 3, 4}, a.numbers())
		all := a.all()
		for i, run := range all[1:] {
			require.Equal(t, f.ID(), run.ID)
			require.Equal(t, all[0].Scheduled, run.Scheduled)
			require.Greater(t, run.Fence, all[i].Fence)
			require.GreaterOrEqual(t, run.At.Sub(all[i].At), 200*time.Millisecond<<i)
		}
		l.requireEmpty(t)
	})
}

// A task that is out of attempts has failed, with its last error.
func TestATaskThatIsOutOfAttemptsHasFailed(t *testing.T) {
	t.Parallel()
	l, ctx, a := startLocal(t), testContext(t, time.Minute), attempter{}
	task := a.task(func(run cluster.Run) error { return fmt.Errorf("attempt %d", run.Attempt) },
		cluster.Retry(3, retry.Backoff{}))
	l.serve(t, task)
	f, err := cluster.Submit(ctx, l.pool, task, 7)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	var failure *cluster.TaskError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "attempt 3", failure.Text)
	require.Equal(t, []int{1, 2, 3}, a.numbers())
	l.requireEmpty(t)
}

// What an error says of the next attempt is done, and what would fail in the same way is not tried
// again.
func TestWhatIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail func(cluster.Run) error
		opts []cluster.TaskOption
		want []int // attempts
	}{
		"permanent": {func(cluster.Run) error { return retry.Permanent(errAsTold) }, nil, []int{1}},
		"skipped":   {func(cluster.Run) error { return executor.ErrSkipped }, nil, []int{1}},
		"panic":     {func(cluster.Run) error { panic(errAsTold) }, nil, []int{1, 2, 3}},
		// Its time also counts while the server is asked whether the run may begin.
		"timeout": {func(cluster.Run) error { time.Sleep(3 * time.Second); return nil },
			[]cluster.TaskOption{cluster.With(executor.Timeout(2 * time.Second))}, []int{1, 2, 3}},
		"within itself": {always, []cluster.TaskOption{cluster.With(executor.Retry(2, retry.Backoff{}))},
			[]int{1, 1, 2, 2, 3, 3}},
		"within a time": {always, []cluster.TaskOption{cluster.Retry(9, retry.Backoff{
			Base: time.Hour, Within: time.Hour, Spread: retry.NoSpread})}, []int{1}},
		"for ever later": {func(cluster.Run) error { return retry.After(errAsTold, 1<<63-1) }, nil, []int{1}},
		"wrong options":  {always, []cluster.TaskOption{cluster.With(executor.Retry(0, retry.Backoff{}))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, ctx, a := startLocal(t), testContext(t, time.Minute), attempter{}
			opts := append([]cluster.TaskOption{cluster.Retry(3, often(time.Millisecond))}, c.opts...)
			task := a.task(c.fail, opts...)
			l.serve(t, task)
			f, err := cluster.Submit(ctx, l.pool, task, 7)
			require.NoError(t, err)
			_, err = f.Get(ctx)
			var failure *cluster.TaskError
			require.ErrorAs(t, err, &failure)
			require.Equal(t, c.want, a.numbers())
			require.Equal(t, name == "panic", failure.Panic)
			l.requireEmpty(t)
		})
	}
}

// An error says when to come again: the schedule is stored for that time.
func TestAnErrorSaysWhenTheNextAttemptIs(t *testing.T) {
	t.Parallel()
	l, ctx, a := startLocal(t), testContext(t, time.Minute), attempter{}
	task := a.task(func(run cluster.Run) error {
		if run.Attempt == 2 {
			return nil
		}
		return retry.After(errAsTold, 2*time.Second)
	}, cluster.Retry(3, often(time.Hour)))
	l.serve(t, task)
	f, err := cluster.Submit(ctx, l.pool, task, 7)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.NoError(t, err)
	all := a.all()
	require.Len(t, all, 2)
	require.GreaterOrEqual(t, all[1].At.Sub(all[0].At), 2*time.Second)
}

// What waits for its next attempt is a schedule, which says how often it has failed, and of what; and
// it is all there is of the task: no worker has anything of it.
func TestATaskInBackoffOccupiesNothing(t *testing.T) {
	t.Parallel()
	l, ctx, a := startLocal(t), testContext(t, time.Minute), attempter{}
	task := a.task(func(run cluster.Run) error {
		if run.ID[:5] == "once." {
			return errAsTold
		}
		return nil
	}, cluster.Retry(10, doubled(50*time.Hour)))
	r := l.start(t, []cluster.Runnable{task}, cluster.Workers(1), cluster.Instance("here"))
	defer r.end(t)
	for i := range 8 {
		_, err := cluster.Submit(ctx, l.pool, task, 7, cluster.Once(fmt.Sprint("key", i)))
		require.NoError(t, err)
	}
	f, err := cluster.Submit(ctx, l.pool, task, 8)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.NoError(t, err, "a task that is sound runs in between")
	require.Eventually(t, func() bool {
		stats, err := l.pool.Stats(ctx)
		return err == nil && stats.Stored == 8 && len(stats.Tasks) == 1 &&
			stats.Tasks[0].Held == 0 && stats.Tasks[0].Due == 0
	}, 20*time.Second, 10*time.Millisecond)
	m := l.waiting(t)
	due, err := time.Parse(time.RFC3339Nano, m.Header.Get("Punctual-Due"))
	require.NoError(t, err)
	require.InEpsilon(t, 50*time.Hour, time.Until(due), 0.05)
	require.Regexp(t, `^1 \S+ 180000000000000$`, m.Header.Get("Punctual-Failed"))
	require.Regexp(t, `^1 here/\w+$`, m.Header.Get("Punctual-Attempts"))
	require.Equal(t, `"as told"`, m.Header.Get("Punctual-Error"))
	require.NotEmpty(t, m.Header.Get("Punctual-Planned"))
}

// A task in back-off that is cancelled does not run again, and nothing of it is left.
func TestATaskInBackoffIsCancelled(t *testing.T) {
	t.Parallel()
	l, ctx, a := startLocal(t), testContext(t, time.Minute), attempter{}
	task := a.task(always, cluster.Retry(10, often(time.Hour)))
	l.serve(t, task)
	f, err := cluster.Submit(ctx, l.pool, task, 7)
	require.NoError(t, err)
	l.waiting(t)
	prevented, err := cluster.Attach(l.pool, task, f.ID()).Cancel(ctx)
	require.NoError(t, err)
	require.True(t, prevented)
	_, err = f.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrCancelled)
	l.requireEmpty(t)
	require.Equal(t, []int{1}, a.numbers())
}

// A task that is cancelled at the moment in which it is stored for its next attempt is cancelled, and
// nothing of it is left, whichever comes first.
func TestCancelRacesTheNextAttempt(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, 4*time.Minute)
	const callers = 64
	var begun [callers]chan bool
	for i := range begun {
		begun[i] = make(chan bool, 1)
	}
	task := cluster.Define("work", func(_ context.Context, caller int) (int, error) {
		begun[caller] <- true
		return 0, errAsTold
	}, cluster.Retry(10, often(time.Hour)))
	l.serve(t, task)
	require.NoError(t, atOnce(callers, func(caller int) error {
		for range long(1_000, 20_000) / callers {
			f, err := cluster.Submit(ctx, l.pool, task, caller)
			if err != nil {
				return err
			}
			<-begun[caller]
			time.Sleep(rand.N(6 * time.Millisecond))
			prevented, err := f.Cancel(ctx)
			if err != nil || !prevented {
				return fmt.Errorf("prevented %v, %w", prevented, err)
			}
			if _, err := f.Get(ctx); !errors.Is(err, cluster.ErrCancelled) {
				return fmt.Errorf("not cancelled: %w", err)
			}
		}
		return nil
	}))
	l.requireEmpty(t)
	require.Empty(t, failedIn(t, l.pool))
}

// A key is taken while its task waits for another attempt, and as long as its outcome is kept.
func TestAKeyIsTakenDuringBackoff(t *testing.T) {
	t.Parallel()
	l, ctx, a := startLocal(t), testContext(t, time.Minute), attempter{}
	task := a.task(until(2), cluster.Retry(10, often(time.Second)))
	l.serve(t, task)
	first, err := cluster.Submit(ctx, l.pool, task, 7, cluster.OnceUnlessFailed("key"))
	require.NoError(t, err)
	l.waiting(t)
	again, err := cluster.Submit(ctx, l.pool, task, 8, cluster.OnceUnlessFailed("key"))
	require.NoError(t, err)
	require.Equal(t, first.ID(), again.ID())
	got, err := again.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 7, got)
	require.Equal(t, []int{1, 2}, a.numbers())
	l.requireEmpty(t)
}

// Bad options are told by what uses the task first.
func TestRetriesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	l, ctx := startLocal(t), testContext(t, time.Minute)
	for want, opt := range map[string]cluster.TaskOption{
		`task "work": Retry with 0 attempts, which is below 1`: cluster.Retry(0, retry.Backoff{}),
		`task "work": Retry: negative duration`:                cluster.Retry(2, retry.Backoff{Base: -1}),
		`task "work": Retry: back-off factor 0.5`:              cluster.Retry(2, retry.Backoff{Factor: 0.5}),
	} {
		task := (&attempter{}).task(always, opt)
		_, err := cluster.Submit(ctx, l.pool, task, 1)
		require.ErrorIs(t, err, cluster.ErrInvalid)
		require.ErrorContains(t, err, want)
		err = l.pool.Serve(ctx, task)
		require.ErrorIs(t, err, cluster.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// An attempt that a process gives back as it ends is begun anew, and counts once; those that have
// failed before it still count.
func TestAnAttemptThatIsGivenBackCountsOnce(t *testing.T) {
	t.Parallel()
	inBothWays(t, func(t *testing.T, start func(testing.TB, ...cluster.Option) *local) {
		l, ctx, a := start(t, cluster.Keep(10*longer)), testContext(t, time.Minute), attempter{}
		begun := make(chan bool, 10)
		task := a.inContext(func(ctx context.Context, run cluster.Run) error {
			if run.Attempt == 2 {
				if begun <- true; len(a.all()) == 2 {
					<-ctx.Done()
				}
			}
			return fmt.Errorf("attempt %d", run.Attempt)
		}, cluster.Retry(3, retry.Backoff{}), cluster.Lease(longer))
		first := l.start(t, []cluster.Runnable{task}, cluster.Grace(0))
		f, err := cluster.Schedule(ctx, l.pool, 700*time.Millisecond, task, 7)
		require.NoError(t, err)
		<-begun
		first.end(t)
		l.start(t, []cluster.Runnable{task})
		_, err = f.Get(ctx)
		require.ErrorContains(t, err, "attempt 3")
		require.Equal(t, []int{1, 2, 2, 3}, a.numbers())
		for _, run := range a.all() {
			require.Equal(t, a.all()[0].Scheduled, run.Scheduled)
		}
		require.Equal(t, 3, failedIn(t, l.pool)[0].Attempts)
		l.requireEmpty(t)
	})
}

// A task whose payload is as long as may be, with the longest names, is tried again, and is kept when
// it has failed, with so much of its error as fits.
func TestALongTaskIsTriedAgainAndKept(t *testing.T) {
	t.Parallel()
	nc := dial(t, startServer(t, func(o *server.Options) { o.MaxPayload = 8 << 10 }))
	ctx := testContext(t, time.Minute)
	p, err := cluster.Join(ctx, nc, cluster.Instance(strings.Repeat("i", 100)))
	require.NoError(t, err)
	task := cluster.Define(strings.Repeat("n", 190), func(context.Context, string) (int, error) {
		return 0, errors.New(strings.Repeat("wrong ", 1000))
	}, cluster.Retry(3, often(700*time.Millisecond)))
	go p.Serve(ctx, task) //nolint:errcheck // it ends with the test
	f, err := cluster.Submit(ctx, p, task, strings.Repeat("x", int(nc.MaxPayload())-1024-len(`""`)))
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorContains(t, err, "wrong wrong")
	set := failedIn(t, p)
	require.Len(t, set, 1)
	require.Equal(t, 3, set[0].Attempts)
	require.Contains(t, set[0].Error, "wrong")
}

// A pool whose failed set was deleted does its work all the same.
func TestWithoutAFailedSetATaskStillEnds(t *testing.T) {
	t.Parallel()
	var log logged
	l, ctx, a := startLocal(t), testContext(t, time.Minute), attempter{}
	task := a.task(always)
	r := l.start(t, []cluster.Runnable{task}, log.option())
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	require.NoError(t, js.DeleteStream(ctx, "PUNCTUAL_tasks_DEAD"))
	f, err := cluster.Submit(ctx, l.pool, task, 7)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorContains(t, err, "as told")
	r.end(t)
	require.Contains(t, log.String(), "a failed task could not be kept")
	require.Equal(t, []int{1}, a.numbers())
}
