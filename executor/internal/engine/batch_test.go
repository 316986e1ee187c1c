package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
)

// batchRow is how many tasks a batch takes at most.
const batchRow = runqueue.BatchSize

// table is a pool whose tasks note that they have begun, and wait until they are let go on.
type table struct {
	*executor.Pool
	begun []int
	gates []chan struct{}
	mu    sync.Mutex
}

// lay submits n tasks of which the first runs alone, so that the others are dealt together.
func lay(t *testing.T, p *executor.Pool, n int) *table {
	l := &table{Pool: p}
	first := make(chan struct{})
	for range p.Stats().Core {
		require.NoError(t, p.Execute(func(context.Context) error { <-first; return nil }))
	}
	synctest.Wait()
	for i := range n {
		gate := make(chan struct{})
		l.gates = append(l.gates, gate)
		require.NoError(t, p.Execute(func(context.Context) error {
			l.mu.Lock()
			l.begun = append(l.begun, i)
			l.mu.Unlock()
			<-gate
			return nil
		}))
	}
	close(first)
	synctest.Wait()
	return l
}

// open lets tasks end, and returns those that have begun when all is quiet.
func (l *table) open(tasks ...int) []int {
	for _, i := range tasks {
		close(l.gates[i])
	}
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int(nil), l.begun...)
}

// check demands that the accounts are right at rest.
func (l *table) check(t *testing.T, completed, busy, queued int) {
	t.Helper()
	s := l.Stats()
	assert.EqualValues(t, []int{completed, busy, queued}, []int{int(s.Completed), s.Busy, s.Queued}, "completed, busy, queued")
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned+uint64(s.Queued)+uint64(s.Busy), "accepted")
	assert.Equal(t, s.Completed, s.Runs)
}

// both runs a test on the two kinds of pools with batches, of two workers.
func both(t *testing.T, test func(t *testing.T, p *executor.Pool)) {
	for name, make := range map[string]func() *executor.Pool{
		"plain":     func() *executor.Pool { return executor.NewPool(2) },
		"scheduled": func() *executor.Pool { return &executor.NewScheduledPool(2).Pool },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, make()) })
		})
	}
}

func TestABatchIsPlayedInOrderByAllWorkers(t *testing.T) {
	both(t, func(t *testing.T, p *executor.Pool) {
		l := lay(t, p, 6)
		assert.ElementsMatch(t, []int{0, 1}, l.open())
		require.Equal(t, 4, engineOf(p).Dealt())
		l.check(t, 2, 2, 4)
		assert.Equal(t, 2, l.open(1)[2], "though the first of the batch goes on")
		l.check(t, 3, 2, 3)
		assert.Equal(t, 3, l.open(2)[3])
		assert.Equal(t, 4, l.open(3)[4])
		l.check(t, 5, 2, 1)
		assert.Equal(t, 5, l.open(0)[5])
		l.check(t, 6, 2, 0)
		l.open(4, 5)
		l.check(t, 8, 0, 0)
		require.NoError(t, p.Close())
		l.check(t, 8, 0, 0)
	})
}

func TestAnIdleWorkerIsCalledForABatch(t *testing.T) {
	both(t, func(t *testing.T, p *executor.Pool) {
		l := lay(t, p, 2)
		require.ElementsMatch(t, []int{0, 1}, l.open())
		l.open(0, 1)
		require.Equal(t, 2, p.Stats().Workers)
		l = lay(t, p, 3)
		require.ElementsMatch(t, []int{0, 1}, l.open(), "both play, after having been idle")
		l.open(0, 1, 2)
		require.NoError(t, p.Close())
	})
}

func TestQueuedTellsWhatIsDealtToo(t *testing.T) {
	both(t, func(t *testing.T, p *executor.Pool) {
		l := lay(t, p, 6)
		require.Equal(t, 4, engineOf(p).Dealt())
		require.Len(t, p.Queued(), 4)
		require.Zero(t, engineOf(p).Dealt(), "it has been recalled")
		l.check(t, 2, 2, 4)
		l.open(0) // one worker at a time, or either may be the first to begin
		assert.Equal(t, []int{2, 3}, l.open(1)[2:])
		l.check(t, 4, 2, 2)
		assert.ElementsMatch(t, []int{4, 5}, l.open(2, 3)[4:])
		l.open(4, 5)
		l.check(t, 8, 0, 0)
		require.NoError(t, p.Close())
	})
}

