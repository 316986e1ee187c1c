package tpe_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// countedQueues are pools of one worker with each kind of queue.
var countedQueues = map[string]queue.Queue{
	"FIFO":     queue.FIFO(),
	"bounded":  queue.Bounded(100),
	"priority": queue.Priority(),
	"custom":   queue.Custom(queue.FIFO().New),
}

// countedRows runs a test for a pool of one worker with each kind of queue. The worker is busy
// until open is called.
func countedRows(t *testing.T, row func(t *testing.T, p *executor.Pool, open func())) {
	for name, q := range countedQueues {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(q))
				g := pooltest.NewGate(t)
				countedSubmit(t, p, "running", g.Hold)
				synctest.Wait()
				row(t, p, g.Open)
			})
		})
	}
}

func countedSubmit(t *testing.T, p *executor.Pool, name string, task executor.Task) *future.Future[struct{}] {
	t.Helper()
	f, err := p.Submit(task, executor.Name(name))
	require.NoError(t, err)
	return f
}

// countedSum is what Accepted is promised to be.
func countedSum(s executor.Stats) uint64 {
	return s.Completed + s.Cancelled + s.Returned + uint64(s.Queued) + uint64(s.Busy)
}

func TestTPE070_QueuedHasTheTasksThatWaitInOrderAndNotTheOneThatRuns(t *testing.T) {
	countedRows(t, func(t *testing.T, p *executor.Pool, open func()) {
		assert.Empty(t, p.Queued())
		came := time.Now()
		countedSubmit(t, p, "first", pooltest.Nothing)
		require.NoError(t, p.Execute(pooltest.Nothing))
		countedSubmit(t, p, "third", pooltest.Nothing)
		queued := p.Queued()
		assert.Equal(t, []string{"first", "", "third"}, pooltest.Names(queued))
		assert.Equal(t, came, queued[0].Scheduled)
		assert.Nil(t, queued[0].Task)
		open()
		synctest.Wait()
		assert.Empty(t, p.Queued())
	})
}

func TestTPE070_QueuedIsASnapshotOfOnesOwn(t *testing.T) {
	countedRows(t, func(t *testing.T, p *executor.Pool, open func()) {
		ran := 0
		for _, name := range []string{"a", "b", "c"} {
			countedSubmit(t, p, name, func(context.Context) error { ran++; return nil })
		}
		mine := p.Queued()
		clear(mine)
		assert.Equal(t, []string{"a", "b", "c"}, pooltest.Names(p.Queued()))
		open()
		synctest.Wait()
		assert.Equal(t, 3, ran)
	})
}

// There is no remove: to cancel a future takes its task out.
func TestTPE071_ACancelledTaskLeavesTheQueueAtOnce(t *testing.T) {
	countedRows(t, func(t *testing.T, p *executor.Pool, open func()) {
		ran := ""
		task := func(name string) executor.Task {
			return func(context.Context) error { ran += name; return nil }
		}
		a, b, c := countedSubmit(t, p, "a", task("a")), countedSubmit(t, p, "b", task("b")), countedSubmit(t, p, "c", task("c"))
		assert.True(t, b.Cancel())
		assert.Equal(t, []string{"a", "c"}, pooltest.Names(p.Queued()))
		assert.True(t, a.Cancel())
		assert.Equal(t, []string{"c"}, pooltest.Names(p.Queued()))
		assert.False(t, a.Cancel(), "once")
		assert.Equal(t, 1, p.Stats().Queued)
		open()
		synctest.Wait()
		assert.Equal(t, "c", ran)
		assert.False(t, c.Cancel(), "it has ended")
	})
}

func TestTPE071_ToCancelTheRunningTaskTakesNothingOutOfTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		g := pooltest.NewGate(t)
		running := countedSubmit(t, p, "running", g.Hold)
		countedSubmit(t, p, "waiting", pooltest.Nothing)
		synctest.Wait()
		assert.True(t, running.Cancel())
		assert.Equal(t, []string{"waiting"}, pooltest.Names(p.Queued()))
		assert.Equal(t, sizedState{1, 1, 1}, sizedNow(p), "its body still runs")
	})
}

// There is no purge, for there is nothing to purge. Java's count of tasks falls by what is removed.
func TestTPE072_OfManyTasksOnlyTheCancelledOnesAreGone(t *testing.T) {
	countedRows(t, func(t *testing.T, p *executor.Pool, open func()) {
		var want, ran []string
		var cancelled []*future.Future[struct{}]
		for i := range 90 {
			name := fmt.Sprint(i)
			f := countedSubmit(t, p, name, func(context.Context) error { ran = append(ran, name); return nil })
			if i%3 == 0 {
				want = append(want, name)
			} else {
				cancelled = append(cancelled, f)
			}
		}
		for _, f := range cancelled {
			require.True(t, f.Cancel())
		}
		assert.Equal(t, want, pooltest.Names(p.Queued()))
		s := p.Stats()
		assert.Equal(t, []uint64{91, 60, 30}, []uint64{s.Accepted, s.Cancelled, uint64(s.Queued)})
		open()
		synctest.Wait()
		assert.Equal(t, want, ran)
		assert.EqualValues(t, 31, p.Stats().Completed)
	})
}

