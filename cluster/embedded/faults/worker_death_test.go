package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// names of the worker processes of a trial.
var names = []string{"A", "B", "C"}

// A worker is killed in a run of a series: another takes it, as the second attempt, when the lease
// is over, and the grid stays.
func TestAKilledWorkersRunIsRunElsewhere(t *testing.T) {
	beside(t)
	ns := startNodes(t, 1)
	workers := map[string]*process{}
	for _, name := range names {
		workers[name] = ns.worker(workerConfig{Name: name, Series: 1, Period: time.Second,
			In: input{Sleep: 300 * time.Millisecond}})
	}
	victim := await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 3 })
	killed := time.Now()
	workers[victim.Who].kill()
	again := await(t, ns.dir, func(e event) bool {
		return e.Kind == "start" && e.ID == victim.ID && e.Who != victim.Who
	})
	require.Equal(t, 2, again.Attempt)
	require.Greater(t, again.Fence, victim.Fence)
	within(t, "from the kill to the second attempt", again.At.Sub(killed), 3*time.Second)
	after := await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 6 })
	require.Zero(t, after.Planned.Sub(victim.Planned)%time.Second, "phase")
	require.True(t, requireSound(t, ns.dir).Faults > 0)
}

// A worker is stopped for longer than its lease. When it goes on, what it stores is refused, and
// its context says why.
func TestAStoppedWorkerIsFenced(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	workers := map[string]*process{}
	for _, name := range names {
		workers[name] = ns.worker(workerConfig{Name: name, Series: 1, Period: time.Second,
			In: input{Sleep: 5 * time.Second, Do: "first"}})
	}
	victim := await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 2 })
	workers[victim.Who].stop()
	again := await(t, ns.dir, func(e event) bool {
		return e.Kind == "start" && e.ID == victim.ID && e.Who != victim.Who
	})
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == victim.Number+1 })
	workers[victim.Who].cont()
	end := await(t, ns.dir, func(e event) bool {
		return e.Kind == "end" && e.ID == victim.ID && e.Who == victim.Who
	})
	await(t, ns.dir, func(e event) bool {
		return e.Who == victim.Who && (e.Kind == "left" || e.Kind == "refused")
	})
	require.Equal(t, cluster.ErrLost.Error(), end.Text)
	require.Less(t, victim.Fence, again.Fence)
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == victim.Number+3 })
	requireSound(t, ns.dir)
}

// A worker that is stopped while it waits for work is sent some all the same. When it goes on,
// others have run it, and it begins none of it.
func TestAStoppedWorkerBeginsNothingOld(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	a := ns.worker(workerConfig{Name: "A", Lease: 500 * time.Millisecond})
	p := ns.join(ctx)
	require.Eventually(t, func() bool {
		s, err := p.Stats(ctx)
		return err == nil && slices.ContainsFunc(s.Tasks, func(of cluster.TaskStats) bool {
			return of.Task == ns.tasks().work.Name() && of.Listening > 0
		})
	}, 20*time.Second, time.Millisecond)
	a.stop()
	var fs []*cluster.Future[int]
	for n := range 8 {
		f, err := cluster.Submit(ctx, p, ns.tasks().work, input{N: n})
		require.NoError(t, err)
		fs = append(fs, f)
	}
	ns.worker(workerConfig{Name: "B", Lease: 500 * time.Millisecond})
	for n, f := range fs {
		got, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
	a.cont()
	await(t, ns.dir, func(e event) bool {
		return e.Who == "A" && e.Kind == "log" && strings.Contains(e.Text, "this process was stopped")
	})
	last, err := cluster.Submit(ctx, p, ns.tasks().work, input{N: 9})
	require.NoError(t, err)
	_, err = last.Get(ctx)
	require.NoError(t, err)
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "start" && e.Who == "A" {
			require.Equal(t, last.ID(), e.ID)
		}
	}
}

