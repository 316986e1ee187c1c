package tpe_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/internal/probe"
)

// sizedSteps gives p one task after another that holds, and returns what p was doing after each, up
// to the first that is refused.
func sizedSteps(t *testing.T, p *executor.Pool, hold executor.Task, most int) (steps []sizedState) {
	t.Helper()
	for range most {
		if err := p.Execute(hold); err != nil {
			assert.ErrorIs(t, err, executor.ErrSaturated)
			break
		}
		synctest.Wait()
		steps = append(steps, sizedNow(p))
	}
	return steps
}

func TestTPE020_SubmissionsFillTheCoreThenTheQueueThenTheMaximum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.MaximumSize(4), executor.Queue(queue.Bounded(3)))
		want := []sizedState{{1, 1, 0}, {2, 2, 0}, {2, 2, 1}, {2, 2, 2}, {2, 2, 3}, {3, 3, 3}, {4, 4, 3}}
		assert.Equal(t, want, sizedSteps(t, p, pooltest.NewGate(t).Hold, 100))
		assert.Equal(t, want[6], sizedNow(p), "the refusal changes nothing")
	})
}

func TestTPE020_ABurstFindsAsMuchRoomAsTasksOneByOne(t *testing.T) {
	for _, q := range []queue.Queue{queue.Bounded(3), queue.Priority().Bounded(3)} {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewPool(t, 2, executor.MaximumSize(4), executor.Queue(q))
			g := pooltest.NewGate(t)
			for range 7 {
				require.NoError(t, p.Execute(g.Hold))
			}
			assert.ErrorIs(t, p.Execute(g.Hold), executor.ErrSaturated)
			synctest.Wait()
			assert.Equal(t, sizedState{4, 4, 3}, sizedNow(p))
		})
	}
}

// Java starts a worker for each submission below the core size, even while others are idle.
func TestTPE020_AnIdleWorkerIsPreferredToANewOne(t *testing.T) {
	for name, opts := range map[string][]executor.Option{
		"default":    nil,
		"bounded":    {executor.Queue(queue.Bounded(2))},
		"hand-off":   {executor.Queue(queue.HandOff())},
		"priority":   {executor.Queue(queue.Priority())},
		"grow first": {executor.GrowFirst(), executor.MaximumSize(9)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 5, opts...)
				for range 10 {
					pooltest.Fill(t, p, 1, pooltest.Nothing)
				}
				s := p.Stats()
				assert.Equal(t, 1, s.Largest)
				assert.EqualValues(t, 10, s.Completed)
			})
		})
	}
}

// In Java the new worker takes the task that did not fit, ahead of all that wait.
func TestTPE020_AWorkerStartedForALateTaskTakesWhatHasWaitedLongest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.MaximumSize(2), executor.Queue(queue.Bounded(2)))
		tr := pooltest.NewTrace()
		for _, name := range []string{"first", "second", "third", "fourth"} {
			require.NoError(t, p.Execute(func(context.Context) error {
				tr.Mark(name)
				time.Sleep(time.Hour)
				return nil
			}))
			probe.Elapse(time.Second)
		}
		probe.Elapse(2 * time.Hour)
		assert.Equal(t, []string{"first 0s", "second 3s", "third 1h0m0s", "fourth 1h0m3s"}, tr.Seen())
	})
}

func TestTPE021_WithAnUnboundedQueueTheMaximumIsNotReached(t *testing.T) {
	for _, q := range []queue.Queue{queue.FIFO(), queue.Priority()} {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewPool(t, 2, executor.MaximumSize(8), executor.Queue(q))
			pooltest.Fill(t, p, 100, pooltest.NewGate(t).Hold)
			assert.Equal(t, sizedState{2, 2, 98}, sizedNow(p))
		})
	}
}

func TestTPE021_WithAHandOffThePoolGrowsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.MaximumSize(3), executor.Queue(queue.HandOff()))
		want := []sizedState{{1, 1, 0}, {2, 2, 0}, {3, 3, 0}}
		assert.Equal(t, want, sizedSteps(t, p, pooltest.NewGate(t).Hold, 100))
	})
}

