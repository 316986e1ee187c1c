package tpe_test

import (
	"context"
	"fmt"
	"math"
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

func TestTPE026_RaisingTheCoreSizeStartsWorkersForWhatWaits(t *testing.T) {
	for _, c := range []struct{ core, waiting, want int }{{5, 2, 3}, {5, 9, 5}, {5, 4, 5}, {2, 1, 2}, {5, 0, 1}} {
		t.Run(fmt.Sprintf("to %d with %d waiting", c.core, c.waiting), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1)
				pooltest.Fill(t, p, 1+c.waiting, pooltest.NewGate(t).Hold)
				require.Equal(t, sizedState{1, 1, c.waiting}, sizedNow(p))
				require.NoError(t, p.SetCoreSize(c.core))
				synctest.Wait()
				assert.Equal(t, sizedState{c.want, c.want, 1 + c.waiting - c.want}, sizedNow(p))
			})
		})
	}
}

func TestTPE026_LoweringTheCoreSizeRetiresIdleWorkersAfterTheKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 8, executor.KeepAlive(time.Second))
		sizedIdle(t, p, 8)
		probe.Elapse(time.Hour)
		require.NoError(t, p.SetCoreSize(3))
		probe.Elapse(time.Second - 1)
		assert.Equal(t, 8, p.Stats().Workers)
		probe.Elapse(1)
		assert.Equal(t, 3, p.Stats().Workers)
		probe.Elapse(time.Hour)
		assert.Equal(t, 3, p.Stats().Workers)
	})
}

// sizedRounds are tasks of an hour each that count how many of them run.
type sizedRounds struct{ undisturbed chan bool }

func sizedHours(t *testing.T, p *executor.Pool, tasks int) *sizedRounds {
	t.Helper()
	r := &sizedRounds{make(chan bool, tasks)}
	pooltest.Fill(t, p, tasks, func(ctx context.Context) error {
		time.Sleep(time.Hour)
		r.undisturbed <- ctx.Err() == nil
		return nil
	})
	return r
}

// all asserts that so many have ended, none of them by the end of its context.
func (r *sizedRounds) all(t *testing.T, tasks int) {
	t.Helper()
	for range tasks {
		assert.True(t, <-r.undisturbed)
	}
	assert.Empty(t, r.undisturbed)
}

func TestTPE026_ACoreSizeBelowTheBusyCountHoldsOnceTheyHaveEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 4)
		hours := sizedHours(t, p, 7)
		require.NoError(t, p.SetCoreSize(1))
		synctest.Wait()
		assert.Equal(t, sizedState{4, 4, 3}, sizedNow(p), "they are not disturbed")
		probe.Elapse(time.Hour)
		assert.Equal(t, sizedState{1, 1, 2}, sizedNow(p))
		probe.Elapse(3 * time.Hour)
		hours.all(t, 7)
		assert.Equal(t, sizedState{1, 0, 0}, sizedNow(p))
		assert.Equal(t, 4, p.Stats().Largest)
	})
}

func TestTPE027_AMaximumSizeBelowTheBusyCountHoldsOnceTheyHaveEnded(t *testing.T) {
	for _, q := range []queue.Queue{queue.FIFO(), queue.Bounded(3)} {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewPool(t, 1, executor.MaximumSize(5), executor.GrowFirst(), executor.Queue(q))
			hours := sizedHours(t, p, 8)
			require.NoError(t, p.SetMaximumSize(2))
			synctest.Wait()
			assert.Equal(t, sizedState{5, 5, 3}, sizedNow(p), "they are not disturbed")
			probe.Elapse(time.Hour)
			assert.Equal(t, sizedState{2, 2, 1}, sizedNow(p))
			probe.Elapse(2 * time.Hour)
			hours.all(t, 8)
			assert.Equal(t, sizedState{1, 0, 0}, sizedNow(p))
			assert.Equal(t, 5, p.Stats().Largest)
		})
	}
}