// A worker is stopped while what it holds waits for its time, for longer than the lease. When it
// goes on, another has run that, and it begins none of it.
func TestAWorkerStoppedBeforeTheTimeOfARunDoesNotBeginIt(t *testing.T) {
	t.Parallel()
	const lease = 500 * time.Millisecond
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	a, p := ns.worker(workerConfig{Name: "A", Lease: lease}), ns.join(ctx)
	for try := range 20 { // it may begin before it is stopped
		series := fmt.Sprint("series", try)
		_, err := cluster.AtFixedRate(ctx, p, series, time.Second, time.Hour,
			ns.tasks().tick, input{})
		require.NoError(t, err)
		f, err := cluster.Schedule(ctx, p, time.Second, ns.tasks().work, input{})
		require.NoError(t, err)
		count := func(who, kind string) (n int) {
			for _, e := range readJournals(t, ns.dir) {
				if e.Who == who && e.Kind == kind &&
					(e.ID == f.ID() || e.Series == series || e.ID == "s."+series) {
					n++
				}
			}
			return n
		}
		awaitBoth := func(who, kind string) {
			require.Eventually(t, func() bool { return count(who, kind) == 2 },
				20*time.Second, 10*time.Millisecond)
		}
		require.Eventually(t, func() bool {
			stats, err := p.Stats(ctx)
			return err == nil && len(stats.Tasks) == 2 &&
				stats.Tasks[0].Held == 1 && stats.Tasks[1].Held == 1
		}, 20*time.Second, 5*time.Millisecond)
		time.Sleep(100 * time.Millisecond) // it has its claim of the run of the series
		a.stop()
		if count("A", "start") > 0 {
			a.cont()
			awaitBoth("A", "end")
			continue
		}
		b := ns.worker(workerConfig{Name: "B", Lease: lease})
		awaitBoth("B", "end")
		a.cont()
		b.kill()
		last, err := cluster.Submit(ctx, p, ns.tasks().work, input{})
		require.NoError(t, err)
		_, err = last.Get(ctx) // what A had is behind it
		require.NoError(t, err)
		require.Zero(t, count("A", "start"))
		return
	}
	t.Fatal("it was never stopped in time")
}

// A run of a series comes to a worker before its time. Its lease counts from when it begins all the
// same, or nearly: the claim, whose first revision is the fence, is renewed then.
func TestALeaseCountsFromTheBeginOfARun(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	claims, err := js.KeyValue(ctx, "PUNCTUAL_tasks")
	require.NoError(t, err)
	renewed := make(chan bool, 1000)
	tick := cluster.Define("tick", func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		claim, err := claims.Get(ctx, "hold.tick.s.s")
		renewed <- err == nil && claim.Revision() > run.Fence
		return 0, nil
	}, cluster.Lease(4*time.Second))
	l.serve(t, tick)
	_, err = cluster.AtFixedRate(ctx, l.pool, "s", 0, time.Second, tick, 0)
	require.NoError(t, err)
	for range 20 { // one may come late
		if <-renewed {
			return
		}
	}
	require.Fail(t, "no claim was renewed when its run began")
}

// The same for a task that runs once and does not look at its context: its outcome is refused.
func TestAStoppedWorkersResultIsRefused(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	workers := map[string]*process{}
	for _, name := range names[:2] {
		workers[name] = ns.worker(workerConfig{Name: name})
	}
	f, err := cluster.Submit(ctx, ns.join(ctx), ns.tasks().work,
		input{Sleep: time.Second, Do: "deaf", N: 7})
	require.NoError(t, err)
	victim := await(t, ns.dir, func(e event) bool { return e.Kind == "start" })
	workers[victim.Who].stop()
	v, err := f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 7, v)
	workers[victim.Who].cont()
	left := await(t, ns.dir, func(e event) bool { return e.Kind == "left" && e.Who == victim.Who })
	require.Contains(t, left.Text, cluster.ErrLost.Error())
	requireSound(t, ns.dir)
}

// A worker dies after it has stored the next run and before it acknowledges: the run is seen to be
// done, and executed once.
func TestAWorkerThatDiesBeforeItAcknowledges(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ns.worker(workerConfig{Name: "A", Series: 1, Period: time.Second, AfterArm: "series"})
	first := await(t, ns.dir, func(e event) bool { return e.Kind == "armed" })
	require.Equal(t, "A", first.Who)
	ns.worker(workerConfig{Name: "B", Series: 1, Period: time.Second})
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 5 })
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "start" {
			require.Equal(t, 1, e.Attempt, "run %d", e.Number)
		}
	}
	requireSound(t, ns.dir)
}

// A run that takes three leases on a healthy worker has one attempt: it says that it lives.
func TestALongRunKeepsItsLease(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	for _, name := range names {
		ns.worker(workerConfig{Name: name, Lease: 500 * time.Millisecond})
	}
	f, err := cluster.Submit(ctx, ns.join(ctx), makeTasks(ns.journal, 500*time.Millisecond).work,
		input{Sleep: 1500 * time.Millisecond, N: 1})
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, requireSound(t, ns.dir).Runs)
}