func TestTPE021_K05_WithGrowFirstThePoolGrowsBeforeATaskWaits(t *testing.T) {
	for name, c := range map[string]struct {
		rule []executor.Option
		want []sizedState
	}{
		"default rule, unbounded": {nil, []sizedState{{1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {1, 1, 3}, {1, 1, 4}, {1, 1, 5}}},
		"grow first, unbounded": {
			[]executor.Option{executor.GrowFirst()},
			[]sizedState{{1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {3, 3, 1}, {3, 3, 2}, {3, 3, 3}},
		},
		"default rule, bounded": {
			[]executor.Option{executor.Queue(queue.Bounded(2))},
			[]sizedState{{1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {2, 2, 2}, {3, 3, 2}},
		},
		"grow first, bounded": {
			[]executor.Option{executor.GrowFirst(), executor.Queue(queue.Bounded(2))},
			[]sizedState{{1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {3, 3, 1}, {3, 3, 2}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, append(c.rule, executor.MaximumSize(3))...)
				assert.Equal(t, c.want, sizedSteps(t, p, pooltest.NewGate(t).Hold, 6))
			})
		})
	}
}

func TestTPE021_GrowFirstServesABurstWithAllWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 0, executor.MaximumSize(5), executor.GrowFirst())
		pooltest.Fill(t, p, 8, pooltest.NewGate(t).Hold)
		assert.Equal(t, sizedState{5, 5, 3}, sizedNow(p))
	})
}

func TestAScheduledPoolIgnoresGrowFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.MaximumSize(5), executor.GrowFirst())
		g := pooltest.NewGate(t)
		for range 5 {
			pooltest.Submit(t, p, g.Hold)
		}
		synctest.Wait()
		assert.Equal(t, sizedState{1, 1, 4}, sizedNow(&p.Pool))
	})
}

func TestTPE022_CoreSizeZeroHasOneWorkerWhileThereIsSomethingToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 0, executor.KeepAlive(time.Second))
		tr := pooltest.NewTrace()
		for i := range 5 {
			require.NoError(t, p.Execute(func(context.Context) error {
				tr.Mark(fmt.Sprint(i))
				time.Sleep(time.Minute)
				return nil
			}))
		}
		probe.Elapse(5*time.Minute + time.Second - 1)
		assert.Equal(t, []string{"0 0s", "1 1m0s", "2 2m0s", "3 3m0s", "4 4m0s"}, tr.Seen())
		assert.Equal(t, 1, p.Stats().Largest)
		assert.Equal(t, sizedState{1, 0, 0}, sizedNow(p))
		probe.Elapse(1)
		assert.Equal(t, sizedState{}, sizedNow(p))
	})
}

func TestTPE023_ASubmissionThatMeetsAShutdownRunsOrIsRefused(t *testing.T) {
	for _, q := range []queue.Queue{queue.FIFO(), queue.Bounded(1000)} {
		for range 200 {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(q))
				var accepted, refused, ran int
				var submitters sync.WaitGroup
				var mu sync.Mutex
				for range 4 {
					submitters.Go(func() {
						f, err := p.Submit(func(context.Context) error { ran++; return nil }) // one worker
						mu.Lock()
						defer mu.Unlock()
						if err != nil {
							assert.Equal(t, executor.ErrShutdown, err)
							refused++
							return
						}
						accepted++
						_, err = f.Get(t.Context())
						assert.NoError(t, err)
					})
				}
				submitters.Go(p.Shutdown)
				submitters.Wait()
				<-p.Terminated()
				assert.Equal(t, accepted, ran)
				s := p.Stats()
				assert.Equal(t, []uint64{uint64(accepted), uint64(refused), uint64(ran)}, []uint64{s.Accepted, s.Rejected, s.Completed})
			})
		}
	}
}

func TestTPE023_ASubmissionToAPoolWithoutWorkersStartsOne(t *testing.T) {
	for _, core := range []int{0, 2} {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewPool(t, core, executor.CoreTimeout(), executor.KeepAlive(time.Second))
			for range 3 {
				sizedIdle(t, p, 1)
				probe.Elapse(time.Second)
				require.Equal(t, sizedState{}, sizedNow(p))
			}
		})
	}
}

