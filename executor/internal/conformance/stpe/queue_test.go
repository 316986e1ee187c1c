package stpe_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// Here the queue is told as a list of descriptions, where Java hands out the live queue.
func TestSTPE070_QueuedListsWhatWaitsAndNotWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		start := time.Now()
		pooltest.Submit(t, p, g.Hold, executor.Name("running"))
		synctest.Wait()
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("once"))
		pooltest.AtFixedRate(t, p, 2*time.Hour, time.Minute, pooltest.Nothing, executor.Name("series"))

		queued := p.Queued()
		require.Equal(t, []string{"once", "series"}, pooltest.Names(queued))
		assert.Equal(t, time.Hour, queued[0].Scheduled.Sub(start))
		assert.Equal(t, 2*time.Hour, queued[1].Scheduled.Sub(start))
		assert.Equal(t, []bool{false, true}, []bool{queued[0].Periodic, queued[1].Periodic})
		running := p.Running()
		require.Len(t, running, 1)
		assert.Equal(t, "running", running[0].Name)
	})
}

// Java's queue is live: what a caller does to it the pool sees, and the other way round.
func TestSTPE070_QueuedIsASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Second, tr.Task("a"), executor.Name("a"))
		queued := p.Queued()
		queued[0] = executor.Pending{}
		assert.Equal(t, []string{"a"}, pooltest.Names(p.Queued()))

		before := p.Queued()
		probe.Elapse(2 * time.Second)
		assert.Equal(t, []string{"a 1s"}, tr.Seen())
		assert.Equal(t, []string{"a"}, pooltest.Names(before))
		assert.Empty(t, p.Queued())
	})
}

// Java iterates in the order of its array.
func TestSTPE071_QueuedIsInOrderOfExecution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		for _, ms := range []time.Duration{50, 40, 30, 20, 10, 30, 10} {
			pooltest.Schedule(t, p, ms*time.Millisecond, pooltest.Nothing, executor.Name(fmt.Sprintf("%d#%d", ms, p.Stats().Queued)))
		}
		want := []string{"10#4", "10#6", "20#3", "30#2", "30#5", "40#1", "50#0"}
		assert.Equal(t, want, pooltest.Names(p.Queued()))
	})
}

func TestSTPE071_QueuedIsSortedWhileTheQueueChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 100 {
					f, err := p.Schedule(time.Duration(i*7%13+g)*time.Hour, pooltest.Nothing)
					if err == nil && i%2 == 0 {
						f.Cancel()
					}
				}
			})
		}
		for range 100 {
			queued := p.Queued()
			assert.True(t, slices.IsSortedFunc(queued, func(a, b executor.Pending) int {
				return a.Scheduled.Compare(b.Scheduled)
			}))
		}
		wg.Wait()
		synctest.Wait()
		// Of the 200 not cancelled, those that the first goroutine gave no delay have run.
		due := 0
		for i := 1; i < 100; i += 2 {
			if i*7%13 == 0 {
				due++
			}
		}
		assert.Len(t, p.Queued(), 200-due)
	})
}

// Poll, drain and insertion of foreign elements, which Java's queue allows, are not offered.
func TestSTPE072_QueuedCountsTheDueAndTheNotYetDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.NewGate(t).Hold)
		synctest.Wait()
		pooltest.Submit(t, p, pooltest.Nothing)
		pooltest.Schedule(t, p, time.Minute, pooltest.Nothing)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		probe.Elapse(2 * time.Minute)
		assert.Equal(t, 3, p.Stats().Queued)
		assert.Len(t, p.Queued(), 3)
	})
}

func TestSTPE073_CancelTakesAQueuedTaskOutOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("other"))
		assert.True(t, f.Cancel())
		assert.Equal(t, []string{"other"}, pooltest.Names(p.Queued()))
		assert.False(t, f.Cancel())
		assert.Equal(t, 1, p.Stats().Queued)
	})
}

