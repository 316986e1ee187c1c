package workflow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/replay"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/workflow"
)

var errBoom = errors.New("boom")

// lab is a pool with a workflow, in a bubble.
type lab struct {
	*testing.T
	pool  *executor.ScheduledPool
	flow  *workflow.Workflow
	begun time.Time

	mu    sync.Mutex
	notes []string
}

// try runs a test in a bubble, with a pool of two workers.
func try(t *testing.T, test func(l *lab), opts ...executor.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		opts = append([]executor.Option{executor.Logger(slog.New(slog.DiscardHandler)),
			executor.Name("lab")}, opts...)
		l := &lab{T: t, pool: executor.NewScheduledPool(2, opts...), begun: time.Now()}
		l.flow = workflow.New(l.pool)
		test(l)
		require.NoError(t, l.pool.Close())
		s := l.pool.Stats()
		assert.EqualValues(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
	})
}

// note writes down what happens, with the seconds that have passed.
func (l *lab) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, fmt.Sprintf("%v ", time.Since(l.begun).Seconds())+fmt.Sprintf(format, args...))
}

// until waits until so many seconds have passed, and returns what has been noted since the last call.
func (l *lab) until(s float64) []string {
	time.Sleep(time.Until(l.begun.Add(time.Duration(s * float64(time.Second)))))
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	notes := l.notes
	l.notes = nil
	return notes
}

func (l *lab) apply(jobs ...workflow.Job) executor.Changes {
	l.Helper()
	plan, err := l.flow.Plan(jobs...)
	require.NoError(l, err)
	changes, err := l.flow.ApplyPlan(plan, jobs...)
	require.NoError(l, err)
	require.Equal(l, plan, changes)
	return changes
}

func (l *lab) job(name string) executor.Handle {
	l.Helper()
	h, ok := l.pool.Job(name)
	require.True(l, ok, name)
	return h
}

// demand triggers a job and waits until nothing goes on.
func (l *lab) demand(names ...string) {
	l.Helper()
	for _, name := range names {
		require.True(l, l.job(name).Trigger())
		synctest.Wait()
	}
}

// source is a job that others follow: its runs take a second and end with these errors, one after
// another.
func (l *lab) source(name string, errs ...error) workflow.Job {
	return workflow.Job{Job: executor.Job{Name: name, OnDemand: true, Task: func(context.Context) error {
		if len(errs) == 0 {
			return nil
		}
		err := errs[0]
		errs = errs[1:]
		switch err {
		case errPanic:
			panic(err)
		case errGoexit:
			runtime.Goexit()
		}
		return err
	}}}
}

var (
	errPanic  = errors.New("panic")
	errGoexit = errors.New("goexit")
)

// sink notes its runs and their causes.
func (l *lab) sink(name string, takes time.Duration, after ...workflow.Upstream) workflow.Job {
	return workflow.Job{After: after, Job: executor.Job{Name: name, Task: func(ctx context.Context) error {
		text := ""
		for _, c := range workflow.Causes(ctx) {
			text += fmt.Sprintf(" %s*%d", c.Name, c.Runs)
		}
		l.note("%s%s", name, text)
		time.Sleep(takes)
		return nil
	}}}
}

func after(names ...string) (ups []workflow.Upstream) {
	for _, name := range names {
		ups = append(ups, workflow.Upstream{Name: name, When: workflow.Always})
	}
	return ups
}

func on(name string, when workflow.Condition) workflow.Upstream {
	return workflow.Upstream{Name: name, When: when}
}

func TestAJobRunsAfterEachRunOfTheOneThatItFollows(t *testing.T) {
	try(t, func(l *lab) {
		extract := workflow.Job{Job: executor.Job{Name: "extract", Every: 10 * time.Second,
			Task: func(context.Context) error { time.Sleep(3 * time.Second); return nil }}}
		l.apply(extract, l.sink("load", time.Second, workflow.Upstream{Name: "extract"}))
		assert.Equal(t, []string{"13 load extract*1", "23 load extract*1"}, l.until(25))
		assert.Equal(t, uint64(2), l.job("load").Runs())
	})
}