func TestTPE027_WorkersAboveALoweredMaximumAreNotRoom(t *testing.T) {
	for name, lower := range map[string]func(p *executor.Pool) error{
		"maximum size": func(p *executor.Pool) error { return p.SetMaximumSize(1) },
		"core size":    func(p *executor.Pool) error { return p.SetCoreSize(1) },
	} {
		for busy := range 2 {
			t.Run(fmt.Sprintf("%s, %d of 4 busy", name, busy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					opts := []executor.Option{executor.Queue(queue.HandOff()), executor.KeepAlive(time.Hour)}
					core := 4
					if name == "maximum size" {
						core, opts = 1, append(opts, executor.MaximumSize(4))
					}
					p := pooltest.NewPool(t, core, opts...)
					sizedIdle(t, p, 4)
					g := pooltest.NewGate(t)
					pooltest.Fill(t, p, busy, g.Hold)
					require.NoError(t, lower(p))
					synctest.Wait()
					for range 4 {
						_ = p.Execute(g.Hold)
					}
					synctest.Wait()
					s := p.Stats()
					assert.Equal(t, []int{1, 0}, []int{s.Busy, s.Queued}, "nobody waits in a hand-off")
					assert.EqualValues(t, 3+busy, s.Rejected)
				})
			})
		}
	}
}

func TestTPE027_ARaisedMaximumCountsFromTheNextSubmissionThatDoesNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.MaximumSize(1), executor.Queue(queue.Bounded(1)))
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 2, g.Hold)
		require.ErrorIs(t, p.Execute(g.Hold), executor.ErrSaturated)
		require.NoError(t, p.SetMaximumSize(2))
		synctest.Wait()
		assert.Equal(t, sizedState{1, 1, 1}, sizedNow(p))
		pooltest.Fill(t, p, 1, g.Hold)
		assert.Equal(t, sizedState{2, 2, 1}, sizedNow(p))
		assert.ErrorIs(t, p.Execute(g.Hold), executor.ErrSaturated)
	})
}

func TestTPE027_WithGrowFirstARaisedMaximumServesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.MaximumSize(1), executor.GrowFirst())
		pooltest.Fill(t, p, 5, pooltest.NewGate(t).Hold)
		require.NoError(t, p.SetMaximumSize(3))
		synctest.Wait()
		assert.Equal(t, sizedState{3, 3, 2}, sizedNow(p))
	})
}

func TestTPE027_ARaisedMaximumLetsWaitingSubmittersIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.MaximumSize(1), executor.Queue(queue.HandOff()))
		g := pooltest.NewGate(t)
		entered := make(chan error, 3)
		pooltest.Fill(t, p, 1, g.Hold)
		for range 3 {
			go func() {
				_, err := p.SubmitContext(t.Context(), g.Hold)
				entered <- err
			}()
		}
		synctest.Wait()
		require.Empty(t, entered)
		require.NoError(t, p.SetMaximumSize(3))
		synctest.Wait()
		assert.Len(t, entered, 2)
		assert.Equal(t, sizedState{3, 3, 0}, sizedNow(p))
		g.Open()
		synctest.Wait()
		for range 3 {
			assert.NoError(t, <-entered)
		}
	})
}

// In the spirit of jtreg's TimeOutShrink.
func TestTPE028_ManyThatTimeOutTogetherLeaveTheCore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 4, executor.MaximumSize(40), executor.GrowFirst(), executor.KeepAlive(time.Second))
		for range 20 {
			sizedIdle(t, p, 40)
			probe.Elapse(time.Second - 1)
			assert.Equal(t, 40, p.Stats().Workers)
			probe.Elapse(1)
			assert.Equal(t, 4, p.Stats().Workers)
			assert.Len(t, pooltest.Workers(t), 4)
			probe.Elapse(time.Hour)
			assert.Equal(t, 4, p.Stats().Workers)
		}
	})
}