func TestSTPE073_CancelOfAFinishedTaskIsFalse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Submit(t, p, pooltest.Nothing)
		synctest.Wait()
		assert.False(t, f.Cancel())
		assert.False(t, f.Stop())
		assert.NoError(t, pooltest.Outcome(t, f))
	})
}

// Java's remove leaves a running task alone; Stop is the nearest here, and settles its future.
func TestSTPE073_StopOfARunningTaskTakesNothingOutOfTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		f := pooltest.Submit(t, p, g.Hold)
		synctest.Wait()
		pooltest.Submit(t, p, pooltest.Nothing, executor.Name("next"))
		assert.True(t, f.Stop())
		assert.Equal(t, []string{"next"}, pooltest.Names(p.Queued()))
		assert.Equal(t, 1, p.Stats().Busy)
	})
}

func TestSTPE073_WhateverIsTakenOutTheOthersRunOnTheirTimesInOrder(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 100} {
		for _, at := range []int{0, n / 3, n / 2, n - 1} {
			t.Run(fmt.Sprintf("%d of %d", at, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { withOneTakenOut(t, n, at) })
			})
		}
	}
}

func withOneTakenOut(t *testing.T, n, taken int) {
	p := pooltest.NewScheduledPool(t, 1)
	tr := pooltest.NewTrace()
	futures := make([]*executor.ScheduledFuture[struct{}], n)
	for _, i := range withShuffled(n) {
		futures[i] = pooltest.Schedule(t, p, time.Duration(i+1)*time.Second, tr.Task("task"))
	}
	require.True(t, futures[taken].Cancel())
	probe.Elapse(time.Duration(n+1) * time.Second)
	want := []string{}
	for i := range n {
		if i != taken {
			want = append(want, fmt.Sprintf("task %v", time.Duration(i+1)*time.Second))
		}
	}
	assert.Equal(t, want, tr.Seen())
}

// With the head, the last and any in the middle taken out of a deep heap.
func TestSTPE073_B13_AfterManyCancellationsTheRestRunOnTheirTimesInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		delays := rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 200).Draw(rt, "delays")
		cancelled := rapid.SliceOfNDistinct(rapid.IntRange(0, len(delays)-1), 0, len(delays), rapid.ID[int]).Draw(rt, "cancelled")
		var got, want []string
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewScheduledPool(t, 1)
			tr := pooltest.NewTrace()
			futures := make([]*executor.ScheduledFuture[struct{}], len(delays))
			for i, d := range delays {
				futures[i], _ = p.Schedule(time.Duration(d), tr.Task(fmt.Sprint("task ", i)))
			}
			for _, i := range cancelled {
				futures[i].Cancel()
			}
			probe.Elapse(time.Hour)
			got = tr.Seen()
		})
		order := make([]int, len(delays))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return delays[a] - delays[b] })
		for _, i := range order {
			if !slices.Contains(cancelled, i) {
				want = append(want, fmt.Sprintf("task %d %v", i, time.Duration(delays[i])))
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("ran %v, want %v", got, want)
		}
	})
}

// withShuffled returns the numbers below n in an order that is always the same.
func withShuffled(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return (a*7919)%1009 - (b*7919)%1009 })
	return order
}

// Java wraps every function, so that it cannot be removed by itself.
func TestSTPE074_B44_TheSameFunctionTwiceIsTwoTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		same := tr.Task("same")
		first := pooltest.Schedule(t, p, time.Second, same)
		pooltest.Schedule(t, p, 2*time.Second, same)
		require.True(t, first.Cancel())
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"same 2s"}, tr.Seen())
	})
}

// Java's remove leaves the future pending for ever.
func TestSTPE075_WhatLeavesTheQueueIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		got := make(chan error, 1)
		go func() {
			_, err := f.Get(context.Background())
			got <- err
		}()
		synctest.Wait()
		start := time.Now()
		f.Stop()
		assert.ErrorIs(t, <-got, future.ErrCancelled)
		assert.Zero(t, time.Since(start))
	})
}

