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
	"github.com/punctual-go/punctual/timer/cron"
)

// recorder is a task that keeps what its runs were told.
type recorder struct {
	mu   sync.Mutex
	runs []cluster.Run
	in   []string
	at   []time.Time
	body func(ctx context.Context, run cluster.Run) error
}

func (r *recorder) task() cluster.Task[string, int] {
	return cluster.Define("recorder", func(ctx context.Context, in string) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		r.mu.Lock()
		r.runs, r.in, r.at = append(r.runs, run), append(r.in, in), append(r.at, time.Now())
		r.mu.Unlock()
		if r.body != nil {
			return 0, r.body(ctx, run)
		}
		return 0, nil
	}, cluster.Lease(time.Second))
}

func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.runs)
}

func (r *recorder) last() (cluster.Run, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[len(r.runs)-1], r.in[len(r.in)-1]
}

func (r *recorder) await(t testing.TB, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return r.count() >= n }, 20*time.Second, time.Millisecond)
}

const tenth = 100 * time.Millisecond

func TestASeriesIsPausedAndResumed(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var r recorder
	l.serve(t, r.task())
	s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, 500*time.Millisecond, r.task(), "in")
	require.NoError(t, err)
	r.await(t, 2)
	require.NoError(t, s.Pause(ctx))
	require.NoError(t, s.Pause(ctx), "again")
	time.Sleep(7 * tenth) // one was on its way
	paused := r.count()
	time.Sleep(1200 * time.Millisecond)
	require.Equal(t, paused, r.count())
	next, err := s.Next(ctx)
	require.NoError(t, err)
	require.Zero(t, next.Scheduled)
	require.ErrorIs(t, s.Trigger(ctx), cluster.ErrInvalid)
	_, err = cluster.AtFixedRate(ctx, l.pool, "s", 0, 500*time.Millisecond, r.task(), "other")
	require.NoError(t, err)
	time.Sleep(6 * tenth)
	require.Equal(t, paused, r.count(), "a series that is declared anew stays paused")
	require.NoError(t, s.Resume(ctx))
	require.NoError(t, s.Resume(ctx), "again")
	r.await(t, paused+2)
	_, in := r.last()
	require.Equal(t, "other", in)
	require.NoError(t, s.Cancel(ctx))
	l.requireEmpty(t)
	require.ErrorIs(t, s.Pause(ctx), cluster.ErrNoSeries)
	require.ErrorIs(t, s.Resume(ctx), cluster.ErrNoSeries)
	require.ErrorIs(t, s.Trigger(ctx), cluster.ErrNoSeries)
	require.NoError(t, s.Cancel(ctx), "there is none")
	l.requireEmpty(t)
}

// A run that is asked for does not move the grid, and does not overlap with another.
func TestASeriesIsTriggered(t *testing.T) {
	t.Parallel()
	const period = 3 * time.Second // long enough for a busy machine to trigger twice in it
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	overlap := make(chan struct{}, 1)
	r := recorder{body: func(context.Context, cluster.Run) error {
		select {
		case overlap <- struct{}{}:
		default:
			t.Error("two runs at a time")
		}
		time.Sleep(tenth)
		<-overlap
		return nil
	}}
	l.serve(t, r.task())
	s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, period, r.task(), "in")
	require.NoError(t, err)
	r.await(t, 1)
	require.NoError(t, s.Trigger(ctx), "while one runs")
	r.await(t, 2)
	run, _ := r.last()
	require.True(t, run.Triggered)
	time.Sleep(2 * tenth)
	require.NoError(t, s.Trigger(ctx), "while it waits")
	r.await(t, 3)
	run, _ = r.last()
	require.True(t, run.Triggered)
	r.await(t, 5)
	first := r.runs[0].Scheduled
	for i, run := range r.runs[3:5] {
		require.False(t, run.Triggered)
		require.Equal(t, first.Add(time.Duration(i+1)*period), run.Scheduled)
	}
	ids := map[string]bool{}
	for _, run := range r.runs {
		ids[run.ID] = true
	}
	require.Len(t, ids, len(r.runs))
	require.NoError(t, s.Cancel(ctx))
}

