package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// A task that may fail ten times is tried again while its workers are killed, in an attempt and in a
// back-off, and the server is, too: no attempt is lost or counted twice, each comes when its back-off
// is over, and not before. Then it is in the failed set. Once what is wrong is mended it is redriven,
// and is done.
func TestATaskIsTriedAgainOverTheDeathsOfItsWorkers(t *testing.T) {
	beside(t)
	ns := startNodes(t, 1)
	ctx := testContext(t, 2*time.Minute)
	p := ns.join(ctx)
	born := 0
	bear := func() *process {
		born++
		return ns.worker(workerConfig{Name: fmt.Sprint("W", born), Lease: brief, Tasks: []string{"push"}})
	}
	worker := bear()
	push := ns.tasks().push
	f, err := cluster.Submit(ctx, p, push, input{Sleep: 100 * time.Millisecond, Do: "mended", N: 7})
	require.NoError(t, err)
	of := func(kind string, attempt int) event {
		return await(t, ns.dir, func(e event) bool {
			return e.ID == f.ID() && e.Kind == kind && e.Attempt == attempt
		})
	}

	of("start", 3)
	worker.kill() // in an attempt
	worker = bear()
	of("retries", 5)
	worker.kill() // in a back-off
	time.Sleep(2 * time.Second)
	worker = bear()
	of("retries", 7)
	ns.kill(0)
	ns.start(0)
	of("retries", 9)
	worker.interrupt()
	<-worker.ended
	bear()

	var failure *cluster.TaskError
	_, err = f.Get(ctx)
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "as told", failure.Text)
	page, err := p.Failed(ctx, cluster.FailedFilter{Task: "push"}, 0, 0)
	require.NoError(t, err)
	require.Len(t, page.Rows, 1)
	require.Equal(t, f.ID(), page.Rows[0].ID)
	require.Equal(t, mostPushes+1, page.Rows[0].Attempts, "one was lost")
	ns.requirePushes(t, f.ID())

	require.NoError(t, ns.journal.mend())
	done, err := ns.join(ctx).Redrive(ctx, cluster.FailedFilter{Task: "push"})
	require.NoError(t, err)
	require.Len(t, done, 1)
	got, err := cluster.Attach(p, push, done[0].New).Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 7, got)
	require.Empty(t, failedIn(t, p))
	requireSound(t, ns.dir)
}

// requirePushes requires that the attempts of a task are numbered without a gap, and that the times
// stored for them are those of the back-off, within 5 %.
func (ns *nodes) requirePushes(t testing.TB, id string) {
	t.Helper()
	numbers, ends := []int{}, map[int]time.Time{}
	wait := pushes.Base
	for _, e := range readJournals(t, ns.dir) {
		switch {
		case e.ID != id:
		case e.Kind == "start":
			numbers = append(numbers, e.Attempt)
		case e.Kind == "end":
			ends[e.Attempt] = e.At
		case e.Kind == "retries":
			// It was planned after the one and before the other of two lines of the journal.
			require.Greater(t, e.Planned.Sub(ends[e.Attempt]), wait*95/100, "after attempt %d", e.Attempt)
			require.Less(t, e.Planned.Sub(e.At), wait*105/100, "after attempt %d", e.Attempt)
			wait = time.Duration(float64(wait) * pushes.Factor)
		}
	}
	for i, n := range numbers {
		require.Equal(t, i+1, n, "%v", numbers)
	}
	require.Len(t, numbers, mostPushes+1)
}

// A worker dies right after the next attempt was stored, and before the message of the last one is
// removed: the newer one counts, and the other is dropped.
func TestAWorkerThatDiesAfterTheNextAttemptIsStored(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	p := ns.join(ctx)
	a := ns.worker(workerConfig{Name: "A", Lease: brief, Tasks: []string{"push"}, AfterLog: "stored anew"})
	f, err := cluster.Submit(ctx, p, ns.tasks().push, input{Do: "try", N: 3})
	require.NoError(t, err)
	<-a.ended
	a.kill() // says that it is dead
	stats, err := p.Stats(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 2, stats.Stored)
	ns.worker(workerConfig{Name: "B", Lease: brief, Tasks: []string{"push"}})
	_, err = f.Get(ctx)
	require.NoError(t, err)
	var attempts []int
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "start" {
			attempts = append(attempts, e.Attempt)
		}
	}
	require.Equal(t, []int{1, 2, 3}, attempts)
	js := jetStream(t, ns)
	require.Eventually(t, func() bool { return queued(js) == 0 }, 20*time.Second, 10*time.Millisecond)
	requireSound(t, ns.dir)
}

// A worker dies right after it has kept a failed task, and before it records the outcome: the next
// one tries it again, and what that comes to is kept, or not.
func TestAWorkerThatDiesAfterAFailedTaskIsKept(t *testing.T) {
	t.Parallel()
	for name, mended := range map[string]bool{"fails again": false, "succeeds": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := startNodes(t, 1)
			ctx := testContext(t, time.Minute)
			p := ns.join(ctx)
			a := ns.worker(workerConfig{Name: "A", Lease: brief, AfterLog: "task failed"})
			f, err := cluster.Submit(ctx, p, ns.tasks().work, input{Do: "mended", N: 5})
			require.NoError(t, err)
			<-a.ended
			a.kill() // says that it is dead
			require.Equal(t, 1, failedIn(t, p)[0].Attempts)
			if mended {
				require.NoError(t, ns.journal.mend())
			}
			b := ns.worker(workerConfig{Name: "B", Lease: brief})
			v, err := f.Get(ctx)
			ns.saw(f.ID(), v, err)
			b.interrupt()
			<-b.ended
			set := failedIn(t, p)
			if mended {
				require.NoError(t, err)
				require.Empty(t, set)
			} else {
				require.ErrorContains(t, err, "as told")
				require.Len(t, set, 1)
				require.Equal(t, 2, set[0].Attempts)
				require.Equal(t, "B", set[0].Instance)
			}
			requireSound(t, ns.dir)
		})
	}
}