// There is no purge, as nothing cancelled stays.
func TestSTPE076_NothingCancelledStaysInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4)
		futures := make([]*executor.ScheduledFuture[struct{}], 400)
		for i := range futures {
			futures[i] = pooltest.Schedule(t, p, time.Duration(i%17+1)*time.Hour, pooltest.Nothing)
		}
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := g; i < len(futures); i += 4 {
					if i%10 != 0 {
						futures[i].Cancel()
					}
				}
			})
		}
		wg.Wait()
		s := p.Stats()
		assert.Equal(t, 40, s.Queued)
		assert.EqualValues(t, 360, s.Cancelled)
		assert.Len(t, p.Queued(), 40)
	})
}

func TestSTPE077_CancellingTheLastOneShotAfterShutdownTerminates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		first := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		last := pooltest.Schedule(t, p, 2*time.Hour, pooltest.Nothing)
		p.Shutdown()
		first.Cancel()
		synctest.Wait()
		assert.False(t, probe.IsClosed(p.Terminated()))
		last.Cancel()
		synctest.Wait()
		assert.True(t, probe.IsClosed(p.Terminated()))
	})
}

func TestSTPE077_CancellingTheLastSeriesAfterShutdownTerminates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		p.SetContinuePeriodicAfterShutdown(true)
		f := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Nothing)
		p.Shutdown()
		synctest.Wait()
		assert.False(t, probe.IsClosed(p.Terminated()))
		f.Stop()
		synctest.Wait()
		assert.True(t, probe.IsClosed(p.Terminated()))
	})
}

// The following pin how waiting works: one worker waits for the head, the others to be called.

func TestANewEarlierHeadRunsOnItsTimeWhileALaterOneIsWaitedFor(t *testing.T) {
	for _, core := range []int{0, 1, 2, 8} {
		t.Run(fmt.Sprintf("core %d", core), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, core)
				tr := pooltest.NewTrace()
				for _, d := range []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond, 1} {
					pooltest.Schedule(t, p, d, tr.Task("task"))
					synctest.Wait()
				}
				probe.Elapse(2 * time.Hour)
				assert.Equal(t, []string{"task 1ns", "task 1ms", "task 1s", "task 1m0s", "task 1h0m0s"}, tr.Seen())
			})
		})
	}
}

func TestTheNextHeadRunsOnItsTimeWhenTheHeadIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		tr := pooltest.NewTrace()
		head := pooltest.Schedule(t, p, time.Second, tr.Task("head"))
		pooltest.Schedule(t, p, 2*time.Second, tr.Task("next"))
		synctest.Wait()
		head.Cancel()
		synctest.Wait()
		pooltest.Schedule(t, p, 1500*time.Millisecond, tr.Task("between"))
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"between 1.5s", "next 2s"}, tr.Seen())
	})
}

func TestABurstIsSpreadOverAllWorkersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4)
		g := pooltest.NewGate(t)
		for range 6 {
			pooltest.Schedule(t, p, time.Hour, g.Hold)
		}
		probe.Elapse(time.Hour)
		s := p.Stats()
		assert.Equal(t, []int{4, 2}, []int{s.Busy, s.Queued})
	})
}