// A job that is due at once may be over before Apply has returned, which may take its time with
// observers.
func TestARunThatEndsWhileApplyIsAtWorkCountsOnce(t *testing.T) {
	slow := executor.Observe(executor.Observer{Paused: func(executor.Run) { time.Sleep(2 * time.Second) }})
	try(t, func(l *lab) {
		every := workflow.Job{Job: executor.Job{Name: "every", Rate: 10 * time.Second, Task: sleep(0)}}
		held := l.source("held")
		held.Paused = true
		_, err := l.flow.Apply(l.sink("next", 0, on("every", workflow.OnSuccess)), every, held)
		require.NoError(t, err)
		assert.Equal(t, []string{"2 next every*1"}, l.until(9))

		held.Options = []executor.TaskOption{executor.Timeout(time.Second)} // replaced, and paused once more
		_, err = l.flow.Apply(l.sink("next", 0, on("every", workflow.OnSuccess)), every, held)
		require.NoError(t, err)
		assert.Equal(t, []string{"10 next every*1"}, l.until(19))
	}, slow)
}

func TestWhichRunsCount(t *testing.T) {
	for name, c := range map[string]struct {
		err                        error
		success, failure, whenever bool
	}{
		"success": {nil, true, false, true},
		"failure": {errBoom, false, true, true},
		"panic":   {errPanic, false, true, true},
		"goexit":  {errGoexit, false, true, true},
		"skipped": {executor.ErrSkipped, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			try(t, func(l *lab) {
				source := l.source("a", c.err)
				source.Options = []executor.TaskOption{executor.FailurePolicy(executor.Continue)}
				l.apply(source, l.sink("success", 0, workflow.Upstream{Name: "a"}),
					l.sink("failure", 0, on("a", workflow.OnFailure)), l.sink("whenever", 0, on("a", workflow.Always)))
				l.demand("a")
				for sink, ran := range map[string]bool{"success": c.success, "failure": c.failure, "whenever": c.whenever} {
					assert.Equal(t, ran, l.job(sink).Runs() == 1, sink)
				}
				assert.True(t, l.job("a").Trigger(), "it goes on")
			})
		})
	}
}

// Nothing that is called at the end of a run keeps others from following it.
func TestAnErrorHandlerThatEndsTheGoroutine(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a", errBoom), l.sink("b", 0, on("a", workflow.OnFailure)))
		l.demand("a")
		assert.Equal(t, []string{"0 b a*1"}, l.until(1))
	}, executor.ErrorHandler(func(context.Context, executor.Run, error) { runtime.Goexit() }))
}

func TestNoPool(t *testing.T) {
	assert.PanicsWithValue(t, "workflow: nil pool", func() { workflow.New(nil) })
}

func TestTheLastRunOfASeriesCounts(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a", errPanic), l.sink("alarm", 0, on("a", workflow.OnFailure)))
		l.demand("a")
		assert.True(t, l.job("a").State().Settled(), "a panic ends it")
		assert.Equal(t, []string{"0 alarm a*1"}, l.until(1))
		g := l.flow.Graph()
		assert.Equal(t, `for a failure of "a", which has ended`, g.Nodes[1].Waits)
		assert.True(t, g.Nodes[0].Ended)
	})
}

// Attempts are one run, by how the last ends.
func TestOnlyTheLastAttemptCounts(t *testing.T) {
	try(t, func(l *lab) {
		source := l.source("a", errBoom, errBoom, nil, errBoom, errBoom, errBoom)
		source.Options = []executor.TaskOption{
			executor.Retry(3, retry.Backoff{Base: 4 * time.Second, Factor: 1, Spread: retry.NoSpread})}
		l.apply(source, l.sink("ok", 0, on("a", workflow.OnSuccess)), l.sink("alarm", 0, on("a", workflow.OnFailure)))
		l.demand("a")
		assert.Equal(t, []string{"8 ok a*1"}, l.until(20))
		l.demand("a")
		assert.Equal(t, []string{"28 alarm a*1"}, l.until(40))
	})
}

// All attempts of the job that follows have the causes of its run.
func TestAttemptsHaveTheSameCauses(t *testing.T) {
	try(t, func(l *lab) {
		sink := l.sink("b", 0, after("a")...)
		task := sink.Task
		sink.Task = func(ctx context.Context) error { _ = task(ctx); return errBoom }
		sink.Options = []executor.TaskOption{
			executor.Retry(3, retry.Backoff{Base: 4 * time.Second, Factor: 1, Spread: retry.NoSpread})}
		l.apply(l.source("a"), sink)
		l.demand("a")
		l.until(1)
		l.demand("a", "a")
		assert.Equal(t, []string{"4 b a*1", "8 b a*1", "8 b a*2", "12 b a*2", "16 b a*2"}, l.until(30))
	})
}

