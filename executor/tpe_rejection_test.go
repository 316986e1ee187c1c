package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// rejPool makes a plain pool that logs nothing and, when the bubble ends, is stopped and must have
// lost no task.
func rejPool(t *testing.T, core int, opts ...executor.Option) *executor.Pool {
	t.Helper()
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	p := executor.NewPool(core, append([]executor.Option{quiet}, opts...)...)
	t.Cleanup(func() {
		p.ShutdownNow()
		<-p.Terminated()
		rejNothingLost(t, p.Stats())
	})
	return p
}

// rejNothingLost asserts what holds after the end of a pool.
func rejNothingLost(t *testing.T, s executor.Stats) {
	t.Helper()
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
	assert.Equal(t, []int{0, 0, 0}, []int{s.Workers, s.Busy, s.Queued})
}

// rejScene is a pool of one worker, which is held, with room for one task, which is taken.
type rejScene struct {
	*executor.Pool
	gate   *withGate
	trace  *withTrace
	queued *future.Future[struct{}] // of the task that waits
}

func rejFull(t *testing.T, opts ...executor.Option) *rejScene {
	t.Helper()
	s := &rejScene{
		Pool:  rejPool(t, 1, append([]executor.Option{executor.BoundedFIFO(1)}, opts...)...),
		gate:  withNewGate(t),
		trace: withNewTrace(),
	}
	require.NoError(t, s.Execute(s.gate.hold))
	var err error
	s.queued, err = s.Submit(s.trace.task("queued"), executor.Name("queued"))
	require.NoError(t, err)
	synctest.Wait()
	return s
}

// finish lets everything run, and ends the pool.
func (s *rejScene) finish() {
	s.gate.open()
	withPassed(time.Hour)
	s.Shutdown()
	<-s.Terminated()
}

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
		return rejOutcome(executor.Submit(p, theTyped(task)))
	}},
}

var errRejOwn = errors.New("own policy")

// rejPolicies are policies with what becomes of a task without room, and of the one that waits.
var rejPolicies = []struct {
	name         string
	policy       executor.RejectionPolicy
	err          error  // what the submission returns
	outcome      error  // of the future
	ran          string // when the task ran: the one that waits runs after an hour
	drops        bool   // the one that waits does not run
	rejected     uint64
	returnedMore uint64
}{
	{name: "Abort", policy: executor.Abort, err: executor.ErrSaturated, rejected: 1},
	{name: "CallerRuns", policy: executor.CallerRuns, ran: "0s"},
	{name: "Discard", policy: executor.Discard, outcome: executor.ErrSaturated, returnedMore: 1},
	{name: "DiscardOldest", policy: executor.DiscardOldest, ran: "1h0m0s", drops: true, returnedMore: 1},
	{name: "Block", policy: executor.Block, ran: "1h0m0s"},
	{name: "does nothing", policy: func(*executor.Rejection) error { return nil },
		outcome: executor.ErrSaturated, returnedMore: 1},
	{name: "refuses", policy: func(*executor.Rejection) error { return errRejOwn }, err: errRejOwn, rejected: 1},
	{name: "panics", policy: func(*executor.Rejection) error { panic(errRejOwn) }, err: errRejOwn, rejected: 1},
	{name: "has placed the task and returns an error", policy: func(r *executor.Rejection) error {
		_ = r.Run()
		return errRejOwn
	}, ran: "0s"},
	{name: "has placed the task and panics", policy: func(r *executor.Rejection) error {
		_ = r.Run()
		panic(errRejOwn)
	}, err: errRejOwn, ran: "0s"},
	{name: "places it twice", policy: func(r *executor.Rejection) error {
		return errors.Join(r.Run(), r.Run(), r.Retry(), r.Wait(nil))
	}, ran: "0s"},
	{name: "retries", policy: func(r *executor.Rejection) error {
		err := r.Retry()
		for ; err == executor.ErrSaturated; err = r.Retry() {
			time.Sleep(40 * time.Minute)
		}
		return err
	}, ran: "1h20m0s"},
	{name: "makes room", policy: func(r *executor.Rejection) error {
		return r.ReplaceOldest()
	}, ran: "1h0m0s", drops: true, returnedMore: 1},
}

func TestTPE040_TPE042_ATaskWithoutRoomEndsAsThePolicySays(t *testing.T) {
	for _, c := range rejPolicies {
		for _, entry := range rejEntries {
			t.Run(c.name+" by "+entry.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					asked := 0
					s := rejFull(t, executor.OnRejection(func(r *executor.Rejection) error {
						asked++
						return c.policy(r)
					}))
					before := s.Stats()
					var outcome func() error
					var err error
					go future.Invoke(t.Context(), func(context.Context) (err error) {
						outcome, err = entry.submit(s.Pool, s.trace.task("new"))
						return err
					}, &err)
					withPassed(time.Hour)
					s.finish()

					assert.Equal(t, 1, asked)
					assert.ErrorIs(t, err, c.err)
					if outcome != nil {
						assert.ErrorIs(t, outcome(), c.outcome)
						assert.Equal(t, c.outcome != nil, errors.Is(outcome(), future.ErrCancelled))
					}
					assert.Equal(t, entry.name != "Execute" && c.err == nil, outcome != nil)
					assert.Equal(t, c.drops, errors.Is(withOutcome(t, s.queued), executor.ErrSaturated))
					var want []string
					if !c.drops {
						want = append(want, "queued 1h0m0s")
					}
					if c.ran != "" {
						want = append(want, "new "+c.ran)
					}
					assert.ElementsMatch(t, want, s.trace.seen())
					after := s.Stats()
					assert.Equal(t, c.rejected, after.Rejected-before.Rejected)
					assert.Equal(t, 1-c.rejected, after.Accepted-before.Accepted)
					assert.Equal(t, c.returnedMore, after.Returned)
					assert.EqualValues(t, 1+len(want), after.Completed)
					rejNothingLost(t, after)
				})
			})
		}
	}
}

