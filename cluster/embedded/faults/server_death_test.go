package faults

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// leader returns which node leads the stream of the pool.
func (ns *nodes) leader(ctx context.Context) int {
	ns.t.Helper()
	js := jetStream(ns.t, ns)
	for ; ; time.Sleep(50 * time.Millisecond) {
		require.NoError(ns.t, ctx.Err())
		attempt, done := context.WithTimeout(ctx, time.Second) // who should answer may have died
		stream, err := js.Stream(attempt, "PUNCTUAL_tasks")
		done()
		if err != nil || stream.CachedInfo().Cluster == nil {
			continue
		}
		for i, c := range ns.configs {
			if c.Name == stream.CachedInfo().Cluster.Leader {
				return i
			}
		}
	}
}

// collect waits for the outcomes of futures, and writes them down as two observers see them: the
// process that submitted, and one that attaches itself.
func (ns *nodes) collect(ctx context.Context, fs []*cluster.Future[int], stranger *cluster.Pool) {
	ns.t.Helper()
	work := ns.tasks().work
	var all sync.WaitGroup
	for i, f := range fs {
		all.Go(func() {
			v, err := f.Get(ctx)
			ns.saw(f.ID(), v, err)
			if stranger != nil && i%50 == 0 {
				v, err = cluster.Attach(stranger, work, f.ID()).Get(ctx)
				ns.saw(f.ID(), v, err)
			}
		})
	}
	all.Wait()
	if stranger != nil {
		s, err := stranger.Stats(ctx)
		require.NoError(ns.t, err)
		ns.healed = s.Healed
		require.Zero(ns.t, s.Healed, "the queue has lost what was accepted")
	}
}

func (ns *nodes) saw(id string, v int, err error) {
	if isContextError(err) {
		return // it was not seen
	}
	ns.journal.write(event{Kind: "outcome", ID: id, Text: fmt.Sprint(v, " ", err)})
}

func isContextError(err error) bool {
	return err == context.DeadlineExceeded || err == context.Canceled //nolint:errorlint // as they are
}

// scheduleMany schedules n tasks in the next spread from after on.
func (ns *nodes) scheduleMany(
	ctx context.Context, p *cluster.Pool, n int, after, spread time.Duration,
) []*cluster.Future[int] {
	ns.t.Helper()
	work := ns.tasks().work
	start := time.Now()
	fs := make([]*cluster.Future[int], n)
	var next atomic.Int64
	var all sync.WaitGroup
	for range 256 {
		all.Go(func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				due := start.Add(after + time.Duration(i)*spread/time.Duration(n))
				f, err := cluster.ScheduleAt(ctx, p, due, work, input{N: i})
				if err != nil {
					ns.journal.write(event{Kind: "refused", Text: err.Error()})
					continue
				}
				fs[i] = f
				ns.journal.write(event{Kind: "accepted", ID: f.ID()})
			}
		})
	}
	all.Wait()
	accepted := fs[:0]
	for _, f := range fs {
		if f != nil {
			accepted = append(accepted, f)
		}
	}
	ns.t.Logf("%d accepted, %.0f/s", len(accepted), float64(n)/time.Since(start).Seconds())
	return accepted
}

// The only server is killed and started again: what was accepted runs, and the series goes on.
func TestAKilledServer(t *testing.T) {
	beside(t)
	ns := startNodes(t, 1)
	ctx := testContext(t, 2*time.Minute)
	p, stranger := ns.join(ctx), ns.join(ctx)
	for _, name := range names {
		ns.worker(workerConfig{Name: name, Series: 2, Period: time.Second})
	}
	fs := ns.scheduleMany(ctx, p, 2000, 2*time.Second, 4*time.Second)
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 3 })
	ns.kill(0)
	down := time.Now()
	time.Sleep(2500 * time.Millisecond)
	ns.start(0)
	up := time.Now()
	resumed := await(t, ns.dir, func(e event) bool {
		return e.Kind == "start" && e.Series != "" && e.At.After(up)
	})
	within(t, "from the restart to the next run", resumed.At.Sub(up), 10*time.Second)
	require.Greater(t, resumed.At, down)
	ns.collect(ctx, fs, stranger)
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == resumed.Number+2 })
	requireSound(t, ns.dir)
}

// Three servers, the stream's leader is killed twice under 200 series.
func TestAKilledLeaderUnderSeries(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take their time")
	}
	beside(t)
	ns := startNodes(t, 3)
	ctx := testContext(t, 3*time.Minute)
	ns.join(ctx)
	for _, name := range names {
		ns.worker(workerConfig{Name: name, Series: 200, Period: time.Second, Workers: 16,
			Lease: 5 * time.Second, In: input{Sleep: 20 * time.Millisecond}})
	}
	for round := range 2 {
		time.Sleep(4 * time.Second)
		leader := ns.leader(ctx)
		ns.kill(leader)
		killed := time.Now()
		first := await(t, ns.dir, func(e event) bool {
			return e.Kind == "start" && e.At.After(killed.Add(500*time.Millisecond))
		})
		t.Logf("round %d: the leader, %s, was killed; next run %v later", round,
			ns.configs[leader].Name, first.At.Sub(killed).Round(time.Millisecond))
		time.Sleep(6 * time.Second)
		ns.start(leader)
	}
	time.Sleep(5 * time.Second)
	within(t, "longest time without a run", ns.longestGap(), 15*time.Second)
	requireSound(t, ns.dir)
}