// A run that times out has failed at that moment, but nothing follows it before its body returns.
func TestARunThatTimesOutIsFollowedOnceItsBodyHasReturned(t *testing.T) {
	for name, opt := range map[string]executor.TaskOption{
		"goes on": executor.FailurePolicy(executor.Continue), "ends": executor.FailurePolicy(executor.StopSeries)} {
		t.Run(name, func(t *testing.T) {
			try(t, func(l *lab) {
				slow := workflow.Job{Job: executor.Job{Name: "slow", OnDemand: true,
					Options: []executor.TaskOption{executor.Timeout(time.Second), opt},
					Task:    func(context.Context) error { time.Sleep(5 * time.Second); return nil }}}
				l.apply(slow, l.sink("alarm", 0, on("slow", workflow.OnFailure)), l.sink("ok", 0, workflow.Upstream{Name: "slow"}))
				l.demand("slow")
				assert.Equal(t, []string{"5 alarm slow*1"}, l.until(10))
			})
		})
	}
}

func TestARunThatExpiresHasFailed(t *testing.T) {
	try(t, func(l *lab) {
		late := l.source("late")
		late.Options = []executor.TaskOption{executor.BeginWithin(time.Second)}
		l.apply(late, l.sink("alarm", 0, on("late", workflow.OnFailure)))
		for range 2 { // no worker is free
			require.NoError(t, l.pool.Execute(func(context.Context) error { time.Sleep(10 * time.Second); return nil }))
		}
		synctest.Wait()
		l.demand("late")
		assert.Equal(t, []string{"10 alarm late*1"}, l.until(20))
	})
}

func TestARunThatIsCancelled(t *testing.T) {
	for name, end := range map[string]func(executor.Handle) bool{"cancel": executor.Handle.Cancel, "stop": executor.Handle.Stop} {
		t.Run(name, func(t *testing.T) {
			try(t, func(l *lab) {
				source := workflow.Job{Job: executor.Job{Name: "a", OnDemand: true, Task: func(ctx context.Context) error {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(5 * time.Second):
						return nil
					}
				}}}
				l.apply(source, l.sink("success", 0, workflow.Upstream{Name: "a"}),
					l.sink("failure", 0, on("a", workflow.OnFailure)), l.sink("whenever", 0, on("a", workflow.Always)))
				l.demand("a")
				l.until(2)
				require.True(t, end(l.job("a")))
				notes := l.until(10)
				if name == "cancel" {
					assert.Equal(t, []string{"2 whenever a*1"}, notes)
				} else {
					assert.ElementsMatch(t, []string{"5 success a*1", "5 whenever a*1"}, notes, "its body goes on")
				}
			})
		})
	}
}

func TestAllThatAJobFollowsHaveToCome(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a"), l.source("b", errBoom), l.sink("c", 0, on("a", ""), on("b", "")))
		l.demand("a", "b")
		assert.Empty(t, l.until(1), "a failure does not count")
		assert.Equal(t, `for a success of "b", whose last run failed: boom`, l.flow.Graph().Nodes[2].Waits)
		l.demand("a", "b")
		assert.Equal(t, []string{"1 c a*2 b*1"}, l.until(2), "and takes nothing back")
		l.demand("b", "b")
		assert.Empty(t, l.until(3), "each has to come again")
		l.demand("a")
		assert.Equal(t, []string{"3 c a*1 b*2"}, l.until(4))
	})
}

func TestAnyThatAJobFollowsWillDo(t *testing.T) {
	try(t, func(l *lab) {
		c := l.sink("c", 0, after("a", "b")...)
		c.Any = true
		l.apply(l.source("a"), l.source("b"), c)
		assert.Equal(t, `for a run of "a" or for a run of "b"`, l.flow.Graph().Nodes[2].Waits)
		l.demand("a")
		l.until(1)
		l.demand("b", "b")
		assert.Equal(t, []string{"1 c b*1", "1 c b*1"}, l.until(2))
	})
}