func TestTPE040_ARefusalTellsItsCauseAndIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := rejFull(t)
		accepted := s.Stats().Accepted
		refused := func(cause, other error) {
			for i, entry := range rejEntries {
				before := s.Stats().Rejected
				outcome, err := entry.submit(s.Pool, s.trace.task("new"))
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
		s.finish()
		assert.Equal(t, []string{"queued 0s"}, s.trace.seen(), "what was accepted before still runs")
	})
}

// A shutdown while a policy decides, or while it waits, makes one refusal.
func TestTPE040_APolicyThatMeetsAShutdownRefusesOnce(t *testing.T) {
	ways := map[string]func(r *executor.Rejection) error{
		"Run":   (*executor.Rejection).Run,
		"Retry": (*executor.Rejection).Retry,
		"Wait":  func(r *executor.Rejection) error { return r.Wait(context.Background()) },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s *rejScene
				s = rejFull(t, executor.OnRejection(func(r *executor.Rejection) error {
					s.Shutdown()
					return way(r)
				}))
				_, err := s.Submit(withNothing)
				assert.ErrorIs(t, err, executor.ErrShutdown)
				assert.EqualValues(t, 1, s.Stats().Rejected)
			})
		})
	}
}

func TestTPE040_ATaskThatWaitedInVainAndIsThenRunHasNotBeenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := rejFull(t, executor.OnRejection(func(r *executor.Rejection) error {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := r.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			return r.Run()
		}))
		f, err := s.Submit(s.trace.task("new"))
		require.NoError(t, err)
		assert.NoError(t, withOutcome(t, f))
		assert.Equal(t, []string{"new 1s"}, s.trace.seen())
		assert.Zero(t, s.Stats().Rejected)
	})
}

// Java hands the policy the task itself, or its future.
func TestTPE041_ThePolicyIsToldTheNameAndRunsTheVeryTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		s := rejFull(t, executor.OnRejection(func(r *executor.Rejection) error {
			names = append(names, r.Name())
			return r.Run()
		}))
		require.NoError(t, s.Execute(s.trace.task("first")))
		f, err := executor.Submit(s.Pool, func(context.Context) (int, error) { return 42, errWith }, executor.Name("named"))
		require.NoError(t, err)
		r, settled := f.Poll()
		require.True(t, settled)
		assert.Equal(t, future.Result[int]{Value: 42, Err: errWith}, r)
		assert.Equal(t, []string{"", "named"}, names)
		assert.Equal(t, []string{"first 0s"}, s.trace.seen())
	})
}

func TestTPE042_AskingAPolicyLeavesPolicyQueueAndWorkersAsTheyAre(t *testing.T) {
	for name, policy := range map[string]executor.RejectionPolicy{
		"Abort": executor.Abort, "Discard": executor.Discard, "CallerRuns": executor.CallerRuns,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := rejFull(t, executor.OnRejection(policy))
				before, queued := s.Stats(), s.Queued()
				var first error
				for i := range 3 {
					err := s.Execute(withNothing)
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
		s := rejFull(t, executor.OnRejection(executor.CallerRuns))
		var goroutine string
		var during executor.Stats
		var run executor.Run
		f, err := s.Submit(func(ctx context.Context) error {
			goroutine, during = theGoroutine(), s.Stats()
			run, _ = executor.RunFrom(ctx)
			return errWith
		}, executor.Name("mine"))
		require.NoError(t, err)
		assert.Equal(t, errWith, withOutcome(t, f))
		assert.Equal(t, theGoroutine(), goroutine)
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
				s := rejFull(t, executor.OnRejection(func(r *executor.Rejection) error {
					asked = true
					return c.policy(r)
				}))
				s.Shutdown()
				for _, entry := range rejEntries {
					outcome, err := entry.submit(s.Pool, s.trace.task("new"))
					assert.Nil(t, outcome)
					assert.Equal(t, executor.ErrShutdown, err)
				}
				assert.False(t, asked)
				assert.Equal(t, future.Pending, s.queued.State())
				s.finish()
				assert.NoError(t, withOutcome(t, s.queued))
				assert.Equal(t, []string{"queued 0s"}, s.trace.seen())
			})
		})
	}
}

func TestTPE044_DiscardOldestDropsTheTaskThatWouldRunNext(t *testing.T) {
	for name, c := range map[string]struct {
		queue executor.Queue
		want  []string
	}{
		"first in, first out": {executor.BoundedFIFO(3), []string{"priority 3", "priority 2", "new"}},
		"by priority":         {executor.PriorityFIFO().Bounded(3), []string{"priority 2", "priority 1", "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := rejPool(t, 1, c.queue, executor.OnRejection(executor.DiscardOldest))
				gate := withNewGate(t)
				require.NoError(t, p.Execute(gate.hold))
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
				gate.open()
				synctest.Wait()
				assert.Equal(t, c.want, ran)
				assert.EqualValues(t, 1, p.Stats().Returned)
			})
		})
	}
}

func TestTPE044_DiscardOldestRefusesWhereNothingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := rejPool(t, 1, executor.HandOff(), executor.OnRejection(executor.DiscardOldest))
		require.NoError(t, p.Execute(withNewGate(t).hold))
		synctest.Wait()
		_, err := p.Submit(withNothing)
		assert.Equal(t, executor.ErrSaturated, err)
		s := p.Stats()
		assert.Equal(t, []uint64{1, 1, 0}, []uint64{s.Accepted, s.Rejected, s.Returned})
	})
}
