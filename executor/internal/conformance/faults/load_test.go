package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
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
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file are about many tasks, and about processors that have other things to do.

func TestG2_TasksThatAreScheduledAndCancelledForEverLeaveTheHeapAsItIs(t *testing.T) {
	const rounds, open = 300_000, 1000
	// Each of up to 64 shards keeps the array of a heap that has had so many, of 16 bytes each; a task
	// that stayed would take a hundred.
	const arrays = 64 * 1024 * 16
	p := pooltest.NewScheduledPool(t, 1)
	defer p.Close()
	var window [open]*executor.ScheduledFuture[struct{}] // of the last ones, not cancelled yet
	churn := func(n int) {
		for i := range n {
			if f := window[i%open]; f != nil && !f.Cancel() {
				t.Fatal("it is not due")
			}
			f, err := p.Schedule(time.Hour+time.Duration(rand.IntN(1e9)), pooltest.Nothing)
			require.NoError(t, err)
			window[i%open] = f
		}
	}
	churn(open)
	before := probe.HeapInUse()
	churn(rounds)
	grown := int(probe.HeapInUse()) - int(before)
	assert.Less(t, grown, arrays+rounds, "less than a byte for each, beside the arrays")
	assert.Equal(t, open, p.Stats().Queued)
	p.ShutdownNow()
	runtime.KeepAlive(&window)
}

// flNode counts how often a heap moves it.
type flNode struct {
	index int
	seq   uint64
	moves *int
}

func (n *flNode) SetIndex(i int) { n.index, *n.moves = i, *n.moves+1 }
func (n *flNode) Seq() uint64    { return n.seq }

// flOrders are those in which all can be cancelled that have been put in one after the other.
var flOrders = map[string]func(n int) []int{
	"first in, first out": func(n int) []int { return flCount(n) },
	"last in, first out":  func(n int) []int { all := flCount(n); slices.Reverse(all); return all },
	"random":              rand.Perm,
}

func flCount(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// What it costs is counted, not timed: the moves of a heap of four children, which is nine levels
// deep.
func TestG3_InWhateverOrderTasksAreCancelledEachCostsAFewMoves(t *testing.T) {
	const tasks, levels = 100_000, 9
	for name, order := range flOrders {
		t.Run(name, func(t *testing.T) {
			var h heap.Heap[*flNode]
			moves, most := 0, 0
			count := func(do func()) {
				moves = 0
				do()
				most = max(most, moves)
			}
			nodes := make([]*flNode, tasks)
			for i := range nodes {
				nodes[i] = &flNode{seq: uint64(i), moves: &moves}
				count(func() { h.Push(rand.Int64N(1e9), nodes[i]) })
			}
			assert.LessOrEqual(t, most, levels+1, "a push")
			most = 0
			for _, i := range order(tasks) {
				count(func() { h.Remove(nodes[i].index) })
			}
			assert.LessOrEqual(t, most, levels+2, "a removal")
			assert.Zero(t, h.Len())
		})
	}
}

func TestG3_InWhateverOrderTasksAreCancelledTheOthersRunAtTheirTimes(t *testing.T) {
	const tasks = 10_000
	for name, order := range flOrders {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				start := time.Now()
				futures := make([]*executor.ScheduledFuture[struct{}], tasks)
				ran, wrong := 0, 0
				for i := range futures {
					due := time.Duration(1+i*7919%tasks) * time.Second
					futures[i] = pooltest.Schedule(t, p, due, func(context.Context) error {
						if ran++; time.Since(start) != due {
							wrong++
						}
						return nil
					})
				}
				for _, i := range order(tasks) {
					if i%10 != 0 {
						require.True(t, futures[i].Cancel())
					}
				}
				assert.Equal(t, tasks/10, p.Stats().Queued)
				probe.Elapse(tasks * time.Second)
				assert.Equal(t, tasks/10, ran)
				assert.Zero(t, wrong)
			})
		})
	}
}