// A task that kills each process that runs it is given up after its attempts, and its payload kept.
// Those beside it are not.
func TestAPoisonTaskIsAbandoned(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, 2*time.Minute)
	lease := 300 * time.Millisecond
	p := ns.join(ctx)
	work := makeTasks(ns.journal, lease).work
	poison, err := cluster.Submit(ctx, p, work, input{Do: "exit", N: 666})
	require.NoError(t, err)
	var beside []*cluster.Future[int]
	for i := range 20 {
		f, err := cluster.Submit(ctx, p, work, input{Sleep: 20 * time.Millisecond, N: i})
		require.NoError(t, err)
		beside = append(beside, f)
	}
	over, stop := context.WithCancel(ctx)
	supervised := ns.supervise(over, workerConfig{Lease: lease})
	_, err = poison.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	require.Regexp(t, "none of 5 attempts came to an end, the last one on [ABC]", err)
	for i, f := range beside {
		v, err := f.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, i, v)
	}
	stop()
	<-supervised
	js := jetStream(t, ns)
	dead, err := js.Stream(ctx, "PUNCTUAL_tasks_DEAD")
	require.NoError(t, err)
	m, err := dead.GetLastMsgForSubject(ctx, "punctual.tasks.dead.work."+poison.ID())
	require.NoError(t, err)
	require.Contains(t, string(m.Data), "666")
	starts := 0
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "start" && e.ID == poison.ID() {
			starts++
		}
	}
	require.Equal(t, 5, starts)
}

// A run of a series that kills each process that runs it is left out after its attempts, and the
// series goes on.
func TestASeriesGoesOnAfterAPoisonRun(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, 2*time.Minute)
	over, stop := context.WithCancel(ctx)
	supervised := ns.supervise(over, workerConfig{
		Lease: 300 * time.Millisecond, Series: 1, Period: time.Second, In: input{Do: "second", N: 666},
	})
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 4 })
	stop()
	<-supervised
	dead, err := jetStream(t, ns).Stream(ctx, "PUNCTUAL_tasks_DEAD")
	require.NoError(t, err)
	m, err := dead.GetLastMsgForSubject(ctx, "punctual.tasks.dead.tick.s.series=20Aa.2")
	require.NoError(t, err)
	require.Contains(t, string(m.Data), "666")
	require.Contains(t, m.Header.Get("Punctual-Why"), "none of 5 attempts came to an end")
	require.Regexp(t, "[ABC]", m.Header.Get("Punctual-Instance"))
	starts := map[uint64]int{}
	p := ns.join(ctx)
	set := failedIn(t, p)
	require.Len(t, set, 1)
	require.Equal(t, "series Aa", set[0].Series)
	require.EqualValues(t, 2, set[0].Number)
	require.Equal(t, 5, set[0].Attempts)
	require.Equal(t, "abandoned", set[0].Kind)
	defer func() { // it is redriven beside its series, as a task that runs once
		ns.worker(workerConfig{Name: "D"})
		for range 2 {
			done, err := p.Redrive(ctx, cluster.FailedFilter{Task: "tick"})
			require.NoError(t, err)
			for _, d := range done {
				require.Equal(t, set[0].ID, d.ID)
				got, err := cluster.Attach(p, ns.tasks().tick, d.New).Get(ctx)
				require.NoError(t, err)
				require.Equal(t, 666, got)
			}
		}
		require.Empty(t, failedIn(t, p))
	}()
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "start" {
			starts[e.Number]++
		}
	}
	require.Equal(t, 5, starts[2])
	require.Equal(t, 1, starts[3])
}

// supervise starts a worker again whenever it has died, until ctx ends. The channel is closed when
// it has ended.
func (ns *nodes) supervise(ctx context.Context, c workerConfig) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		for i := 0; ctx.Err() == nil; i++ {
			c.Name = fmt.Sprint(names[i%3], i)
			w := ns.worker(c)
			select {
			case <-w.ended:
				w.kill()
			case <-ctx.Done():
			}
		}
	}()
	return over
}

// A task that kills its process was given back before it has begun for the first time. That is no
// attempt, and those that follow are counted nevertheless.
func TestAPoisonTaskThatWasGivenBackIsAbandoned(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	p := ns.join(ctx)
	c := workerConfig{Name: "A", Workers: 1, Tasks: []string{"work", "bomb"}}
	ns.worker(c)
	_, err := cluster.Submit(ctx, p, ns.tasks().work, input{Sleep: 20 * time.Second})
	require.NoError(t, err)
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" })
	f, err := cluster.Submit(ctx, p, ns.tasks().bomb, input{Do: "exit"})
	require.NoError(t, err)
	await(t, ns.dir, func(e event) bool {
		return e.Kind == "log" && e.ID == f.ID() && strings.HasPrefix(e.Text, "run given back")
	})
	supervising, stop := context.WithCancel(ctx)
	c.Workers = 4
	over := ns.supervise(supervising, c)
	short, done := context.WithTimeout(ctx, 20*time.Second)
	defer done()
	_, err = f.Get(short)
	stop()
	<-over
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	var attempts []int
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "start" && e.ID == f.ID() {
			attempts = append(attempts, e.Attempt)
		}
	}
	require.Equal(t, []int{1, 2}, attempts)
}