// Commands that come while a run is under way take effect after it, in their order.
func TestTwoCommandsDuringARun(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	free := make(chan struct{})
	r := recorder{body: func(_ context.Context, run cluster.Run) error {
		if run.Number == 1 {
			<-free
		}
		return nil
	}}
	l.serve(t, r.task())
	s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, 2*tenth, r.task(), "in")
	require.NoError(t, err)
	r.await(t, 1)
	require.NoError(t, s.Trigger(ctx))
	require.NoError(t, s.Pause(ctx))
	close(free)
	r.await(t, 2)
	time.Sleep(time.Second)
	require.Equal(t, 2, r.count(), "the first, the one that was asked for, and then it is paused")
	run, _ := r.last()
	require.True(t, run.Triggered)
	require.NoError(t, s.Resume(ctx))
	r.await(t, 4)
	numbers := map[uint64]bool{}
	for _, run := range r.runs[:4] {
		require.False(t, numbers[run.Number], "number %d twice", run.Number)
		numbers[run.Number] = true
	}
	require.NoError(t, s.Cancel(ctx))
}

// A series that is cancelled and declared anew at once is another one: what tells runs that the old
// one is cancelled does not reach it.
func TestASeriesBegunAnew(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	r := recorder{body: func(ctx context.Context, _ cluster.Run) error {
		time.Sleep(20 * time.Millisecond)
		return nil
	}}
	l.serve(t, r.task())
	for i := range 30 {
		before := r.count()
		s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, time.Minute, r.task(), fmt.Sprint(i))
		require.NoError(t, err)
		r.await(t, before+1)
		_, in := r.last()
		require.Equal(t, fmt.Sprint(i), in)
		require.NoError(t, s.Cancel(ctx))
	}
	require.Equal(t, 30, r.count())
	l.requireEmpty(t)
}

// A replica that does not know a calendar leaves the series' runs to one that does.
func TestACalendarThatOneReplicaDoesNotKnow(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var ignorant, knowing recorder
	l.start(t, []cluster.Runnable{ignorant.task()})
	p, err := cluster.Join(ctx, l.connect(t))
	require.NoError(t, err)
	secondly, err := cron.ParseSeconds("* * * * * *")
	require.NoError(t, err)
	s, err := cluster.On(ctx, p, "s", secondly, knowing.task(), "in")
	require.NoError(t, err)
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(serving, knowing.task()) }()
	knowing.await(t, 3)
	require.Zero(t, ignorant.count())
	require.NoError(t, s.Cancel(ctx))
	stop()
	require.NoError(t, <-ended)
}

// named is a calendar of the multiples of a duration.
type named time.Duration

func (n named) Next(after time.Time) time.Time {
	return after.Truncate(time.Duration(n)).Add(time.Duration(n))
}

func (n named) String() string { return time.Duration(n).String() }

// replica joins the pool by a connection of its own.
func (l *local) replica(t testing.TB) *cluster.Pool {
	t.Helper()
	p, err := cluster.Join(testContext(t, time.Minute), l.connect(t))
	require.NoError(t, err)
	return p
}

// serving serves on another replica until stop is called, or the test ends.
func serving(t testing.TB, p *cluster.Pool, tasks ...cluster.Runnable) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, tasks...) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	t.Cleanup(stop)
	return stop
}