// Runs that end while the one that follows is running, or waits, lead to one more.
func TestRunsThatComeMeanwhileAreOne(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a"), l.sink("b", 10*time.Second, after("a")...))
		l.demand("a")
		l.until(1)
		l.demand("a", "a", "a")
		assert.Equal(t, []string{"10 b a*3"}, l.until(15))
		assert.Empty(t, l.until(60))
	})
	try(t, func(l *lab) {
		a := workflow.Job{Job: executor.Job{Name: "a", OnDemand: true, Task: sleep(time.Second)}}
		l.apply(a, l.sink("b", 0, after("a")...))
		require.NoError(t, l.pool.Execute(sleep(time.Hour)))
		l.demand("a", "a") // the second run, which is asked for first, comes before b
		assert.Equal(t, []string{"2 b a*2"}, l.until(10))
		assert.Equal(t, uint64(1), l.job("b").Runs())
	})
}

// What a run has missed is known to the one that follows.
func TestMissedPeriodsAreTold(t *testing.T) {
	try(t, func(l *lab) {
		first := true
		source := workflow.Job{Job: executor.Job{Name: "a", Every: time.Second, Task: func(context.Context) error {
			if first {
				first = false
				time.Sleep(5500 * time.Millisecond)
			}
			return nil
		}}}
		var causes []workflow.Cause
		sink := workflow.Job{After: after("a"), Job: executor.Job{Name: "b", Task: func(ctx context.Context) error {
			causes = append(causes, workflow.Causes(ctx)...)
			return nil
		}}}
		l.apply(source, sink)
		l.until(7.5)
		require.Len(t, causes, 2, "the late run comes before the one that follows the first")
		assert.Equal(t, uint64(2), causes[0].Runs)
		assert.Equal(t, uint64(4), causes[0].Missed)
		assert.Equal(t, uint64(2), causes[0].Last.Run.Number)
	})
}

func TestAJobThatIsPausedDoesNotFollow(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a"), l.sink("b", 0, after("a")...))
		require.True(t, l.job("b").Pause())
		l.demand("a", "a")
		assert.Empty(t, l.until(1))
		node := l.flow.Graph().Nodes[1]
		assert.Equal(t, workflow.Node{Name: "b", Paused: true, Dropped: 2, Waits: "it is paused"}, node)
		require.True(t, l.job("b").Resume())
		assert.Empty(t, l.until(2), "what was dropped does not come back")
		l.demand("a")
		assert.Equal(t, []string{"2 b a*3"}, l.until(3), "but is told")
		assert.Zero(t, l.flow.Graph().Nodes[1].Dropped)
	})
}

func TestARunThatExpiresIsToldToTheNext(t *testing.T) {
	try(t, func(l *lab) {
		a := workflow.Job{Job: executor.Job{Name: "a", OnDemand: true, Task: sleep(time.Second)}}
		b := l.sink("b", 0, after("a")...)
		b.Options = []executor.TaskOption{executor.BeginWithin(time.Second)}
		l.apply(a, b)
		require.NoError(t, l.pool.Execute(sleep(5*time.Second)))
		l.demand("a")
		require.NoError(t, l.pool.Execute(sleep(5*time.Second))) // it comes before b
		assert.Empty(t, l.until(10))
		assert.EqualValues(t, 1, l.pool.Stats().Expired)
		node := l.flow.Graph().Nodes[1]
		assert.False(t, node.Asked)
		assert.EqualValues(t, 1, node.Dropped)
		l.demand("a")
		assert.Equal(t, []string{"11 b a*2"}, l.until(20))
	})
}

func sleep(d time.Duration) executor.Task {
	return func(context.Context) error {
		time.Sleep(d)
		return nil
	}
}

func TestAPersonMayTriggerAJobThatFollows(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a"), l.sink("b", 5*time.Second, after("a")...))
		l.demand("b")
		l.demand("a")
		assert.Equal(t, []string{"0 b", "5 b a*1"}, l.until(20))
	})
}

func TestJobsFollowInAChain(t *testing.T) {
	try(t, func(l *lab) {
		a := workflow.Job{Job: executor.Job{Name: "a", Every: 10 * time.Second, Task: func(context.Context) error { return nil }}}
		l.apply(a, l.sink("b", time.Second, after("a")...), l.sink("c", time.Second, after("b")...), l.sink("d", 0, after("b", "c")...))
		assert.Equal(t, []string{"10 b a*1", "11 c b*1", "12 d b*1 c*1"}, l.until(19))
	})
}

