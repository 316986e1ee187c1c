package tpe_test

import (
	"context"
	"runtime"
	"slices"
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
	"github.com/punctual-go/punctual/internal/probe"
)

// Java never completes such futures.
func TestTPE046_WhatAPolicyDropsIsSettledForWhoeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t, executor.OnRejection(rejection.Discard))
		dropped, err := executor.Submit(s.Pool, func(context.Context) (int, error) { return 1, nil })
		require.NoError(t, err)
		require.NoError(t, s.SetRejectionPolicy(rejection.DiscardOldest))
		_, err = s.Submit(pooltest.Nothing)
		require.NoError(t, err)
		_, inNew := dropped.Get(nil)
		_, inOld := s.Waiting.Get(nil)
		for _, err := range []error{inNew, inOld} {
			assert.ErrorIs(t, err, future.ErrCancelled)
			assert.ErrorIs(t, err, executor.ErrSaturated)
			assert.NotErrorIs(t, err, executor.ErrShutdown)
		}
		assert.False(t, dropped.Cancel(), "it has ended")
		assert.True(t, probe.IsClosed(dropped.Stopped()) && probe.IsClosed(s.Waiting.Stopped()), "no body will run")
	})
}

func TestTPE046_InvokeAllDoesNotHangOnAPoolThatDiscards(t *testing.T) {
	for name, policy := range map[string]rejection.Policy{
		"Discard": rejection.Discard, "DiscardOldest": rejection.DiscardOldest,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := pooltest.NewFull(t, executor.OnRejection(policy))
				time.AfterFunc(time.Hour, s.Gate.Open)
				fn := func(context.Context) (int, error) { return 1, nil }
				fs, err := executor.InvokeAll(t.Context(), s.Pool, fn, fn, fn)
				require.NoError(t, err)
				require.Len(t, fs, 3)
				for _, f := range fs {
					_, settled := f.Poll()
					assert.True(t, settled)
				}
			})
		})
	}
}

func TestTPE047_ARefusedTaskMayComeAgainAndOneTaskManyTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t)
		task := s.Trace.Task("again")
		require.Equal(t, executor.ErrSaturated, s.Execute(task))
		s.Gate.Open()
		synctest.Wait()
		p := pooltest.NewPool(t, 1)
		for range 3 {
			require.NoError(t, p.Execute(task))
			require.NoError(t, s.Execute(task))
			synctest.Wait()
		}
		assert.Len(t, s.Trace.Seen(), 1+6)
	})
}

func TestTPE048_NoTaskIsRefusedByEveryEntryWithoutATrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := false
		s := pooltest.NewFull(t, executor.OnRejection(func(*rejection.Task) error { asked = true; return nil }))
		before := s.Stats()
		for _, entry := range rejEntries {
			outcome, err := entry.submit(s.Pool, nil)
			assert.Nil(t, outcome)
			assert.Equal(t, executor.ErrNilTask, err)
		}
		_, err := s.SubmitContext(t.Context(), nil)
		assert.Equal(t, executor.ErrNilTask, err)
		_, err = executor.SubmitContext[int](t.Context(), s.Pool, nil)
		assert.Equal(t, executor.ErrNilTask, err)
		assert.False(t, asked)
		assert.Equal(t, before, s.Stats())
	})
}

func TestSetRejectionPolicyCountsFromTheNextRejectionOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t, executor.OnRejection(rejection.Block))
		waiting := true
		go func() {
			assert.NoError(t, s.Execute(s.Trace.Task("waited")))
			waiting = false
		}()
		synctest.Wait()
		assert.ErrorIs(t, s.SetRejectionPolicy(nil), executor.ErrInvalid)
		require.NoError(t, s.SetRejectionPolicy(rejection.CallerRuns))
		require.NoError(t, s.Execute(s.Trace.Task("run")))
		require.NoError(t, s.SetRejectionPolicy(rejection.Abort))
		assert.Equal(t, executor.ErrSaturated, s.Execute(pooltest.Nothing))
		assert.True(t, waiting, "who waits goes on waiting")
		s.Finish()
		assert.Equal(t, []string{"run 0s", "queued 0s", "waited 0s"}, s.Trace.Seen())
		assert.Panics(t, func() { executor.OnRejection(nil) })
	})
}

