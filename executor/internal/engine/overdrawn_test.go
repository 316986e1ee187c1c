package engine_test

import (
	"context"
	"os"
	"os/exec"
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
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/probe"
)

// moreValid asserts that the parts of the pool fit together. Tasks may run, but then the race
// detector does not like to see it.
func moreValid(t *testing.T, p *executor.Pool) {
	t.Helper()
	if !probe.RaceEnabled {
		assert.NoError(t, engineOf(p).Validate())
	}
}

// A wait is over before the child, which leaves the pool overdrawn, and a worker without patience.
func TestC4_WhileAPoolIsOverdrawnNoWorkerIsStartedForWhatWaits(t *testing.T) {
	inVain := []executor.Option{executor.KeepAlive(0)}
	for name, newPool := range map[string]func(t *testing.T) *executor.Pool{
		"plain": func(t *testing.T) *executor.Pool { return pooltest.NewPool(t, 0, inVain...) },
		"bounded": func(t *testing.T) *executor.Pool {
			return pooltest.NewPool(t, 0, append(inVain, executor.Queue(queue.Bounded(3)))...)
		},
		"scheduled": func(t *testing.T) *executor.Pool { return pooltest.Scheduled(t, 0, inVain...) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t)
				tr := pooltest.NewTrace()
				pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
					pooltest.Overdraw(t, ctx, p, 1)
					return 0, nil
				})
				synctest.Wait()
				require.NoError(t, p.Execute(tr.Task("next")))
				probe.Elapse(time.Minute)
				assert.Equal(t, []int{1, 0, 1}, []int{p.Stats().Busy, p.Stats().Workers, p.Stats().Queued})
				moreValid(t, p)
				probe.Elapse(time.Hour)
				assert.Equal(t, []string{"next 1h0m0s"}, tr.Seen())
				pooltest.Balanced(t, p)
			})
		})
	}
}

// The pool is overdrawn by as much as may be, so nobody can help those who ask again and again.
func TestC4_AWaitThatIsOverLeavesNothingBehindInAnOverdrawnPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			pooltest.Overdraw(t, ctx, p, 2)
			next, _ := p.Submit(pooltest.Nothing)
			for range 100 {
				_, err := next.GetTimeout(time.Millisecond)
				assert.ErrorIs(t, err, future.ErrTimeout)
			}
			assert.Zero(t, engineOf(p).Denied())
			return 0, nil
		})
		probe.Elapse(time.Minute)
		moreValid(t, p)
	})
}

// The task waits for its goroutine, in front of which many others wait for room.
func TestC4_AGoroutineOfATaskThatWaitsForRoomGetsItSoonHoweverManyAreInFront(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		parent, err := p.Submit(func(ctx context.Context) error {
			for range 100 {
				go func() { _, _ = p.SubmitContext(context.Background(), pooltest.Nothing) }()
			}
			time.Sleep(1)
			var own sync.WaitGroup
			own.Go(func() {
				_, err := p.SubmitContext(ctx, pooltest.Nothing)
				assert.NoError(t, err)
			})
			own.Wait()
			return nil
		})
		require.NoError(t, err)
		probe.Elapse(102 * pooltest.Patience)
		assert.NoError(t, pooltest.Outcome(t, parent))
		pooltest.Balanced(t, p)
	})
}

// vain are waits that nothing ends, of a goroutine on behalf of a task, which waits for it.
var vain = map[string]func(ctx context.Context, p *executor.Pool, stuck *future.Future[int]){
	"for a task": func(ctx context.Context, _ *executor.Pool, stuck *future.Future[int]) { _, _ = stuck.Get(ctx) },
	"for room": func(ctx context.Context, p *executor.Pool, _ *future.Future[int]) {
		_, _ = p.SubmitContext(ctx, pooltest.Nothing)
	},
}

// A bubble in which all wait in vain ends the test, so this one runs itself in other processes.
// While the pool goes on trying, time does.
func TestABubbleFindsOutThatAGoroutineOfATaskWaitsInVain(t *testing.T) {
	const child = "PUNCTUAL_TEST_OF_WAITING_IN_VAIN"
	wait, ok := vain[os.Getenv(child)]
	if !ok {
		for name := range vain {
			cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=1m")
			cmd.Env = append(os.Environ(), child+"="+name)
			out, err := cmd.CombinedOutput()
			assert.Error(t, err, name)
			assert.Contains(t, string(out), "deadlock: all goroutines in bubble are blocked", name)
		}
		return
	}
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Queue(queue.HandOff()))
		hold := make(chan struct{})
		stuck := pooltest.SubmitFunc(t, p, func(context.Context) (int, error) { <-hold; return 0, nil })
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			var own sync.WaitGroup
			own.Go(func() { wait(ctx, p, stuck) })
			own.Wait()
			return 0, nil
		})
		<-hold
	})
}