// During a deploy some replicas have the old calendar and some the new one. Whoever ends the run
// under way, the series goes on by the new one.
func TestOnlyAReplicaWithTheCalendarThatHoldsPlansByIt(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var before, after recorder
	old, fresh := l.replica(t), l.replica(t)
	_, err := cluster.On(ctx, old, "s", named(tenth), before.task(), "in")
	require.NoError(t, err)
	serving(t, old, before.task())
	before.await(t, 3)
	s, err := cluster.On(ctx, fresh, "s", named(2*tenth), after.task(), "in")
	require.NoError(t, err)
	serving(t, fresh, after.task())
	after.await(t, 5)
	after.mu.Lock()
	runs := after.runs[:5]
	after.mu.Unlock()
	for _, run := range runs {
		require.True(t, run.Scheduled.Equal(run.Scheduled.Truncate(2*tenth)), "%v", run.Scheduled)
	}
	require.NoError(t, s.Pause(ctx))
	old2, err := cluster.AttachSeries(old, before.task(), "s")
	require.NoError(t, err)
	require.NoError(t, old2.Resume(ctx), "this needs no calendar")
	n := after.count()
	after.await(t, n+2)
	require.NoError(t, s.Cancel(ctx))
}

// A replica of an earlier release restarts during a deploy, and declares what it knows.
func TestALaterGenerationIsNotReplacedByAnEarlierOne(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	r := recorder{}
	l.serve(t, r.task())
	declare := func(generation uint64, period time.Duration, in string) {
		t.Helper()
		_, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, period, r.task(), in, cluster.Generation(generation))
		require.NoError(t, err)
	}
	declare(0, time.Hour, "first")
	r.await(t, 1)
	declare(2, tenth, "second")
	r.await(t, 3)
	declare(1, time.Hour, "first")
	declare(0, time.Hour, "first")
	n := r.count()
	r.await(t, n+3)
	_, in := r.last()
	require.Equal(t, "second", in)
	declare(3, tenth, "second") // the same again: its times and numbers stay
	n = r.count()
	r.await(t, n+3)
	declare(2, time.Hour, "first")
	n = r.count()
	r.await(t, n+3)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, run := range r.runs {
		require.EqualValues(t, i+1, run.Number, "none is left out")
		require.Equal(t, 1, run.Attempt)
	}
}

// The numbers of runs have no gap where a series is declared anew while it waits.
func TestADeclarationUsesUpNoNumber(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	r := recorder{}
	l.serve(t, r.task())
	for i := range 4 {
		_, err := cluster.AtFixedRate(ctx, l.pool, "s", time.Hour, time.Hour+time.Duration(i), r.task(), "in")
		require.NoError(t, err)
	}
	s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, time.Hour, r.task(), "in")
	require.NoError(t, err)
	r.await(t, 1)
	run, _ := r.last()
	require.EqualValues(t, 1, run.Number)
	require.NoError(t, s.Cancel(ctx))
}

// Who declares a series otherwise replaces it, also while it runs; runs do not overlap.
func TestTheLastDeclarationHolds(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	r := recorder{}
	var active sync.Mutex
	r.body = func(context.Context, cluster.Run) error {
		if !active.TryLock() {
			t.Error("two runs at a time")
			return nil
		}
		time.Sleep(3 * tenth)
		active.Unlock()
		return nil
	}
	l.serve(t, r.task())
	_, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, time.Minute, r.task(), "old")
	require.NoError(t, err)
	r.await(t, 1)
	s, err := cluster.WithFixedDelay(ctx, l.pool, "s", 0, 400*time.Millisecond, r.task(), "new")
	require.NoError(t, err)
	r.await(t, 4)
	require.Equal(t, []string{"old", "new", "new", "new"}, r.in[:4])
	for i := 2; i < 4; i++ {
		require.GreaterOrEqual(t, r.at[i].Sub(r.at[i-1]), 700*time.Millisecond, "run and delay")
	}
	_, err = cluster.WithFixedDelay(ctx, l.pool, "s", 0, 400*time.Millisecond, r.task(), "new")
	require.NoError(t, err, "it is there")
	require.NoError(t, s.Cancel(ctx))
	l.requireEmpty(t)
}