func TestThePolicyMayChangeWhileTasksComeAndEveryTaskHasOneEnd(t *testing.T) {
	p := pooltest.NewPool(t, 2, executor.Queue(queue.Bounded(2)))
	var bodies, refused, dropped atomic.Int64
	policies := []rejection.Policy{rejection.Abort, rejection.CallerRuns, rejection.Discard, rejection.DiscardOldest, rejection.Block}
	const submitters, each = 8, 2000
	done := make(chan struct{}, submitters)
	for range submitters {
		go func() {
			defer func() { done <- struct{}{} }()
			for range each {
				f, err := p.Submit(func(context.Context) error { bodies.Add(1); return nil })
				if err != nil {
					refused.Add(1)
					assert.Equal(t, executor.ErrSaturated, err)
					continue
				}
				if _, err := f.Get(t.Context()); err != nil {
					dropped.Add(1)
					assert.ErrorIs(t, err, executor.ErrSaturated)
				}
			}
		}()
	}
	for left, i := submitters, 0; left > 0; i++ {
		assert.NoError(t, p.SetRejectionPolicy(policies[i%len(policies)]))
		select {
		case <-done:
			left--
		default:
			runtime.Gosched()
		}
	}
	require.NoError(t, p.Close())
	s := p.Stats()
	assert.EqualValues(t, submitters*each, bodies.Load()+refused.Load()+dropped.Load())
	assert.Equal(t, []uint64{uint64(bodies.Load()), uint64(refused.Load()), uint64(dropped.Load())},
		[]uint64{s.Completed, s.Rejected, s.Returned})
}

func TestAPolicyMayUseThePoolThatAsksIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *pooltest.Full
		s = pooltest.NewFull(t, executor.OnRejection(func(r *rejection.Task) error {
			st := s.Stats()
			assert.Equal(t, []int{1, 1}, []int{st.Busy, len(s.Queued())})
			assert.NoError(t, s.SetMaximumSize(st.Maximum+1))
			return r.Retry()
		}))
		require.NoError(t, s.Execute(s.Trace.Task("new")))
		synctest.Wait()
		assert.Equal(t, []string{"queued 0s", "new 0s"}, s.Trace.Seen(), "the new worker takes what has waited longest")
		assert.Zero(t, s.Stats().Rejected)
	})
}

// rejOnSchedule is a scheduled pool of one held worker, with as many tasks pending as may be: one,
// due in an hour.
func rejOnSchedule(t *testing.T, policy rejection.Policy) (*executor.ScheduledPool, *pooltest.Trace) {
	p := pooltest.NewScheduledPool(t, 1, executor.PendingLimit(1), executor.OnRejection(policy))
	tr := pooltest.NewTrace()
	pooltest.Schedule(t, p, time.Hour, tr.Task("pending"))
	return p, tr
}

func TestTPE040_OnAScheduledPoolExecuteAndSubmitAskThePolicyAndScheduleDoesNot(t *testing.T) {
	forNow := []string{"Execute", "Submit", "typed Submit"}
	for name, submit := range pooltest.Submissions(time.Hour) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				p, tr := rejOnSchedule(t, func(r *rejection.Task) error { asked++; return r.Run() })
				err := submit(p, tr.Task("new"))
				if slices.Contains(forNow, name) {
					assert.NoError(t, err)
					assert.Equal(t, 1, asked)
					assert.Equal(t, []string{"new 0s"}, tr.Seen())
					assert.Zero(t, p.Stats().Rejected)
					return
				}
				assert.Equal(t, executor.ErrSaturated, err)
				assert.Zero(t, asked)
				assert.EqualValues(t, 1, p.Stats().Rejected)
			})
		})
	}
}

func TestTPE042_OnAScheduledPoolThePoliciesDoAsOnAnother(t *testing.T) {
	for name, c := range map[string]struct {
		policy       rejection.Policy
		err, outcome error
		want         []string
	}{
		"Abort":         {rejection.Abort, executor.ErrSaturated, nil, []string{"pending 1h0m0s"}},
		"CallerRuns":    {rejection.CallerRuns, nil, nil, []string{"new 0s", "pending 1h0m0s"}},
		"Discard":       {rejection.Discard, nil, executor.ErrSaturated, []string{"pending 1h0m0s"}},
		"DiscardOldest": {rejection.DiscardOldest, executor.ErrSaturated, nil, []string{"pending 1h0m0s"}},
		"Block":         {rejection.Block, nil, nil, []string{"pending 1h0m0s", "new 1h0m0s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, tr := rejOnSchedule(t, c.policy)
				f, err := p.Submit(tr.Task("new"))
				assert.Equal(t, c.err, err)
				probe.Elapse(2 * time.Hour)
				if err == nil {
					assert.ErrorIs(t, pooltest.Outcome(t, f), c.outcome)
				}
				assert.Equal(t, c.want, tr.Seen())
				require.NoError(t, p.Close())
				pooltest.NothingLost(t, p.Stats())
			})
		})
	}
}

func TestTPE042_AWaitOnAScheduledPoolEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, tr := rejOnSchedule(t, rejection.CallerRuns)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := p.SubmitContext(ctx, pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(tr.Start))
		f, err := p.SubmitContext(t.Context(), tr.Task("new"))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"pending 1h0m0s", "new 1h0m0s"}, tr.Seen())
	})
}