func TestShutdownNowHandsBackWhatIsDealt(t *testing.T) {
	both(t, func(t *testing.T, p *executor.Pool) {
		l := lay(t, p, batchRow+10)
		l.open(0)
		require.Equal(t, batchRow-3, engineOf(p).Dealt())
		back := p.ShutdownNow()
		require.Len(t, back, batchRow+7)
		assert.Equal(t, batchRow+7, int(p.Stats().Returned))
		for i, pending := range back { // each tells which it is when it is run by hand
			close(l.gates[i+3])
			require.NoError(t, pending.Task(t.Context()))
			l.mu.Lock()
			assert.Equal(t, i+3, l.begun[len(l.begun)-1], "in order")
			l.mu.Unlock()
		}
		l.open(1, 2)
		<-p.Terminated()
		l.check(t, 5, 0, 0)
	})
}

func TestAPoolMadeSmallerRecallsTheBatch(t *testing.T) {
	both(t, func(t *testing.T, p *executor.Pool) {
		l := lay(t, p, 6)
		require.NoError(t, p.SetCoreSize(1))
		l.open(0)
		assert.Len(t, l.open(), 2, "the worker has gone")
		l.check(t, 3, 1, 4)
		assert.Len(t, l.open(1), 3)
		l.open(2, 3, 4, 5)
		require.NoError(t, p.Close())
		l.check(t, 8, 0, 0)
	})
}

func TestCloseLetsTheBatchBePlayed(t *testing.T) {
	both(t, func(t *testing.T, p *executor.Pool) {
		l := lay(t, p, 6)
		closed := make(chan error)
		go func() { closed <- p.Close() }()
		synctest.Wait()
		l.check(t, 2, 2, 4)
		l.open(0, 1, 2, 3, 4, 5)
		require.NoError(t, <-closed)
		l.check(t, 8, 0, 0)
	})
}

func TestATaskOfABatchThatFailsHarmsNoOther(t *testing.T) {
	discard := executor.Logger(slog.New(slog.DiscardHandler))
	for name, fail := range map[string]func(context.Context) error{
		"error":  func(context.Context) error { return assert.AnError },
		"panic":  func(context.Context) error { panic("at hand") },
		"goexit": func(context.Context) error { runtime.Goexit(); return nil },
		"signal": func(ctx context.Context) error { ctx.Done(); return nil }, // no failure, but others need another cell
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewPool(1, discard)
				gate := make(chan struct{})
				require.NoError(t, p.Execute(func(context.Context) error { <-gate; return nil }))
				var ran atomic.Int32
				good := func(context.Context) error { ran.Add(1); return nil }
				for i := range 10 {
					task := good
					if i == 4 {
						task = fail
					}
					require.NoError(t, p.Execute(task))
				}
				close(gate)
				require.NoError(t, p.Close())
				s := p.Stats()
				assert.EqualValues(t, 9, ran.Load())
				assert.EqualValues(t, 11, s.Completed)
				assert.EqualValues(t, 11, s.Runs)
				want := uint64(1)
				if name == "signal" {
					want = 0
				}
				assert.Equal(t, want, s.Failures)
			})
		})
	}
}

func TestAContextOfABatchEndsWithItsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1)
		gate := make(chan struct{})
		require.NoError(t, p.Execute(func(context.Context) error { <-gate; return nil }))
		var contexts []context.Context
		for range 5 {
			require.NoError(t, p.Execute(func(ctx context.Context) error {
				for _, earlier := range contexts {
					assert.Error(t, earlier.Err())
				}
				assert.NoError(t, ctx.Err())
				contexts = append(contexts, ctx)
				return nil
			}))
		}
		close(gate)
		require.NoError(t, p.Close())
		require.Len(t, contexts, 5)
	})
}