// flTimersRun schedules timers over the next tenth of a second, and awaits them while something
// disturbs.
func flTimersRun(t *testing.T, p *executor.ScheduledPool, disturb func()) {
	const timers = 500
	var early atomic.Int32
	var left sync.WaitGroup
	left.Add(timers)
	for i := range timers {
		d := time.Duration(i) * 200 * time.Microsecond
		began := time.Now()
		_, err := p.Schedule(d, func(context.Context) error {
			if time.Since(began) < d {
				early.Add(1)
			}
			left.Done()
			return nil
		})
		require.NoError(t, err)
	}
	over := make(chan struct{})
	go func() { left.Wait(); close(over) }()
	for !probe.IsClosed(over) {
		disturb()
	}
	assert.Zero(t, early.Load())
	require.NoError(t, p.Close())
	assert.EqualValues(t, timers, p.Stats().Completed)
}

func TestG4_NoTimerIsLostWhileTheCollectorNeverRests(t *testing.T) {
	ballast := make([]*[4]*int, 100_000)
	for i := range ballast {
		ballast[i] = new([4]*int)
	}
	flTimersRun(t, pooltest.NewScheduledPool(t, 2), runtime.GC)
	runtime.KeepAlive(ballast)
}

// flProcessors sets how many processors there are, until the test is over.
func flProcessors(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

func TestG5_ATaskThatSpinsOnTheOnlyProcessorDoesNotKeepTimersFromRunning(t *testing.T) {
	flProcessors(t, 1)
	p := pooltest.NewScheduledPool(t, 2)
	var enough atomic.Bool
	spun, err := p.Submit(func(context.Context) error {
		for !enough.Load() { // and calls nothing
		}
		return nil
	})
	require.NoError(t, err)
	_, err = p.AtFixedRate(0, 100*time.Microsecond, func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		enough.Store(run.Number == 10)
		return nil
	}, executor.MaxRuns(10))
	require.NoError(t, err)
	_, err = spun.Get(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Close())
}

func TestG6_NoTimerIsLostWhileTheNumberOfProcessorsChanges(t *testing.T) {
	flProcessors(t, 2)
	n := 0
	flTimersRun(t, pooltest.NewScheduledPool(t, 2), func() {
		n++
		runtime.GOMAXPROCS(1 + n%4)
		time.Sleep(time.Millisecond)
	})
}

func TestG8_AThousandWhoFindABoundedQueueFullAreDealtWithAsThePolicySays(t *testing.T) {
	const submitters, workers, room = 1000, 4, 16
	const fit = workers + room
	for name, row := range map[string]struct {
		policy                             rejection.Policy
		accepted, refused, dropped, bodies int
	}{
		"abort":          {rejection.Abort, fit, submitters - fit, 0, fit},
		"block":          {rejection.Block, submitters, 0, 0, submitters},
		"caller runs":    {rejection.CallerRuns, submitters, 0, 0, submitters},
		"discard":        {rejection.Discard, submitters, 0, submitters - fit, fit},
		"discard oldest": {rejection.DiscardOldest, submitters, 0, submitters - fit, fit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, workers, executor.Queue(queue.Bounded(room)), executor.OnRejection(row.policy))
				var bodies, refused atomic.Int32
				futures := make([]*future.Future[struct{}], submitters)
				var all sync.WaitGroup
				for i := range futures {
					all.Go(func() {
						f, err := p.Submit(func(context.Context) error {
							bodies.Add(1)
							time.Sleep(time.Second)
							return nil
						})
						if futures[i] = f; err != nil {
							assert.Equal(t, executor.ErrSaturated, err)
							refused.Add(1)
						}
					})
				}
				all.Wait()
				require.NoError(t, p.Close())
				outcomes := map[string]int{}
				for _, f := range futures {
					if f != nil {
						outcomes[fmt.Sprint(pooltest.Outcome(t, f))]++
					}
				}
				assert.EqualValues(t, row.refused, refused.Load())
				assert.EqualValues(t, row.bodies, bodies.Load())
				assert.Equal(t, row.bodies, outcomes["<nil>"])
				assert.Equal(t, row.dropped, outcomes[fmt.Sprint(future.CancelledError(executor.ErrSaturated))])
				assert.Equal(t, row.accepted, row.bodies+row.dropped)
				pooltest.NothingLost(t, p.Stats())
			})
		})
	}
}
