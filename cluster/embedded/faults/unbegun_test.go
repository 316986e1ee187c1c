package faults

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// A hundred tasks are cancelled that are queued behind another, each second one: none of them runs,
// and nothing is left of them.
func TestWhatIsCancelledWhileItIsQueuedDoesNotRun(t *testing.T) {
	t.Parallel()
	const n = 200
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	began, free := make(chan struct{}), make(chan struct{})
	var ran [n]atomic.Int32
	task := cluster.Define("queued", func(_ context.Context, i int) (int, error) {
		ran[i].Add(1)
		if i == 0 {
			close(began)
			<-free
		}
		return i, nil
	})
	l.start(t, []cluster.Runnable{task}, cluster.Workers(1), cluster.Grace(0))
	var fs []*cluster.Future[int]
	for i := range n {
		f, err := cluster.Submit(ctx, l.pool, task, i)
		require.NoError(t, err)
		fs = append(fs, f)
	}
	<-began
	for i := 1; i < n; i += 2 {
		prevented, err := fs[i].Cancel(ctx)
		require.NoError(t, err)
		require.True(t, prevented)
	}
	close(free)
	for i := 0; i < n; i += 2 {
		_, err := fs[i].Get(ctx)
		require.NoError(t, err)
	}
	l.requireEmpty(t)
	for i := range n {
		require.EqualValues(t, 1-i%2, ran[i].Load(), "task %d", i)
	}
}

// The outcome says that a task is cancelled, and that is all: who has cancelled it died before it
// told anybody, and before it took out the message. Wherever that is, the task does not run.
func TestTheOutcomeAloneKeepsATaskFromRunning(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	bucket, err := js.KeyValue(ctx, "PUNCTUAL_tasks")
	require.NoError(t, err)
	began, free := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	var ran []string
	task := cluster.Define("quiet", func(_ context.Context, name string) (int, error) {
		mu.Lock()
		ran = append(ran, name)
		mu.Unlock()
		if name == "blocks" {
			close(began)
			<-free
		}
		return 0, nil
	})
	held := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool {
			s, err := l.pool.Stats(ctx)
			return err == nil && len(s.Tasks) == 1 && s.Tasks[0].Held == n
		}, 20*time.Second, 5*time.Millisecond)
	}
	cancelQuietly := func(f *cluster.Future[int]) {
		t.Helper()
		_, err := bucket.Create(ctx, "end.cancelled."+f.ID(), nil)
		require.NoError(t, err)
	}
	submit := func(name string) *cluster.Future[int] {
		t.Helper()
		f, err := cluster.Submit(ctx, l.pool, task, name)
		require.NoError(t, err)
		return f
	}

	cancelQuietly(submit("with the server, and no worker is there"))
	l.start(t, []cluster.Runnable{task}, cluster.Workers(1), cluster.Grace(0))
	l.requireEmpty(t)

	soon, err := cluster.Schedule(ctx, l.pool, 500*time.Millisecond, task, "in its last wait")
	require.NoError(t, err)
	held(1)
	cancelQuietly(soon)
	l.requireEmpty(t)

	blocks := submit("blocks")
	<-began
	next := submit("with a worker, behind another")
	held(2)
	third := submit("with the server, behind others")
	time.Sleep(300 * time.Millisecond) // what the worker has asked about the second is old
	cancelQuietly(next)
	cancelQuietly(third)
	close(free)
	_, err = blocks.Get(ctx)
	require.NoError(t, err)
	l.requireEmpty(t)
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"blocks"}, ran)
}

// entomb appends a tombstone to a series of the task recorder, and tells nobody.
func (l *local) entomb(t *testing.T, series string) {
	t.Helper()
	m := nats.NewMsg("punctual.tasks.run.recorder.s." + series)
	m.Header.Set("Punctual-End", "1")
	m.Header.Set("Nats-Scheduler", "punctual.tasks.arm.recorder.s."+series)
	m.Header.Set("Nats-Schedule-Next", "purge")
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	_, err = js.PublishMsg(testContext(t, 10*time.Second), m)
	require.NoError(t, err)
}

// A tombstone ends a series, also if no hint says so: one that waits, one whose worker has the run
// in its last wait, and one with commands before it that have to be followed after the run.
func TestATombstoneAloneKeepsASeriesFromRunning(t *testing.T) {
	t.Parallel()
	t.Run("waiting", func(t *testing.T) {
		l := startLocal(t)
		ctx := testContext(t, time.Minute)
		var r recorder
		l.serve(t, r.task())
		_, err := cluster.AtFixedRate(ctx, l.pool, "s", 2*time.Second, time.Second, r.task(), "in")
		require.NoError(t, err)
		l.entomb(t, "s")
		l.requireEmpty(t)
		time.Sleep(2500 * time.Millisecond)
		require.Zero(t, r.count())
	})
	t.Run("in its last wait", func(t *testing.T) {
		l := startLocal(t)
		ctx := testContext(t, time.Minute)
		var r recorder
		l.serve(t, r.task())
		_, err := cluster.AtFixedRate(ctx, l.pool, "s", 550*time.Millisecond, time.Second, r.task(), "in")
		require.NoError(t, err)
		time.Sleep(250 * time.Millisecond)
		l.entomb(t, "s")
		l.requireEmpty(t)
		time.Sleep(time.Second)
		require.Zero(t, r.count())
	})
	t.Run("under commands", func(t *testing.T) {
		l := startLocal(t)
		ctx := testContext(t, time.Minute)
		began := make(chan struct{}, 1)
		r := recorder{body: func(ctx context.Context, _ cluster.Run) error {
			began <- struct{}{}
			<-ctx.Done()
			return context.Cause(ctx)
		}}
		first := l.start(t, []cluster.Runnable{r.task()}, cluster.Grace(0))
		s, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, time.Minute, r.task(), "in")
		require.NoError(t, err)
		<-began
		require.NoError(t, s.Pause(ctx))
		l.entomb(t, "s")
		first.end(t)
		l.serve(t, r.task())
		l.requireEmpty(t)
		require.Equal(t, 1, r.count())
	})
}

// The worker that has the run of a series dies. The series is cancelled, and what says so comes to
// another worker before the run does: the run stays cancelled.
func TestACancelledSeriesStaysSoWhenItsWorkerDies(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	p := ns.join(ctx)
	a := ns.worker(workerConfig{Name: "A", Series: 1, Period: time.Second,
		In: input{Sleep: time.Minute, Do: "deaf"}})
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 1 })
	a.kill()
	s, err := cluster.AttachSeries(p, ns.tasks().tick, seriesName(0))
	require.NoError(t, err)
	require.NoError(t, s.Cancel(ctx))
	ns.worker(workerConfig{Name: "B"})
	js := jetStream(t, ns)
	require.Eventually(t, func() bool { return queued(js) == 0 }, 20*time.Second, 20*time.Millisecond)
	time.Sleep(2*theLease + time.Second)
	for _, e := range readJournals(t, ns.dir) {
		require.False(t, e.Who == "B" && e.Kind == "start", "%+v", e)
	}
	_, err = s.Next(ctx)
	require.ErrorIs(t, err, cluster.ErrNoSeries)
}