// There is a worker, but a task of a serial executor that is not its first needs none yet: it needs
// room in the queue.
func TestWhoWaitsForRoomDoesNotWaitBehindATaskThatNeedsRoomOfAnotherKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Queue(queue.Bounded(1)))
		s := serial.New(p)
		require.NoError(t, s.Execute(pooltest.Sleep(time.Hour)))
		synctest.Wait()
		require.NoError(t, s.Execute(pooltest.Nothing)) // takes the room
		require.NoError(t, p.Execute(pooltest.Sleep(time.Minute)))
		synctest.Wait()

		start := time.Now()
		took := func(submit func(context.Context, executor.Task, ...executor.TaskOption) (*future.Future[struct{}], error)) chan time.Duration {
			entered := make(chan time.Duration, 1)
			go func() {
				_, err := submit(context.Background(), pooltest.Nothing)
				assert.NoError(t, err)
				entered <- time.Since(start)
			}()
			synctest.Wait()
			return entered
		}
		behind, beside := took(s.SubmitContext), took(p.SubmitContext)
		assert.Equal(t, time.Minute, <-beside)
		moreValid(t, p)
		assert.Equal(t, time.Hour, <-behind)
		pooltest.Balanced(t, p)
	})
}

func TestWhoGivesUpWaitingForRoomDoesNotHoldUpThoseBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
		s := serial.New(p)
		require.NoError(t, p.Execute(pooltest.Sleep(time.Minute)))
		ctx, giveUp := context.WithCancel(context.Background())
		enter := func(submit func() error) (entered chan error) {
			entered = make(chan error, 1)
			go func() { entered <- submit() }()
			synctest.Wait()
			return entered
		}
		first := enter(func() error { _, err := s.SubmitContext(context.Background(), pooltest.Sleep(time.Hour)); return err })
		other := enter(func() error { _, err := p.SubmitContext(ctx, pooltest.Nothing); return err })
		second := enter(func() error { _, err := s.SubmitContext(context.Background(), pooltest.Nothing); return err })
		probe.Elapse(2 * time.Minute)
		require.NoError(t, <-first)
		giveUp()
		assert.ErrorIs(t, <-other, context.Canceled)
		synctest.Wait()
		assert.Len(t, second, 1, "over a hand-off the second of a serial executor waits without bounds")
	})
}

// Somebody who has kept the context of the task before asks it for a signal, and that takes so long
// that the worker is idle by then, or at the next task.
func TestTheContextOfATaskIsLiveThoughThatOfTheOneBeforeIsAskedTooLate(t *testing.T) {
	for name, late := range map[string]time.Duration{"in the run": time.Second, "idle": time.Minute, "in the next run": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1)
				var asked atomic.Bool
				defer delay.Set(func(at delay.Point) {
					if at == delay.ContextAsked && asked.CompareAndSwap(false, true) {
						time.Sleep(late)
					}
				})()
				kept := make(chan context.Context, 1)
				require.NoError(t, p.Execute(func(ctx context.Context) error { kept <- ctx; return pooltest.Sleep(2 * time.Second)(ctx) }))
				earlier := <-kept
				ended := make(chan time.Time, 1)
				go func() { <-earlier.Done(); ended <- time.Now() }()
				probe.Elapse(10 * time.Minute)
				require.Equal(t, name != "in the next run", len(ended) == 1)
				for range 2 {
					require.NoError(t, p.Execute(func(ctx context.Context) error {
						time.Sleep(2 * time.Hour)
						assert.NoError(t, ctx.Err())
						return nil
					}))
				}
				probe.Elapse(5 * time.Hour)
				assert.Len(t, ended, 1)
				assert.EqualValues(t, 3, p.Stats().Completed)
			})
		})
	}
}

// The caller of the first has run its task, and not left the pool yet, when the wait of the second
// is over: its place is the caller's, and goes with it.
func TestThePlaceOfACallerWhoIsAboutToLeaveIsGivenToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		callerRuns := executor.OnRejection(rejection.CallerRuns)
		p := pooltest.Stop(t, executor.NewPool(1, executor.Confined(), executor.Queue(queue.Bounded(1)), callerRuns))
		var left atomic.Bool
		defer delay.Set(func(at delay.Point) {
			if at == delay.ExtraRunLeaves && left.CompareAndSwap(false, true) {
				time.Sleep(10 * time.Minute)
			}
		})()
		require.NoError(t, p.Execute(pooltest.Sleep(100*time.Hour)))
		synctest.Wait()
		fills, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		resumed := make(chan time.Duration, 1)
		go func() { assert.NoError(t, p.Execute(pooltest.Sleep(30*time.Second))) }()
		synctest.Wait()
		go func() {
			assert.NoError(t, p.Execute(func(context.Context) error {
				start := time.Now()
				fills.Cancel()
				long, err := p.Submit(pooltest.Sleep(time.Hour))
				assert.NoError(t, err)
				_, _ = long.GetTimeout(time.Minute)
				resumed <- time.Since(start)
				return nil
			}))
		}()
		assert.Equal(t, time.Hour, <-resumed)
		pooltest.Balanced(t, p)
	})
}