func TestTPE073_TheCountersFollowTheTasks(t *testing.T) {
	for name, q := range countedQueues {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 2, executor.Queue(q), executor.CoreTimeout(), executor.KeepAlive(time.Second))
				expect := func(workers, largest, busy, queued, accepted, completed int) {
					t.Helper()
					s := p.Stats()
					assert.Equal(t, []int{workers, largest, busy, queued, accepted, completed},
						[]int{s.Workers, s.Largest, s.Busy, s.Queued, int(s.Accepted), int(s.Completed)})
				}
				expect(0, 0, 0, 0, 0, 0)
				pooltest.Fill(t, p, 1, pooltest.Sleep(time.Minute))
				expect(1, 1, 1, 0, 1, 0)
				pooltest.Fill(t, p, 2, pooltest.Sleep(time.Minute))
				expect(2, 2, 2, 1, 3, 0)
				probe.Elapse(time.Minute - 1)
				expect(2, 2, 2, 1, 3, 0)
				probe.Elapse(1)
				expect(2, 2, 1, 0, 3, 2)
				probe.Elapse(time.Minute)
				expect(1, 2, 0, 0, 3, 3)
				probe.Elapse(time.Second)
				expect(0, 2, 0, 0, 3, 3)
				require.NoError(t, p.Close())
				expect(0, 2, 0, 0, 3, 3)
			})
		})
	}
}

func TestTPE073_ATaskCountsAsCompletedOnlyAfterItsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		inside := make(chan executor.Stats, 1)
		pooltest.Fill(t, p, 1, func(context.Context) error { inside <- p.Stats(); return nil })
		s := <-inside
		assert.Equal(t, []int{1, 0, 0}, []int{s.Busy, int(s.Completed), int(s.Runs)})
		s = p.Stats()
		assert.Equal(t, []int{0, 1, 1}, []int{s.Busy, int(s.Completed), int(s.Runs)})
	})
}

func TestTPE074_FailedTasksCountAsCompleted(t *testing.T) {
	hook := executor.BeforeRun(func(context.Context, executor.Run) { panic("hook") })
	for name, c := range map[string]struct {
		task     executor.Task
		opts     []executor.Option
		failures int
	}{
		"error":              {pooltest.Fail, nil, 3},
		"panic":              {pooltest.Panic, nil, 3},
		"goexit":             {pooltest.Goexit, nil, 3},
		"panic in the hook":  {pooltest.Nothing, []executor.Option{hook}, 0},
		"panic in both":      {pooltest.Panic, []executor.Option{hook}, 3},
		"no failure at all":  {pooltest.Nothing, nil, 0},
		"on a bounded queue": {pooltest.Panic, []executor.Option{executor.Queue(queue.Bounded(9))}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, c.opts...)
				pooltest.Fill(t, p, 2, c.task)
				_, err := p.Submit(c.task)
				require.NoError(t, err)
				synctest.Wait()
				s := p.Stats()
				assert.Equal(t, []int{3, 3, 3, c.failures}, []int{int(s.Accepted), int(s.Completed), int(s.Runs), int(s.Failures)})
			})
		})
	}
}

// Java counts a cancelled task as completed, once a worker has come across it.
func TestTPE074_CancelledTasksCountApartAndCompletedNeverFalls(t *testing.T) {
	countedRows(t, func(t *testing.T, p *executor.Pool, open func()) {
		waiting := countedSubmit(t, p, "waiting", pooltest.Nothing)
		countedSubmit(t, p, "last", pooltest.Nothing)
		counts := func() [4]uint64 {
			s := p.Stats()
			assert.Equal(t, s.Accepted, countedSum(s))
			return [4]uint64{s.Accepted, s.Completed, s.Cancelled, s.Runs}
		}
		assert.Equal(t, [4]uint64{3, 0, 0, 0}, counts())
		waiting.Cancel()
		assert.Equal(t, [4]uint64{3, 0, 1, 0}, counts())
		open()
		synctest.Wait()
		assert.Equal(t, [4]uint64{3, 2, 1, 2}, counts())
		require.NoError(t, p.Close())
		assert.Equal(t, [4]uint64{3, 2, 1, 2}, counts())
	})
}