// A failure, and even a panic, does not end a series; Stop does.
func TestASeriesEndsByStopAlone(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	r := recorder{body: func(_ context.Context, run cluster.Run) error {
		switch run.Number {
		case 1:
			return errors.New("failed")
		case 2:
			panic("failed")
		case 3:
			return cluster.Stop(errors.New("enough"))
		}
		return nil
	}}
	l.serve(t, r.task())
	s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, tenth, r.task(), "in")
	require.NoError(t, err)
	l.requireEmpty(t)
	require.Equal(t, 3, r.count())
	_, err = s.Next(ctx)
	require.ErrorIs(t, err, cluster.ErrNoSeries)
	_, err = cluster.AtFixedRate(ctx, l.pool, "s", 0, tenth, r.task(), "in")
	require.NoError(t, err, "begun anew")
	r.await(t, 4)
}

// A run takes longer than its period, and the machine may be slow with any other: which times are
// left out follows from when runs end.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	const period = 2 * tenth
	for policy, name := range map[executor.CatchUpPolicy]string{
		executor.Skip: "skip", executor.Coalesce: "coalesce", executor.Burst: "burst",
	} {
		t.Run(name, func(t *testing.T) {
			l := startLocal(t)
			ctx := testContext(t, time.Minute)
			var mu sync.Mutex
			var ends []time.Time // the worker plans the next run after this
			r := recorder{body: func(_ context.Context, run cluster.Run) error {
				if run.Number == 2 {
					time.Sleep(550 * time.Millisecond)
				}
				mu.Lock()
				defer mu.Unlock()
				ends = append(ends, time.Now())
				return nil
			}}
			l.serve(t, r.task())
			s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, period, r.task(), "in",
				cluster.CatchUp(policy))
			require.NoError(t, err)
			r.await(t, 6)
			require.NoError(t, s.Cancel(ctx))
			r.mu.Lock()
			defer r.mu.Unlock()
			mu.Lock()
			defer mu.Unlock()
			var missed uint64
			for i, run := range r.runs[1:6] {
				before := r.runs[i]
				require.Equal(t, time.Duration(run.Missed+1)*period, run.Scheduled.Sub(before.Scheduled))
				missed += run.Missed
				next := before.Scheduled.Add(period)
				switch policy {
				case executor.Skip: // the first time that is still ahead
					require.True(t, run.Scheduled.After(ends[i]))
				case executor.Coalesce: // the last time that has come
					require.True(t, next.After(ends[i]) || run.Scheduled.Add(period).After(ends[i]))
				default:
					require.Zero(t, run.Missed)
				}
			}
			if policy != executor.Burst {
				require.Positive(t, missed)
			}
		})
	}
}

func TestASeriesOnACalendar(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var r recorder
	l.serve(t, r.task())
	secondly, err := cron.ParseSeconds("* * * * * *")
	require.NoError(t, err)
	s, err := cluster.On(ctx, l.pool, "s", secondly, r.task(), "in")
	require.NoError(t, err)
	r.await(t, 3)
	for i := range 3 {
		require.Zero(t, r.runs[i].Scheduled.Nanosecond())
		require.False(t, r.at[i].Before(r.runs[i].Scheduled))
	}
	require.NoError(t, s.Cancel(ctx))
}