func TestTPE024_PrestartWorkerStartsOneUpToTheCoreSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.MaximumSize(9), executor.GrowFirst())
		assert.True(t, p.PrestartWorker())
		assert.Equal(t, sizedState{1, 0, 0}, sizedNow(p))
		assert.True(t, p.PrestartWorker())
		assert.False(t, p.PrestartWorker())
		require.NoError(t, p.SetCoreSize(3))
		assert.True(t, p.PrestartWorker())
		assert.False(t, p.PrestartWorker())
		probe.Elapse(time.Hour)
		assert.Equal(t, sizedState{3, 0, 0}, sizedNow(p))
		assert.Len(t, pooltest.Workers(t), 3)
		pooltest.Fill(t, p, 3, pooltest.NewGate(t).Hold)
		assert.Equal(t, sizedState{3, 3, 0}, sizedNow(p))
	})
}

func TestTPE025_PrestartWorkersStartsWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 5)
		pooltest.Fill(t, p, 2, pooltest.NewGate(t).Hold)
		assert.Equal(t, 3, p.PrestartWorkers())
		assert.Equal(t, sizedState{5, 2, 0}, sizedNow(p))
		assert.Zero(t, p.PrestartWorkers())
		require.NoError(t, p.SetCoreSize(6))
		assert.Equal(t, 1, p.PrestartWorkers())
		synctest.Wait()
		assert.Equal(t, sizedState{6, 2, 0}, sizedNow(p))
	})
}

func TestTPE025_NothingIsPrestartedWithoutACoreOrAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		none := pooltest.NewPool(t, 0, executor.MaximumSize(3))
		assert.False(t, none.PrestartWorker())
		assert.Zero(t, none.PrestartWorkers())
		over := pooltest.NewPool(t, 3)
		pooltest.Fill(t, over, 1, pooltest.NewGate(t).Hold)
		over.Shutdown()
		assert.False(t, over.PrestartWorker())
		assert.Zero(t, over.PrestartWorkers())
		assert.Equal(t, 1, over.Stats().Largest)
	})
}

func TestTPE033_B34_AWorkerWhoseTaskOrHookDiesIsThereForTheNextTask(t *testing.T) {
	for name, c := range map[string]struct{ before, task, after executor.Task }{
		"panic of the task":            {pooltest.Nothing, pooltest.Panic, pooltest.Nothing},
		"goexit of the task":           {pooltest.Nothing, pooltest.Goexit, pooltest.Nothing},
		"panic of the before-run hook": {pooltest.Panic, pooltest.Nothing, pooltest.Nothing},
		"goexit of that hook":          {pooltest.Goexit, pooltest.Nothing, pooltest.Nothing},
		"panic of the after-run hook":  {pooltest.Nothing, pooltest.Nothing, pooltest.Panic},
		"goexit of the after-run hook": {pooltest.Nothing, pooltest.Nothing, pooltest.Goexit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.MaximumSize(3), executor.Queue(queue.HandOff()), executor.KeepAlive(time.Hour),
					executor.BeforeRun(func(ctx context.Context, _ executor.Run) {
						time.Sleep(time.Second) // so that all three are there
						_ = c.before(ctx)
					}),
					executor.AfterRun(func(ctx context.Context, _ executor.Run, _ error) { _ = c.after(ctx) }))
				for range 5 {
					pooltest.Fill(t, p, 3, c.task)
					assert.Equal(t, sizedState{3, 3, 0}, sizedNow(p))
					probe.Elapse(time.Second)
					assert.Equal(t, sizedState{3, 0, 0}, sizedNow(p))
				}
				assert.Equal(t, 3, p.Stats().Largest)
				probe.Elapse(time.Hour)
				assert.Equal(t, 1, p.Stats().Workers)
			})
		})
	}
}

func TestTPE037_APoolMayBeAsLargeAsAnyNumber(t *testing.T) {
	for name, p := range map[string]func() *executor.Pool{
		"core": func() *executor.Pool { return executor.NewPool(math.MaxInt) },
		"maximum": func() *executor.Pool {
			return executor.NewPool(0, executor.Queue(queue.HandOff()), executor.MaximumSize(math.MaxInt))
		},
		"grow first": func() *executor.Pool {
			return executor.NewPool(0, executor.GrowFirst(), executor.MaximumSize(math.MaxInt))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.Stop(t, p())
				pooltest.Fill(t, p, 300, pooltest.NewGate(t).Hold)
				assert.Equal(t, sizedState{300, 300, 0}, sizedNow(p))
			})
		})
	}
}