func TestApplyKeepsWhatHasCome(t *testing.T) {
	try(t, func(l *lab) {
		a, b := l.source("a"), l.source("b")
		l.apply(a, b, l.sink("c", 0, after("a", "b")...))
		l.demand("a")
		assert.Equal(t, executor.Changes{Unchanged: []string{"a", "b", "c"}}, l.apply(a, b, l.sink("c", 0, after("a", "b")...)))
		a.Options = []executor.TaskOption{executor.Timeout(time.Minute)}
		assert.Equal(t, []string{"a"}, l.apply(a, b, l.sink("c", 0, after("a", "b")...)).Changed)
		l.demand("b")
		assert.Equal(t, []string{"0 c a*1 b*1"}, l.until(1))

		l.demand("a")
		changes := l.apply(a, b, l.sink("c", 0, on("a", workflow.OnSuccess), on("b", workflow.Always)))
		assert.Equal(t, executor.Changes{Changed: []string{"c"}, Unchanged: []string{"a", "b"},
			Why: map[string]string{"c": "after a (always) and b (always) -> a (success) and b (always)"}}, changes)
		l.demand("b")
		assert.Empty(t, l.until(2), "on another condition it has to come again")
		l.demand("a")
		assert.Equal(t, []string{"2 c a*1 b*1"}, l.until(3))
	})
}

// What a job no longer follows is not waited for any more, which may be all that was missing.
func TestApplyMayBeWhatAJobHasWaitedFor(t *testing.T) {
	try(t, func(l *lab) {
		a, b := l.source("a"), l.source("b")
		l.apply(a, b, l.sink("c", 0, after("a", "b")...))
		l.demand("a")
		l.apply(a, l.sink("c", 0, after("a")...))
		assert.Equal(t, []string{"0 c a*1"}, l.until(1))
	})
}

// A run that a job waits for when it is replaced is had by the new one.
func TestAJobThatIsReplacedHasTheRunThatItWasAskedFor(t *testing.T) {
	try(t, func(l *lab) {
		c := l.sink("c", 10*time.Second, after("a")...)
		l.apply(l.source("a"), c)
		l.demand("a")
		l.until(1)
		l.demand("a", "a")
		assert.True(t, l.flow.Graph().Nodes[1].Asked)
		c.Options = []executor.TaskOption{executor.Timeout(time.Minute)}
		assert.Equal(t, "replaced: options: Timeout", l.apply(l.source("a"), c).Why["c"])
		assert.Equal(t, []string{"10 c a*2"}, l.until(30))
	})
}

func TestAJobThatIsRemovedInARunLeadsToNothing(t *testing.T) {
	try(t, func(l *lab) {
		slow := workflow.Job{Job: executor.Job{Name: "slow", OnDemand: true, Task: func(context.Context) error {
			time.Sleep(5 * time.Second)
			return nil
		}}}
		b := l.sink("b", 0, after("slow")...)
		l.apply(slow, b)
		l.demand("slow")
		_, err := l.flow.Apply(b)
		require.ErrorIs(t, err, executor.ErrInvalid, "what it follows is no job")
		b.After = nil
		b.OnDemand = true
		l.apply(b)
		assert.Empty(t, l.until(10))
	})
}

// A job that is disabled in its run is followed by none, and one that is replaced is the same job.
func TestARunOfAJobThatIsReplacedCounts(t *testing.T) {
	try(t, func(l *lab) {
		slow := workflow.Job{Job: executor.Job{Name: "slow", OnDemand: true, Task: func(context.Context) error {
			time.Sleep(5 * time.Second)
			return nil
		}}}
		l.apply(slow, l.sink("b", 0, after("slow")...))
		l.demand("slow")
		slow.Options = []executor.TaskOption{executor.Timeout(time.Minute)}
		l.apply(slow, l.sink("b", 0, after("slow")...))
		assert.Equal(t, []string{"5 b slow*1"}, l.until(10))
	})
}

func TestADisabledJob(t *testing.T) {
	try(t, func(l *lab) {
		b, c := l.sink("b", 0, after("a")...), l.sink("c", 0, after("b")...)
		b.Disabled = true
		l.apply(l.source("a"), b, c)
		l.demand("a")
		assert.Empty(t, l.until(1))
		nodes := l.flow.Graph().Nodes
		assert.Equal(t, "it is disabled", nodes[1].Waits)
		assert.Equal(t, `for a run of "b", which is disabled`, nodes[2].Waits)
		b.Disabled = false
		l.apply(l.source("a"), b, c)
		assert.Empty(t, l.until(2), "it has not been there")
		l.demand("a")
		assert.Equal(t, []string{"2 b a*1", "2 c b*1"}, l.until(3))
	})
}