// A process that ends gives back what it has not begun, waits for what runs, and gives that back as
// well when its grace is over.
func TestServeEndsInOrder(t *testing.T) {
	t.Parallel()
	l := startLocal(t, cluster.Workers(1), cluster.Grace(300*time.Millisecond))
	ctx := testContext(t, time.Minute)
	causes := make(chan error, 10)
	task := cluster.Define("task", func(ctx context.Context, d time.Duration) (int, error) {
		select {
		case <-time.After(d):
			return 1, nil
		case <-ctx.Done():
			causes <- context.Cause(ctx)
			return 0, context.Cause(ctx)
		}
	})
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- l.pool.Serve(serving, task) }()
	brief, err := cluster.Submit(ctx, l.pool, task, 100*time.Millisecond)
	require.NoError(t, err)
	time.Sleep(50 * time.Millisecond)
	waiting, err := cluster.Submit(ctx, l.pool, task, time.Millisecond)
	require.NoError(t, err)
	time.Sleep(20 * time.Millisecond)
	require.ErrorIs(t, l.pool.Serve(ctx, task), cluster.ErrInvalid, "served already")
	stop()
	require.NoError(t, <-ended)
	_, err = brief.Get(ctx)
	require.NoError(t, err, "it had time to end")

	serving, stop = context.WithCancel(ctx)
	go func() { ended <- l.pool.Serve(serving, task) }()
	_, err = waiting.Get(ctx)
	require.NoError(t, err, "it was given back")
	endless, err := cluster.Submit(ctx, l.pool, task, time.Hour)
	require.NoError(t, err)
	time.Sleep(100 * time.Millisecond)
	stop()
	require.NoError(t, <-ended)
	require.Error(t, <-causes)
	prevented, err := endless.Cancel(ctx)
	require.NoError(t, err)
	require.True(t, prevented, "it has no outcome")
}

// Runs go on a pool of the caller's, with its names and observers.
func TestRunsGoOnTheCallersPool(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var names []string
	own := executor.NewScheduledPool(2, executor.Name("own"),
		executor.AfterRun(func(_ context.Context, run executor.Run, _ error) {
			mu.Lock()
			defer mu.Unlock()
			names = append(names, run.Name)
		}))
	defer own.Close() //nolint:errcheck // it returns nil
	l := startLocal(t, cluster.Executor(own))
	ctx := testContext(t, time.Minute)
	task := cluster.Define("task", race)
	l.serve(t, task)
	f, err := cluster.Submit(ctx, l.pool, task, 0)
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"task"}, names)
}

// A pool of the caller's that is full makes runs wait on the server; one that is shut down ends
// Serve.
func TestTheCallersPoolHasItsLimits(t *testing.T) {
	t.Parallel()
	own := executor.NewScheduledPool(1, executor.PendingLimit(1))
	l := startLocal(t, cluster.Executor(own))
	ctx := testContext(t, time.Minute)
	task := cluster.Define("task", race)
	ended := make(chan error, 1)
	go func() { ended <- l.pool.Serve(ctx, task) }()
	var fs []*cluster.Future[int]
	for range 10 {
		f, err := cluster.Submit(ctx, l.pool, task, 20*time.Millisecond)
		require.NoError(t, err)
		fs = append(fs, f)
	}
	for _, f := range fs {
		_, err := f.Get(ctx)
		require.NoError(t, err)
	}
	require.NoError(t, own.Close())
	_, err := cluster.Submit(ctx, l.pool, task, 0)
	require.NoError(t, err)
	require.ErrorIs(t, <-ended, executor.ErrShutdown)
}

// A series of a calendar is declared anew right before its time, when that run is on its way to a
// worker already: it is the old one that runs at that time, and the new one goes on after it.
func TestADeclarationDoesNotRepeatATime(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	var r recorder
	l.serve(t, r.task())
	every := named(time.Second)
	_, err := cluster.On(ctx, l.pool, "s", every, r.task(), "0")
	require.NoError(t, err)
	for i := range 3 {
		r.await(t, 2*i+1)
		time.Sleep(time.Until(every.Next(time.Now()).Add(-300 * time.Millisecond)))
		for _, in := range []string{"not for long", fmt.Sprint(i + 1)} {
			_, err := cluster.On(ctx, l.pool, "s", every, r.task(), in)
			require.NoError(t, err)
		}
	}
	r.await(t, 8)
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := map[string]bool{}
	for i, run := range r.runs[:8] {
		require.False(t, ids[run.ID], "%v is planned twice", run.Scheduled)
		ids[run.ID] = true
		require.EqualValues(t, i+1, run.Number)
	}
	require.Equal(t, "3", r.in[7])
}
