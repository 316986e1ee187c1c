package tpe_test

import (
	"context"
	"errors"
	"fmt"
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

// errRejPending is the outcome of a future that is not settled.
var errRejPending = errors.New("future is pending")

// rejOutcome returns a function that tells the outcome of a future.
func rejOutcome[V any](f *future.Future[V], err error) (func() error, error) {
	if f == nil {
		return nil, err
	}
	return func() error {
		r, ok := f.Poll()
		if !ok {
			return errRejPending
		}
		return r.Err
	}, err
}

// rejEntries are the ways to submit about which a policy is asked. That of Execute has no outcome.
var rejEntries = []struct {
	name   string
	submit func(p *executor.Pool, task executor.Task) (outcome func() error, err error)
}{
	{"Execute", func(p *executor.Pool, task executor.Task) (func() error, error) {
		return nil, p.Execute(task)
	}},
	{"Submit", func(p *executor.Pool, task executor.Task) (func() error, error) {
		return rejOutcome(p.Submit(task))
	}},
	{"typed Submit", func(p *executor.Pool, task executor.Task) (func() error, error) {
		return rejOutcome(executor.Submit(p, pooltest.Typed(task)))
	}},
}

var errRejOwn = errors.New("own policy")

// rejPolicies are policies with what becomes of a task without room, and of the one that waits.
var rejPolicies = []struct {
	name         string
	policy       rejection.Policy
	err          error  // what the submission returns
	outcome      error  // of the future
	ran          string // when the task ran: the one that waits runs after an hour
	drops        bool   // the one that waits does not run
	rejected     uint64
	returnedMore uint64
}{
	{name: "Abort", policy: rejection.Abort, err: executor.ErrSaturated, rejected: 1},
	{name: "CallerRuns", policy: rejection.CallerRuns, ran: "0s"},
	{name: "Discard", policy: rejection.Discard, outcome: executor.ErrSaturated, returnedMore: 1},
	{name: "DiscardOldest", policy: rejection.DiscardOldest, ran: "1h0m0s", drops: true, returnedMore: 1},
	{name: "Block", policy: rejection.Block, ran: "1h0m0s"},
	{name: "does nothing", policy: func(*rejection.Task) error { return nil },
		outcome: executor.ErrSaturated, returnedMore: 1},
	{name: "refuses", policy: func(*rejection.Task) error { return errRejOwn }, err: errRejOwn, rejected: 1},
	{name: "panics", policy: func(*rejection.Task) error { panic(errRejOwn) }, err: errRejOwn, rejected: 1},
	{name: "has placed the task and returns an error", policy: func(r *rejection.Task) error {
		_ = r.Run()
		return errRejOwn
	}, ran: "0s"},
	{name: "has placed the task and panics", policy: func(r *rejection.Task) error {
		_ = r.Run()
		panic(errRejOwn)
	}, err: errRejOwn, ran: "0s"},
	{name: "places it twice", policy: func(r *rejection.Task) error {
		return errors.Join(r.Run(), r.Run(), r.Retry(), r.Wait(nil))
	}, ran: "0s"},
	{name: "retries", policy: func(r *rejection.Task) error {
		err := r.Retry()
		for ; err == executor.ErrSaturated; err = r.Retry() {
			time.Sleep(40 * time.Minute)
		}
		return err
	}, ran: "1h20m0s"},
	{name: "makes room", policy: func(r *rejection.Task) error {
		return r.ReplaceOldest()
	}, ran: "1h0m0s", drops: true, returnedMore: 1},
}

func TestTPE040_TPE042_ATaskWithoutRoomEndsAsThePolicySays(t *testing.T) {
	for _, c := range rejPolicies {
		for _, entry := range rejEntries {
			t.Run(c.name+" by "+entry.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					asked := 0
					s := pooltest.NewFull(t, executor.OnRejection(func(r *rejection.Task) error {
						asked++
						return c.policy(r)
					}))
					before := s.Stats()
					var outcome func() error
					var err error
					go future.Invoke(t.Context(), func(context.Context) (err error) {
						outcome, err = entry.submit(s.Pool, s.Trace.Task("new"))
						return err
					}, &err)
					probe.Elapse(time.Hour)
					s.Finish()

					assert.Equal(t, 1, asked)
					assert.ErrorIs(t, err, c.err)
					if outcome != nil {
						assert.ErrorIs(t, outcome(), c.outcome)
						assert.Equal(t, c.outcome != nil, errors.Is(outcome(), future.ErrCancelled))
					}
					assert.Equal(t, entry.name != "Execute" && c.err == nil, outcome != nil)
					assert.Equal(t, c.drops, errors.Is(pooltest.Outcome(t, s.Waiting), executor.ErrSaturated))
					var want []string
					if !c.drops {
						want = append(want, "queued 1h0m0s")
					}
					if c.ran != "" {
						want = append(want, "new "+c.ran)
					}
					assert.ElementsMatch(t, want, s.Trace.Seen())
					after := s.Stats()
					assert.Equal(t, c.rejected, after.Rejected-before.Rejected)
					assert.Equal(t, 1-c.rejected, after.Accepted-before.Accepted)
					assert.Equal(t, c.returnedMore, after.Returned)
					assert.EqualValues(t, 1+len(want), after.Completed)
					pooltest.NothingLost(t, after)
				})
			})
		}
	}
}