func TestWhoAsksForATimeEndsTheDealing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1)
		l := lay(t, p, 6)
		require.Equal(t, 5, engineOf(p).Dealt())
		require.Len(t, p.Running(), 1)
		l.open(0)
		assert.Equal(t, 4, engineOf(p).Dealt(), "by way of the lock")
		for i := 1; i < 6; i++ {
			require.Len(t, p.Running(), 1)
			l.open(i)
		}
		require.NoError(t, p.Close())
		l.check(t, 7, 0, 0)
	})
}

// A task that goes by its time, and comes while a batch is being played, is behind it, and ahead of
// what comes later.
func TestABatchAndATaskWithATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		l := lay(t, &p.Pool, 3)
		note := func(i int) executor.Task {
			return func(context.Context) error {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.begun = append(l.begun, i)
				return nil
			}
		}
		_, err := p.Schedule(0, note(3))
		require.NoError(t, err)
		require.NoError(t, p.Execute(note(4)))
		_, err = p.Schedule(-1, note(5))
		require.NoError(t, err)
		require.NoError(t, p.Execute(note(6)))
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6}, l.open(0, 1, 2))
		require.NoError(t, p.Close())
	})
}

// Tasks that go by their time do not keep others from being dealt, as far as these come first. The
// next run of a burst is late, and so comes before what has been dealt, but was submitted since the
// time of that run.
func TestABatchAmongRunsOfASeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2)
		var mu sync.Mutex
		var begun []string
		task := func(name string, takes time.Duration) executor.Task {
			return func(context.Context) error {
				mu.Lock()
				begun = append(begun, name)
				mu.Unlock()
				time.Sleep(takes)
				return nil
			}
		}
		run := 0
		_, err := p.AtFixedRate(time.Second, time.Second, func(ctx context.Context) error {
			run++
			takes := map[int]time.Duration{1: 3500 * time.Millisecond}[run]
			return task(fmt.Sprint("run ", run), takes)(ctx)
		}, executor.MaxRuns(4))
		require.NoError(t, err)
		require.NoError(t, p.Execute(task("long", 3*time.Second)))
		time.Sleep(2500 * time.Millisecond)
		for i := range 5 {
			require.NoError(t, p.Execute(task(fmt.Sprint("dealt ", i), time.Duration(1-min(i, 1))*2*time.Second)))
		}
		time.Sleep(time.Second)
		assert.Equal(t, 4, engineOf(&p.Pool).Dealt())
		time.Sleep(3 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{
			"long", "run 1", "dealt 0", "run 2", "dealt 1", "dealt 2", "dealt 3", "dealt 4", "run 3", "run 4",
		}, begun)
		require.NoError(t, p.Close())
	})
}

// Whatever interferes, each task runs once or is handed back.
func TestStressOfBatchs(t *testing.T) {
	for round := range 300 {
		p := executor.NewPool(3)
		var ran atomic.Int64
		var submitters sync.WaitGroup
		for s := range 2 {
			submitters.Go(func() {
				for i := range 300 {
					assert.NoError(t, p.Execute(func(ctx context.Context) error {
						ran.Add(1)
						if (i+s)%50 == 0 {
							ctx.Done()
						}
						return nil
					}))
				}
			})
		}
		submitters.Go(func() {
			for i := range 20 {
				switch i % 4 {
				case 0:
					p.Queued()
				case 1:
					assert.NoError(t, p.SetCoreSize(1+i%3))
				case 2:
					s := p.Stats()
					assert.LessOrEqual(t, s.Completed, s.Accepted)
				case 3:
					runtime.Gosched()
				}
			}
		})
		if round%2 == 0 {
			submitters.Wait()
		}
		back := 0
		if round%3 == 0 {
			submitters.Wait()
			back = len(p.ShutdownNow())
		} else {
			submitters.Wait()
		}
		require.NoError(t, p.Close())
		s := p.Stats()
		require.Equal(t, 600, int(ran.Load())+back, fmt.Sprint("round ", round))
		require.EqualValues(t, ran.Load(), s.Completed)
		require.EqualValues(t, ran.Load(), s.Runs)
		require.EqualValues(t, back, s.Returned)
	}
}