// Against a model: in order of their times the tasks start when they are due and a worker is free.
func TestStartsAreThoseOfTheModel(t *testing.T) {
	type job struct{ Delay, Length int }
	jobs := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) job {
		return job{rapid.IntRange(-5, 60).Draw(rt, "delay"), rapid.IntRange(0, 30).Draw(rt, "length")}
	}), 1, 40)
	rapid.Check(t, func(rt *rapid.T) {
		core := rapid.IntRange(0, 5).Draw(rt, "core")
		list := jobs.Draw(rt, "jobs")
		got, want := make([]time.Duration, len(list)), make([]time.Duration, len(list))
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewScheduledPool(t, core)
			start := time.Now()
			for i, j := range list {
				_, _ = p.Schedule(time.Duration(j.Delay), func(context.Context) error {
					got[i] = time.Since(start)
					time.Sleep(time.Duration(j.Length))
					return nil
				})
			}
			probe.Elapse(time.Hour)
		})
		order := make([]int, len(list))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return max(list[a].Delay, 0) - max(list[b].Delay, 0) })
		free := make([]int, max(core, 1))
		for _, i := range order {
			slices.Sort(free)
			begin := max(free[0], list[i].Delay, 0)
			want[i], free[0] = time.Duration(begin), begin+list[i].Length
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("core %d: starts %v, want %v", core, got, want)
		}
	})
}

func TestTheEndOfTheClockDoesNotDisturbTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		synctest.Wait()
		for _, d := range []time.Duration{math.MaxInt64, 0, math.MinInt64, math.MaxInt64 - 1, 2 * time.Second} {
			pooltest.Schedule(t, p, d, tr.Task(d.String()), executor.Name(d.String()))
		}
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"0s 1s", "-2562047h47m16.854775808s 1s", "2s 2s"}, tr.Seen())
		assert.Equal(t, 2, p.Stats().Queued)
	})
}

// withPayload returns a task that holds memory, and whether that memory is still held.
func withPayload() (executor.Task, func() bool) {
	payload := new([1 << 16]byte)
	ref := weak.Make(payload)
	task := func(context.Context) error {
		payload[0]++
		return nil
	}
	return task, func() bool {
		runtime.GC()
		runtime.GC()
		return ref.Value() != nil
	}
}

func TestACancelledTaskIsReleasedWhileWorkersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 10)
		futures := make([]*executor.ScheduledFuture[struct{}], 100)
		held := make([]func() bool, len(futures))
		for i := range futures {
			task, isHeld := withPayload()
			futures[i], held[i] = pooltest.Schedule(t, p, time.Duration(i+1)*time.Hour, task), isHeld
		}
		synctest.Wait()
		require.True(t, held[0](), "a pending task is held")
		for _, f := range futures {
			require.True(t, f.Cancel())
		}
		synctest.Wait()
		for i := range held {
			assert.False(t, held[i](), "task %d", i)
			if t.Failed() {
				break
			}
		}
		runtime.KeepAlive(futures)
	})
}

func TestB_16_ATaskIsReleasedByItsEndThoughItsFutureIsKept(t *testing.T) {
	ends := map[string]func(t *testing.T, p *executor.ScheduledPool, task executor.Task) any{
		"ran": func(t *testing.T, p *executor.ScheduledPool, task executor.Task) any {
			return pooltest.Submit(t, p, task)
		},
		"series": func(t *testing.T, p *executor.ScheduledPool, task executor.Task) any {
			return pooltest.AtFixedRate(t, p, 0, time.Second, task, executor.MaxRuns(2))
		},
		"series cancelled": func(t *testing.T, p *executor.ScheduledPool, task executor.Task) any {
			f := pooltest.AtFixedRate(t, p, 0, time.Hour, task)
			synctest.Wait()
			f.Stop()
			return f
		},
		"dropped": func(t *testing.T, p *executor.ScheduledPool, task executor.Task) any {
			f := pooltest.Schedule(t, p, time.Hour, task)
			p.ShutdownNow()
			return f
		},
		"swept": func(t *testing.T, p *executor.ScheduledPool, task executor.Task) any {
			f := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, task)
			p.Shutdown()
			return f
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 2)
				task, held := withPayload()
				f := end(t, p, task)
				probe.Elapse(time.Minute)
				assert.False(t, held())
				runtime.KeepAlive(f)
				runtime.KeepAlive(p)
			})
		})
	}
}