func TestTPE040_ARefusalTellsItsCauseAndIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t)
		accepted := s.Stats().Accepted
		refused := func(cause, other error) {
			for i, entry := range rejEntries {
				before := s.Stats().Rejected
				outcome, err := entry.submit(s.Pool, s.Trace.Task("new"))
				assert.Nil(t, outcome)
				assert.ErrorIs(t, err, cause, i)
				assert.ErrorIs(t, err, executor.ErrRejected)
				assert.NotErrorIs(t, err, other)
				assert.Equal(t, before+1, s.Stats().Rejected)
			}
		}
		refused(executor.ErrSaturated, executor.ErrShutdown)
		s.Shutdown()
		refused(executor.ErrShutdown, executor.ErrSaturated)
		assert.Equal(t, accepted, s.Stats().Accepted)
		s.Finish()
		assert.Equal(t, []string{"queued 0s"}, s.Trace.Seen(), "what was accepted before still runs")
	})
}

// A shutdown while a policy decides, or while it waits, makes one refusal.
func TestTPE040_APolicyThatMeetsAShutdownRefusesOnce(t *testing.T) {
	ways := map[string]func(r *rejection.Task) error{
		"Run":   (*rejection.Task).Run,
		"Retry": (*rejection.Task).Retry,
		"Wait":  func(r *rejection.Task) error { return r.Wait(context.Background()) },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s *pooltest.Full
				s = pooltest.NewFull(t, executor.OnRejection(func(r *rejection.Task) error {
					s.Shutdown()
					return way(r)
				}))
				_, err := s.Submit(pooltest.Nothing)
				assert.ErrorIs(t, err, executor.ErrShutdown)
				assert.EqualValues(t, 1, s.Stats().Rejected)
			})
		})
	}
}

func TestTPE040_ATaskThatWaitedInVainAndIsThenRunHasNotBeenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t, executor.OnRejection(func(r *rejection.Task) error {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := r.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			return r.Run()
		}))
		f, err := s.Submit(s.Trace.Task("new"))
		require.NoError(t, err)
		assert.NoError(t, pooltest.Outcome(t, f))
		assert.Equal(t, []string{"new 1s"}, s.Trace.Seen())
		assert.Zero(t, s.Stats().Rejected)
	})
}

// Java hands the policy the task itself, or its future.
func TestTPE041_ThePolicyIsToldTheNameAndRunsTheVeryTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		s := pooltest.NewFull(t, executor.OnRejection(func(r *rejection.Task) error {
			names = append(names, r.Name())
			return r.Run()
		}))
		require.NoError(t, s.Execute(s.Trace.Task("first")))
		f, err := executor.Submit(s.Pool, func(context.Context) (int, error) { return 42, pooltest.ErrTask }, executor.Name("named"))
		require.NoError(t, err)
		r, settled := f.Poll()
		require.True(t, settled)
		assert.Equal(t, future.Result[int]{Value: 42, Err: pooltest.ErrTask}, r)
		assert.Equal(t, []string{"", "named"}, names)
		assert.Equal(t, []string{"first 0s"}, s.Trace.Seen())
	})
}