func TestTPE028_EachTaskRenewsTheKeepAliveOfItsWorkerOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 0, executor.MaximumSize(3), executor.GrowFirst(), executor.KeepAlive(10*time.Second))
		sizedIdle(t, p, 3)
		probe.Elapse(6 * time.Second)
		pooltest.Fill(t, p, 1, pooltest.Nothing)
		probe.Elapse(4 * time.Second)
		assert.Equal(t, 1, p.Stats().Workers)
		probe.Elapse(6 * time.Second)
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestTPE029_KeepAliveZeroRetiresIdleWorkersAboveTheCoreAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.MaximumSize(5), executor.GrowFirst(), executor.KeepAlive(0))
		pooltest.Fill(t, p, 8, pooltest.Sleep(time.Second))
		probe.Elapse(time.Second)
		assert.Equal(t, 3, p.Stats().Busy, "who finds work goes on")
		probe.Elapse(time.Second)
		assert.Equal(t, sizedState{2, 0, 0}, sizedNow(p))
		probe.Elapse(time.Hour)
		assert.Equal(t, sizedState{2, 0, 0}, sizedNow(p))
	})
}

func TestTPE029_TheLongestKeepAliveMeansNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 0, executor.MaximumSize(3), executor.GrowFirst(), executor.KeepAlive(math.MaxInt64))
		sizedIdle(t, p, 3)
		probe.Elapse(200 * 365 * 24 * time.Hour)
		assert.Equal(t, 3, p.Stats().Workers)
	})
}

// In the spirit of jtreg's CoreThreadTimeOut, where each submission below the core size starts a
// worker.
func TestTPE030_WithCoreTimeoutAllWorkersEndAndComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 10, executor.CoreTimeout(), executor.KeepAlive(time.Second))
		for range 3 {
			g := pooltest.NewGate(t)
			for i := range 10 {
				pooltest.Fill(t, p, 1, g.Hold)
				assert.Equal(t, i+1, p.Stats().Workers)
			}
			g.Open()
			probe.Elapse(time.Second - 1)
			assert.Equal(t, sizedState{10, 0, 0}, sizedNow(p))
			probe.Elapse(1)
			assert.Equal(t, sizedState{}, sizedNow(p))
			assert.Empty(t, pooltest.Workers(t))
		}
	})
}

func TestTPE030_SetCoreTimeoutCountsForWorkersThatAreIdleAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 4, executor.KeepAlive(time.Second))
		sizedIdle(t, p, 4)
		probe.Elapse(time.Hour)
		require.NoError(t, p.SetCoreTimeout(true))
		probe.Elapse(time.Second / 2)
		require.NoError(t, p.SetCoreTimeout(false))
		probe.Elapse(time.Hour)
		assert.Equal(t, 4, p.Stats().Workers, "it was taken back in time")
		require.NoError(t, p.SetCoreTimeout(true))
		probe.Elapse(time.Second)
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestTPE031_E12_B20_ATaskThatComesAsTheLastWorkerGivesUpRunsAtOnce(t *testing.T) {
	for name, q := range map[string]queue.Queue{
		"FIFO": queue.FIFO(), "bounded": queue.Bounded(1), "hand-off": queue.HandOff(), "priority": queue.Priority(),
	} {
		for _, core := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s, core size %d", name, core), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := pooltest.NewPool(t, core, executor.Queue(q), executor.CoreTimeout(), executor.KeepAlive(time.Second))
					for range 200 {
						pooltest.Fill(t, p, 1, pooltest.Nothing)
						time.Sleep(time.Second) // not more: the worker gives up at this instant
						start := time.Now()
						f, err := p.Submit(pooltest.Nothing)
						require.NoError(t, err)
						_, err = f.Get(t.Context())
						require.NoError(t, err)
						require.Zero(t, time.Since(start))
						synctest.Wait() // for the worker to be idle
					}
				})
			})
		}
	}
}

func TestTPE032_WorkersThatLeaveAreReplacedOnlyWhileThereIsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 3, executor.KeepAlive(time.Second))
		hours := sizedHours(t, p, 6)
		require.NoError(t, p.SetCoreSize(0))
		probe.Elapse(time.Hour)
		assert.Equal(t, sizedState{1, 1, 2}, sizedNow(p), "one stays for the queue")
		probe.Elapse(3*time.Hour + time.Second)
		hours.all(t, 6)
		assert.Equal(t, sizedState{}, sizedNow(p))
		assert.Equal(t, 3, p.Stats().Largest, "nobody was replaced")
	})
}