// longestGap is the longest time between two runs that began.
func (ns *nodes) longestGap() (gap time.Duration) {
	var last time.Time
	for _, e := range readJournals(ns.t, ns.dir) {
		if e.Kind != "start" {
			continue
		}
		if !last.IsZero() {
			gap = max(gap, e.At.Sub(last))
		}
		last = e.At
	}
	return gap
}

// Three servers, and the leader is killed while tasks fire.
func TestAKilledLeaderWhileTasksFire(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take their time")
	}
	beside(t)
	n := long(10_000, 100_000)
	ns := startNodes(t, 3)
	ctx := testContext(t, 5*time.Minute)
	p, stranger := ns.join(ctx), ns.join(ctx)
	for _, name := range names {
		ns.worker(workerConfig{Name: name, Workers: 16, Lease: 5 * time.Second})
	}
	after := time.Duration(n) * 100 * time.Microsecond
	fs := ns.scheduleMany(ctx, p, n, after, time.Duration(n)*100*time.Microsecond)
	require.Len(t, fs, n)
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" })
	time.Sleep(time.Duration(n) * 20 * time.Microsecond)
	ns.kill(ns.leader(ctx))
	ns.collect(ctx, fs, stranger)
	within(t, "longest time without a run", ns.longestGap(), 15*time.Second)
	v := requireSound(t, ns.dir)
	t.Logf("%d tasks, %d runs", n, v.Runs)
}

// Three servers are restarted one after the other, as in an upgrade.
func TestARollingRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take their time")
	}
	beside(t)
	ns := startNodes(t, 3)
	ctx := testContext(t, 3*time.Minute)
	p, stranger := ns.join(ctx), ns.join(ctx)
	for _, name := range names {
		ns.worker(workerConfig{Name: name, Series: 5, Period: 200 * time.Millisecond})
	}
	fs := ns.scheduleMany(ctx, p, 2000, 500*time.Millisecond, 10*time.Second)
	for i := range 3 {
		// What a worker stores in that moment may get no answer, and its run go to another.
		ns.journal.write(event{Kind: "server stopped", Who: ns.configs[i].Name})
		ns.running[i].interrupt()
		<-ns.running[i].ended
		ns.start(i)
		time.Sleep(4 * time.Second)
	}
	ns.collect(ctx, fs, stranger)
	within(t, "longest time without a run", ns.longestGap(), 15*time.Second)
	requireSound(t, ns.dir)
}

// Two of three servers are stopped: nothing is accepted that is not stored. When they go on, what
// was accepted runs.
func TestAMinorityAcceptsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take their time")
	}
	t.Parallel()
	ns := startNodes(t, 3)
	ctx := testContext(t, 3*time.Minute)
	p, stranger := ns.join(ctx), ns.join(ctx)
	ns.worker(workerConfig{Name: "A"})
	fs := ns.scheduleMany(ctx, p, 500, 0, time.Second)
	leader := ns.leader(ctx)
	ns.stop((leader + 1) % 3)
	ns.stop((leader + 2) % 3)
	time.Sleep(500 * time.Millisecond)
	var refused atomic.Int64
	var all sync.WaitGroup
	var mu sync.Mutex
	for i := range 50 {
		all.Go(func() {
			short, cancel := context.WithTimeout(ctx, 3*time.Second)
			defer cancel()
			f, err := cluster.Submit(short, p, ns.tasks().work, input{N: 10_000 + i})
			if err != nil {
				require.ErrorIs(t, err, cluster.ErrUnavailable)
				refused.Add(1)
				return
			}
			ns.journal.write(event{Kind: "accepted", ID: f.ID()})
			mu.Lock()
			defer mu.Unlock()
			fs = append(fs, f)
		})
	}
	all.Wait()
	require.EqualValues(t, 50, refused.Load(), "accepted without a quorum")
	ns.running[(leader+1)%3].cont()
	ns.running[(leader+2)%3].cont()
	f, err := cluster.Submit(ctx, p, ns.tasks().work, input{N: 1})
	require.NoError(t, err, "it waits until ctx ends, and the quorum is back before")
	ns.journal.write(event{Kind: "accepted", ID: f.ID()})
	ns.collect(ctx, append(fs, f), stranger)
	requireSound(t, ns.dir)
}