func TestAJobThatHasEndedIsStartedAgain(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a"), l.sink("b", 0, after("a")...))
		l.job("b").Cancel()
		l.demand("a")
		assert.Equal(t, "it has ended", l.flow.Graph().Nodes[1].Waits)
		require.NoError(t, l.pool.Restart("b"))
		l.demand("a")
		assert.Equal(t, []string{"0 b a*2"}, l.until(1))
	})
}

// A second workflow of the pool takes its jobs over: they are replaced, and tell that one of their
// runs.
func TestAnotherWorkflowOfThePool(t *testing.T) {
	try(t, func(l *lab) {
		a, b := l.source("a"), l.sink("b", 0, after("a")...)
		l.apply(a, b)
		l.flow = workflow.New(l.pool)
		assert.Equal(t, []string{"a", "b"}, l.apply(a, b).Changed)
		l.demand("a")
		assert.Equal(t, []string{"0 b a*1"}, l.until(1))
	})
	try(t, func(l *lab) {
		a := l.source("a")
		_, err := l.pool.Apply(a.Job)
		require.NoError(t, err)
		assert.Equal(t, "replaced: options: workflow", l.apply(a, l.sink("b", 0, after("a")...)).Why["a"])
		l.demand("a")
		assert.Equal(t, []string{"0 b a*1"}, l.until(1))
	})
}

// A shutdown ends the jobs, whatever they wait for, and nothing follows its last runs.
func TestAShutdownInEachPhase(t *testing.T) {
	for name, end := range map[string]func(*executor.ScheduledPool){
		"Shutdown":    func(p *executor.ScheduledPool) { p.Shutdown() },
		"ShutdownNow": func(p *executor.ScheduledPool) { p.ShutdownNow() },
		"Close":       func(p *executor.ScheduledPool) { go p.Close() },
	} {
		for at := range 5 {
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				try(t, func(l *lab) {
					a := workflow.Job{Job: executor.Job{Name: "a", Every: 2 * time.Second, Task: func(context.Context) error {
						time.Sleep(time.Second)
						return nil
					}}}
					l.apply(a, l.sink("b", 500*time.Millisecond, after("a")...), l.sink("c", 0, after("a", "b")...))
					l.until(1.75 + 0.5*float64(at)) // before a, in a, in b, after c
					end(l.pool)
					synctest.Wait()
					l.until(0)
					assert.Empty(t, l.until(100))
					<-l.pool.Terminated()
					_, err := l.flow.Apply(a)
					assert.ErrorIs(t, err, executor.ErrShutdown)
				})
			})
		}
	}
}

func TestWhatIsWrongIsRefused(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a"), l.sink("b", 0, after("a")...))
		timed := l.sink("b", 0, after("a")...)
		timed.Every = time.Second
		odd := l.sink("b", 0, on("a", "sometimes"))
		for text, jobs := range map[string][]workflow.Job{
			`b <- b`:                    {l.sink("b", 0, after("b")...)},
			`c <- b <- c`:               {l.source("a"), l.sink("c", 0, after("b")...), l.sink("b", 0, after("a", "c")...)},
			`"nobody", which is no job`: {l.source("a"), l.sink("b", 0, after("nobody")...)},
			`"a" twice`:                 {l.source("a"), l.sink("b", 0, after("a", "a")...)},
			`no times of its own`:       {l.source("a"), timed},
			`"sometimes" is unknown`:    {l.source("a"), odd},
			`given twice`:               {l.source("a"), l.source("a")},
		} {
			for _, call := range []func(...workflow.Job) (executor.Changes, error){l.flow.Apply, l.flow.Plan} {
				changes, err := call(jobs...)
				require.ErrorIs(t, err, executor.ErrInvalid)
				assert.ErrorContains(t, err, text)
				assert.ErrorContains(t, err, "lab")
				assert.Equal(t, executor.Changes{}, changes)
			}
		}
		l.demand("a")
		assert.Equal(t, []string{"0 b a*1"}, l.until(1), "all is as before")
		_, err := l.flow.Apply(workflow.Job{Job: executor.Job{Name: "x"}, After: after("x")})
		assert.ErrorIs(t, err, executor.ErrInvalid)
		_, err = l.flow.Apply(l.source("a"), workflow.Job{Job: executor.Job{Name: "x"}, After: after("a")})
		assert.ErrorIs(t, err, executor.ErrNilTask)
	})
}