func TestTPE042_AskingAPolicyLeavesPolicyQueueAndWorkersAsTheyAre(t *testing.T) {
	for name, policy := range map[string]rejection.Policy{
		"Abort": rejection.Abort, "Discard": rejection.Discard, "CallerRuns": rejection.CallerRuns,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := pooltest.NewFull(t, executor.OnRejection(policy))
				before, queued := s.Stats(), s.Queued()
				var first error
				for i := range 3 {
					err := s.Execute(pooltest.Nothing)
					if i == 0 {
						first = err
					}
					assert.Equal(t, first, err)
				}
				after := s.Stats()
				assert.Equal(t, queued, s.Queued())
				assert.Equal(t, []int{before.Workers, before.Busy, before.Largest}, []int{after.Workers, after.Busy, after.Largest})
			})
		})
	}
}

// In Java it is not counted as the pool's.
func TestTPE043_CallerRunsRunsTheTaskOnTheSubmitterAsOneOfThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pooltest.NewFull(t, executor.OnRejection(rejection.CallerRuns))
		var goroutine string
		var during executor.Stats
		var run executor.Run
		f, err := s.Submit(func(ctx context.Context) error {
			goroutine, during = probe.Goroutine(), s.Stats()
			run, _ = executor.RunFrom(ctx)
			return pooltest.ErrTask
		}, executor.Name("mine"))
		require.NoError(t, err)
		assert.Equal(t, pooltest.ErrTask, pooltest.Outcome(t, f))
		assert.Equal(t, probe.Goroutine(), goroutine)
		assert.Equal(t, "mine", run.Name)
		assert.Equal(t, []int{1, 2, 1}, []int{during.Workers, during.Busy, during.Queued})
		after := s.Stats()
		assert.Equal(t, []uint64{1, 1, 1, 0}, []uint64{after.Completed, after.Runs, after.Failures, after.Rejected})
	})
}

func TestTPE043_TPE045_AShutDownPoolAsksNoPolicyAndDropsNobody(t *testing.T) {
	for _, c := range rejPolicies {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := false
				s := pooltest.NewFull(t, executor.OnRejection(func(r *rejection.Task) error {
					asked = true
					return c.policy(r)
				}))
				s.Shutdown()
				for _, entry := range rejEntries {
					outcome, err := entry.submit(s.Pool, s.Trace.Task("new"))
					assert.Nil(t, outcome)
					assert.Equal(t, executor.ErrShutdown, err)
				}
				assert.False(t, asked)
				assert.Equal(t, future.Pending, s.Waiting.State())
				s.Finish()
				assert.NoError(t, pooltest.Outcome(t, s.Waiting))
				assert.Equal(t, []string{"queued 0s"}, s.Trace.Seen())
			})
		})
	}
}

func TestTPE044_DiscardOldestDropsTheTaskThatWouldRunNext(t *testing.T) {
	for name, c := range map[string]struct {
		queue queue.Queue
		want  []string
	}{
		"first in, first out": {queue.Bounded(3), []string{"priority 3", "priority 2", "new"}},
		"by priority":         {queue.Priority().Bounded(3), []string{"priority 2", "priority 1", "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(c.queue), executor.OnRejection(rejection.DiscardOldest))
				gate := pooltest.NewGate(t)
				require.NoError(t, p.Execute(gate.Hold))
				synctest.Wait()
				var ran []string
				note := func(name string) executor.Task {
					return func(context.Context) error { ran = append(ran, name); return nil }
				}
				for _, n := range []int{1, 3, 2} {
					name := fmt.Sprintf("priority %d", n)
					_, err := p.Submit(note(name), executor.Priority(n))
					require.NoError(t, err)
				}
				_, err := p.Submit(note("new"))
				require.NoError(t, err)
				gate.Open()
				synctest.Wait()
				assert.Equal(t, c.want, ran)
				assert.EqualValues(t, 1, p.Stats().Returned)
			})
		})
	}
}

func TestTPE044_DiscardOldestRefusesWhereNothingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.DiscardOldest))
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		synctest.Wait()
		_, err := p.Submit(pooltest.Nothing)
		assert.Equal(t, executor.ErrSaturated, err)
		s := p.Stats()
		assert.Equal(t, []uint64{1, 1, 0}, []uint64{s.Accepted, s.Rejected, s.Returned})
	})
}