func TestC4_AnOverdrawnPoolTakesNothingOfARowOfTasksEither(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		tr := pooltest.NewTrace()
		begin := make(chan struct{})
		require.NoError(t, p.Execute(func(context.Context) error { <-begin; return nil }))
		require.NoError(t, p.Execute(func(context.Context) error {
			pooltest.Overdraw(t, context.Background(), p, 1)
			return nil
		}))
		for range 3 {
			require.NoError(t, p.Execute(tr.Task("next")))
		}
		close(begin)
		probe.Elapse(2 * time.Hour)
		assert.Equal(t, []string{"next 1h0m0s", "next 1h0m0s", "next 1h0m0s"}, tr.Seen())
		pooltest.Balanced(t, p)
	})
}

// atErr is a context whose Err does something.
type atErr struct {
	context.Context
	do func()
}

func (c atErr) Err() error { c.do(); return c.Context.Err() }

func TestAPoolOfOneWithFixedSizesRunsNoBodyWhileAContextIsAskedForItsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, executor.NewPool(1, executor.Confined()))
		confined := 0
		_, err := p.Submit(func(ctx context.Context) error {
			child, _ := p.Submit(func(context.Context) error {
				confined++
				defer func() { confined-- }()
				return pooltest.Sleep(time.Hour)(ctx)
			})
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			start := time.Now()
			_, err := child.Get(atErr{ctx, func() { assert.Zero(t, confined) }})
			assert.NoError(t, err, "it has been settled by then")
			assert.Equal(t, time.Hour, time.Since(start))
			return nil
		})
		require.NoError(t, err)
		probe.Elapse(2 * time.Hour)
		pooltest.Balanced(t, p)
	})
}

// badValue is a context whose Value panics.
type badValue struct{ context.Context }

func (badValue) Value(any) any { panic(pooltest.ErrTask) }

// endsBadly is a context that breaks its contract when it ends.
type endsBadly struct {
	context.Context
	done chan struct{}
}

func (c endsBadly) Done() <-chan struct{} { return c.done }
func (endsBadly) Err() error              { return nil }

func TestASubmissionWithAContextThatPanicsLeavesNothingBehind(t *testing.T) {
	ways := map[string]func(ctx context.Context, p *executor.Pool){
		"SubmitContext": func(ctx context.Context, p *executor.Pool) {
			_, _ = p.SubmitContext(ctx, pooltest.Nothing)
		},
		"Block": func(ctx context.Context, p *executor.Pool) {
			_ = p.SetRejectionPolicy(rejection.Block)
			_, _ = executor.InvokeAll(ctx, p, pooltest.Seven)
		},
		"CallerRuns": func(ctx context.Context, p *executor.Pool) {
			_ = p.SetRejectionPolicy(rejection.CallerRuns)
			_, _ = executor.InvokeAll(ctx, p, pooltest.Seven)
		},
	}
	for name, submit := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
				require.NoError(t, p.Execute(pooltest.Sleep(time.Hour)))
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				assert.PanicsWithValue(t, pooltest.ErrTask, func() { submit(badValue{ctx}, p) })
				synctest.Wait()
				moreValid(t, p)
				s := p.Stats()
				assert.Equal(t, []uint64{1, 1}, []uint64{s.Accepted, uint64(s.Busy)})
				assert.NoError(t, p.Close())
				pooltest.Balanced(t, p)
			})
		})
	}
}

func TestInvokeAllEndsWithAContextThatBreaksItsContractWhileTheCallerRunsATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := endsBadly{context.Background(), make(chan struct{})}
		time.AfterFunc(time.Minute, func() { close(ctx.done) })
		start := time.Now()
		_, err := executor.InvokeAll(ctx, pooltest.NewDirectPool(t), func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		})
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

// The wait of a task ends, and leaves the pool overdrawn, when the worker that the next is handed
// to has been called and has not come yet.
func TestC4_WhatIsHandedOffDoesNotWaitThoughThePoolIsOverdrawnMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Queue(queue.HandOff()), executor.KeepAlive(time.Hour))
		var held atomic.Bool
		require.NoError(t, p.Execute(pooltest.Sleep(time.Second)))
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			time.Sleep(time.Minute) // the other worker is idle
			defer delay.Set(func(at delay.Point) {
				if at == delay.FollowerWoken && held.CompareAndSwap(false, true) {
					time.Sleep(time.Minute)
				}
			})()
			pooltest.Overdraw(t, ctx, p, 1)
			return 0, pooltest.Sleep(time.Hour)(ctx)
		})
		time.Sleep(time.Minute + time.Second/2)
		tr := pooltest.NewTrace()
		require.NoError(t, p.Execute(tr.Task("next")))
		probe.Elapse(2 * time.Hour)
		assert.Equal(t, []string{"next 59.5s"}, tr.Seen(), "as soon as the worker comes")
		pooltest.Balanced(t, p)
	})
}