// What is claimed without the lock starts when it does, not when the first of its batch did.
func TestATaskOfABatchIsNotTimedByTheFirst(t *testing.T) {
	both(t, func(t *testing.T, p *executor.Pool) {
		gate := make(chan struct{})
		for range p.Stats().Core {
			_, err := p.Submit(func(context.Context) error { <-gate; return nil })
			require.NoError(t, err)
		}
		synctest.Wait()
		for i := range 6 {
			require.NoError(t, p.Execute(func(ctx context.Context) error {
				begun := time.Now()
				time.Sleep(time.Hour)
				if i < 4 {
					return nil
				}
				run, _ := executor.RunFrom(ctx)
				assert.False(t, run.Started.Before(begun), "begun %v before it was", begun.Sub(run.Started))
				return nil
			}))
		}
		close(gate)
		require.NoError(t, p.Close())
	})
}

func TestAFailureDoesNotEndTheDealing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Logger(slog.New(slog.DiscardHandler)))
		for _, err := range []error{nil, assert.AnError} { // the first, of a new worker, is timed in any case
			require.NoError(t, p.Execute(func(context.Context) error { return err }))
			synctest.Wait()
		}
		require.EqualValues(t, 1, p.Stats().Failures)
		l := lay(t, p, 3)
		assert.Equal(t, 2, engineOf(p).Dealt())
		l.open(0, 1, 2)
		require.NoError(t, p.Close())
	})
}

// Some workers come by the lock, as the context of their task has been asked for a signal; others
// do not.
func TestStressOfWorkersWithAndWithoutTheLock(t *testing.T) {
	const tasks = 2000
	for range 30 {
		p := executor.NewPool(4)
		for i := range tasks {
			require.NoError(t, p.Execute(func(ctx context.Context) error {
				if i%3 == 0 {
					ctx.Done()
				}
				return nil
			}))
			if i%100 == 0 {
				s := p.Stats()
				require.Equal(t, s.Accepted, s.Completed+uint64(s.Queued)+uint64(s.Busy))
			}
		}
		require.NoError(t, p.Close())
		s := p.Stats()
		require.EqualValues(t, []int{tasks, 0}, []int{int(s.Completed), int(s.Failures)})
	}
}

// Two workers exchange three series: the time that one has read may lie before the end of a run on
// the other.
func TestARunOfASeriesStartsAfterTheEndOfTheLast(t *testing.T) {
	p := executor.NewScheduledPool(2)
	base := time.Now()
	var early, runs atomic.Int64
	for range 3 {
		var ended atomic.Int64
		_, err := p.AtFixedRate(0, 1, func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			runs.Add(1)
			if int64(run.Started.Sub(base)) < ended.Load() {
				early.Add(1)
			}
			for begun := time.Now(); time.Since(begun) < time.Duration(rand.IntN(400)); {
			}
			ended.Store(int64(time.Since(base)))
			return nil
		})
		require.NoError(t, err)
	}
	for runs.Load() < 100_000 {
		time.Sleep(time.Millisecond)
	}
	p.ShutdownNow()
	require.NoError(t, p.Close())
	assert.Zero(t, early.Load(), "of %d", runs.Load())
}

// A worker is busy for ever, and submitters change their minds.
func TestPoolThatOnlyCancelsDoesNotGrow(t *testing.T) {
	p := executor.NewPool(1)
	gate := make(chan struct{})
	require.NoError(t, p.Execute(func(context.Context) error { <-gate; return nil }))
	for range 100_000 {
		f, err := p.Submit(func(context.Context) error { return nil })
		require.NoError(t, err)
		require.True(t, f.Cancel())
	}
	assert.LessOrEqual(t, engineOf(p).Blocks(), 4)
	close(gate)
	require.NoError(t, p.Close())
	assert.EqualValues(t, 100_000, p.Stats().Cancelled)
}