// In Java a worker that starts counts as busy for a moment.
func TestTPE075_AWorkerThatStartsIsNotBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			p := pooltest.NewPool(t, 8)
			p.PrestartWorkers()
			assert.Equal(t, sizedState{8, 0, 0}, sizedNow(p))
			require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
			s := p.Stats()
			assert.Equal(t, 1, s.Busy+s.Queued, "it waits or it runs")
		}
	})
}

func TestTPE076_ASnapshotAddsUpWhileThePoolWorks(t *testing.T) {
	for name, c := range map[string]struct {
		queue  queue.Queue
		submit func(ctx context.Context, p *executor.Pool, task executor.Task) error
	}{
		"execute": {queue.FIFO(), func(_ context.Context, p *executor.Pool, task executor.Task) error {
			return p.Execute(task)
		}},
		"submit": {queue.Priority(), func(_ context.Context, p *executor.Pool, task executor.Task) error {
			_, err := p.Submit(task)
			return err
		}},
		"wait for room": {queue.Bounded(2), func(ctx context.Context, p *executor.Pool, task executor.Task) error {
			_, err := p.SubmitContext(ctx, task)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 4, executor.Queue(c.queue))
				var submitters sync.WaitGroup
				for range 4 {
					submitters.Go(func() {
						for range 250 {
							assert.NoError(t, c.submit(t.Context(), p, func(context.Context) error {
								s := p.Stats()
								assert.Equal(t, s.Accepted, countedSum(s))
								return nil
							}))
						}
					})
				}
				submitters.Wait()
				synctest.Wait()
				assert.EqualValues(t, 1000, p.Stats().Completed)
			})
		})
	}
}

func TestTPE076_ThereAreNoWorkersFromTidyingOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *executor.Pool
		seen := make(chan executor.Stats, 1)
		p = pooltest.NewPool(t, 3, executor.AfterTermination(func() { seen <- p.Stats() }))
		pooltest.Fill(t, p, 5, pooltest.Sleep(time.Second))
		p.Shutdown()
		<-p.Terminated()
		for _, s := range []executor.Stats{<-seen, p.Stats()} {
			assert.Equal(t, []int{0, 3, 0, 0}, []int{s.Workers, s.Largest, s.Busy, s.Queued}, s.State)
			assert.EqualValues(t, 5, s.Completed)
		}
	})
}

func TestTPE077_StringTellsTheStateAndTheNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Name("mail"))
		assert.Equal(t, `executor("mail": running, 0 workers, 0 busy, 0 queued, 0 completed)`, p.String())
		pooltest.Fill(t, p, 1, pooltest.Nothing)
		assert.Equal(t, `executor("mail": running, 1 workers, 0 busy, 0 queued, 1 completed)`, p.String())
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 3, g.Hold)
		assert.Equal(t, `executor("mail": running, 2 workers, 2 busy, 1 queued, 1 completed)`, p.String())
		p.Shutdown()
		assert.Equal(t, `executor("mail": shutting down, 2 workers, 2 busy, 1 queued, 1 completed)`, p.String())
		p.ShutdownNow()
		assert.Equal(t, `executor("mail": stopping, 2 workers, 2 busy, 0 queued, 1 completed)`, p.String())
		g.Open()
		<-p.Terminated()
		assert.Equal(t, `executor("mail": terminated, 0 workers, 0 busy, 0 queued, 3 completed)`, p.String())
	})
}

// A canceller settles the future, and may be held up before it tells the pool of that.
func TestTPE074_ATaskCancelledOnItsWayOutOfTheQueueCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ways := map[string]func(p *executor.Pool){
			"by a worker":    func(p *executor.Pool) { p.Shutdown() },
			"by ShutdownNow": func(p *executor.Pool) { p.ShutdownNow() },
			"by another": func(p *executor.Pool) {
				assert.NoError(t, p.SetRejectionPolicy(rejection.DiscardOldest))
				assert.NoError(t, p.Execute(pooltest.Nothing))
				p.Shutdown()
			},
		}
		for name, takeOut := range ways {
			p := executor.NewPool(1, executor.Queue(queue.Bounded(1)))
			gate := make(chan struct{})
			require.NoError(t, p.Execute(func(context.Context) error { <-gate; return nil }))
			synctest.Wait()
			f, err := p.Submit(pooltest.Nothing)
			require.NoError(t, err)
			future.AfterSettled(f, func(future.Result[struct{}]) {
				takeOut(p)
				close(gate)
				<-p.Terminated()
				s := p.Stats()
				assert.EqualValues(t, 1, s.Cancelled, name)
				assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, name)
			})
			assert.True(t, f.Cancel())
			assert.EqualValues(t, 1, p.Stats().Cancelled, name)
		}
	})
}