func TestAPlanOfAWorkflowThatIsStale(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a"), l.source("b"), l.sink("c", 0, after("a")...))
		plan, err := l.flow.Plan(l.source("a"), l.source("b"), l.sink("c", 0, after("b")...))
		require.NoError(t, err)
		assert.Equal(t, "after a (always) -> b (always)", plan.Why["c"])
		l.apply(l.source("a"), l.source("b"), l.sink("c", 0, after("a", "b")...))
		now, err := l.flow.ApplyPlan(plan, l.source("a"), l.source("b"), l.sink("c", 0, after("b")...))
		require.ErrorIs(t, err, executor.ErrInvalid)
		assert.ErrorContains(t, err, "stale")
		assert.Equal(t, "after a (always) and b (always) -> b (always)", now.Why["c"])
	})
}

func TestTheCodeOfTheGuide(t *testing.T) {
	try(t, func(l *lab) {
		pool := l.pool
		hours := 0
		extract := func(context.Context) error {
			if hours++; hours == 2 {
				return errBoom
			}
			return nil
		}
		load := l.sink("load", 0).Task
		alarm := l.sink("alarm", 0).Task

		flow := workflow.New(pool)
		changes, err := flow.Apply(
			workflow.Job{Job: executor.Job{Name: "extract", Every: time.Hour, Task: extract}},
			workflow.Job{Job: executor.Job{Name: "load", Task: load},
				After: []workflow.Upstream{{Name: "extract"}}},
			workflow.Job{Job: executor.Job{Name: "alarm", Task: alarm},
				After: []workflow.Upstream{{Name: "extract", When: workflow.OnFailure}}},
		)
		require.NoError(t, err)
		assert.Len(t, changes.Added, 3)
		assert.Equal(t, []string{"3600 load extract*1", "7200 alarm extract*1"}, l.until(7201))
	})
}

func TestACallOfApplyWithinAnother(t *testing.T) {
	var l *lab
	var inner error
	try(t, func(lab *lab) {
		l = lab
		l.apply(l.source("a"))
		assert.ErrorIs(t, inner, executor.ErrRejected)
		assert.NotEmpty(t, l.flow.Graph().Nodes)
		l.apply(l.source("a"), l.source("b"))
	}, executor.Observe(executor.Observer{Submitted: func(executor.Run) {
		l.flow.Graph()
		_, inner = l.flow.Apply()
	}}))
}

func TestTheGraph(t *testing.T) {
	try(t, func(l *lab) {
		l.apply(l.source("a", nil, errBoom), l.source("b"), l.sink("c", 0, on("a", ""), on("b", workflow.Always)))
		l.demand("a", "a")
		assert.Equal(t, workflow.Graph{
			Nodes: []workflow.Node{{Name: "a"}, {Name: "b"}, {Name: "c", Waits: `for a run of "b"`}},
			Edges: []workflow.Edge{
				{From: "a", To: "c", When: workflow.OnSuccess, Met: 1, Unmet: 1, Last: "failed: boom"},
				{From: "b", To: "c", When: workflow.Always},
			},
		}, l.flow.Graph())
	})
}

// A recording of a workflow is played again with the runs at their times.
func TestAWorkflowIsPlayedAgain(t *testing.T) {
	var recording bytes.Buffer
	try(t, func(l *lab) {
		a := workflow.Job{Job: executor.Job{Name: "a", Every: 10 * time.Second, Task: sleep(2 * time.Second)}}
		l.apply(a, l.sink("b", 3*time.Second, after("a")...), l.sink("c", 0, after("a", "b")...))
		l.until(100)
	}, executor.Watch(insight.Config{Record: &recording}))
	night, err := replay.Read(&recording)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		again, err := night.Play(nil)
		require.NoError(t, err)
		require.Len(t, again.Tasks, 3)
		for i, task := range night.Tasks {
			var was, is []time.Duration
			for _, r := range task.Runs {
				was = append(was, r.Began)
			}
			for _, r := range again.Tasks[i].Runs {
				is = append(is, r.Began)
			}
			assert.Greater(t, len(was), 3)
			assert.Equal(t, was, is, task.Name)
		}
	})
}

func TestCausesElsewhere(t *testing.T) {
	assert.Empty(t, workflow.Causes(t.Context()))
	assert.Empty(t, workflow.Causes(nil)) //nolint:staticcheck // of which nothing is known
}
