package future_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

var (
	errBoom  = errors.New("boom")
	errOther = errors.New("other")
)

// Bodies that end at once.
func seven(context.Context) (int, error) { return 7, nil }
func fails(context.Context) (int, error) { return 0, errBoom }

// Ways for a held body to end.
func value() (int, error)   { return 7, nil }
func failure() (int, error) { return 3, errBoom }
func crash() (int, error)   { panic(errBoom) }
func exit() (int, error)    { runtime.Goexit(); return 0, nil }

// held is a task for use in a bubble. Its body waits, heedless of its context, until the test
// says how it ends.
type held struct {
	*future.Task[int]
	ctx  context.Context // of the last run begun
	runs int
	do   chan func()
	end  chan func() (int, error)
}

func newHeld() *held {
	h := &held{do: make(chan func()), end: make(chan func() (int, error))}
	h.Task = future.NewTask(func(ctx context.Context) (int, error) {
		h.ctx = ctx
		h.runs++
		for {
			select {
			case f := <-h.do:
				f()
			case end := <-h.end:
				return end()
			}
		}
	})
	return h
}

// inside calls f in the body in progress, and returns when that, or f, waits or is over.
func (h *held) inside(f func()) {
	h.do <- f
	synctest.Wait()
}

// start calls Run and returns when the body is in progress.
func (h *held) start(ctx context.Context) {
	go h.Run(ctx)
	synctest.Wait()
}

// startAgain calls RunAndReset and returns when the body is in progress. The answer comes later.
func (h *held) startAgain(ctx context.Context) (reset <-chan bool) {
	answer := make(chan bool, 1)
	go func() { answer <- h.RunAndReset(ctx) }()
	synctest.Wait()
	return answer
}

// finish ends the body in progress and returns when all that follows from it has happened.
func (h *held) finish(how func() (int, error)) {
	h.end <- how
	synctest.Wait()
}

// inBackground calls wait in a goroutine and delivers its answer.
func inBackground(wait func() (int, error)) <-chan future.Result[int] {
	answer := make(chan future.Result[int], 1)
	go func() {
		v, err := wait()
		answer <- future.Result[int]{Value: v, Err: err}
	}()
	return answer
}

// ended returns a context that has been cancelled with cause.
func ended(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	return ctx
}

// requireOutcome checks all ways to ask a settled future, those that would rather not wait
// included.
func requireOutcome(t *testing.T, f *future.Future[int], value int, err error) {
	t.Helper()
	answers := []func() (int, error){
		func() (int, error) { return f.Get(context.Background()) },
		func() (int, error) { return f.Get(ended(errOther)) },
		func() (int, error) { return f.GetTimeout(time.Hour) },
		func() (int, error) { return f.GetTimeout(math.MinInt64) },
		func() (int, error) { r, _ := f.Poll(); return r.Value, r.Err },
	}
	for _, answer := range answers {
		v, e := answer()
		require.Equal(t, value, v)
		require.True(t, err == e, "got %v, want %v itself", e, err)
	}
	require.True(t, probe.IsClosed(f.Done()))
	require.True(t, f.State().Settled())
}

// requireImmutable checks that nothing that could settle the future of p has an effect any more.
func requireImmutable(t *testing.T, p *future.Promise[int]) {
	t.Helper()
	f := p.Future()
	before, ok := f.Poll()
	state := f.State()
	require.True(t, ok)
	require.False(t, p.Complete(99))
	require.False(t, p.Fail(errOther))
	require.False(t, f.Cancel())
	require.False(t, f.CancelCause(errOther))
	require.False(t, f.Stop())
	after, _ := f.Poll()
	require.Equal(t, before, after)
	require.Equal(t, state, f.State())
}

// Java throws a NullPointerException.
func TestFT001_FT002_NewTaskOfANilFunctionPanics(t *testing.T) {
	assert.Panics(t, func() { future.NewTask[int](nil) })
	var fn future.Func[string]
	assert.Panics(t, func() { future.NewTask(fn) })
}

func TestFT003_FreshTaskIsPendingAndHasItsValueAfterOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		f := h.Future()
		assert.Equal(t, future.Pending, f.State())
		assert.False(t, probe.IsClosed(f.Done()))
		_, ok := f.Poll()
		assert.False(t, ok)

		h.start(t.Context())
		h.finish(value)
		requireOutcome(t, f, 7, nil)
		assert.Equal(t, future.Succeeded, f.State())
		assert.Equal(t, 1, h.runs)
	})
}

func TestFT004_RunOfASettledTaskDoesNothing(t *testing.T) {
	runs := 0
	task := future.NewTask(func(context.Context) (int, error) { runs++; return runs, nil })
	task.Run(t.Context())
	task.Run(t.Context())
	assert.False(t, task.RunAndReset(t.Context()))
	assert.Equal(t, 1, runs)
	requireOutcome(t, task.Future(), 1, nil)
}

func TestFT004_RunOfARunningTaskReturnsAtOnceWithoutReentry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		h.start(t.Context())
		h.Run(t.Context())
		assert.False(t, h.RunAndReset(t.Context()))
		assert.Equal(t, future.Running, h.Future().State())
		h.finish(value)
		assert.Equal(t, 1, h.runs)
		requireOutcome(t, h.Future(), 7, nil)
	})
}

func TestFT004_BodyCannotReenterItself(t *testing.T) {
	runs := 0
	var task *future.Task[int]
	task = future.NewTask(func(ctx context.Context) (int, error) {
		runs++
		task.Run(ctx)
		if task.RunAndReset(ctx) {
			return 0, errBoom
		}
		return 7, nil
	})
	task.Run(t.Context())
	assert.Equal(t, 1, runs)
	requireOutcome(t, task.Future(), 7, nil)
}

func TestFT005_RunAndResetLeavesTheTaskFreshAnyNumberOfTimes(t *testing.T) {
	runs := 0
	task := future.NewTask(func(context.Context) (int, error) { runs++; return runs, nil })
	f := task.Future()
	for n := 1; n <= 100; n++ {
		require.True(t, task.RunAndReset(t.Context()))
		require.Equal(t, n, runs)
		require.Equal(t, future.Pending, f.State())
		_, ok := f.Poll()
		require.False(t, ok)
		require.False(t, probe.IsClosed(f.Done()))
	}
	task.Run(t.Context())
	requireOutcome(t, f, 101, nil)
}

func TestFT006_RunAndResetAfterCancellationDoesNotRun(t *testing.T) {
	for name, cancel := range cancellations {
		t.Run(name, func(t *testing.T) {
			task := future.NewTask(func(context.Context) (int, error) { panic("must not run") })
			require.True(t, cancel(task.Future()))
			assert.False(t, task.RunAndReset(t.Context()))
			assert.Equal(t, future.Cancelled, task.Future().State())
			requireOutcome(t, task.Future(), 0, future.ErrCancelled)
		})
	}
}

// cancellations are the two ways to cancel without a reason.
var cancellations = map[string]func(*future.Future[int]) bool{
	"Cancel": (*future.Future[int]).Cancel,
	"Stop":   (*future.Future[int]).Stop,
}

func TestFT007_RunAndResetOfAFailingBodySettlesTheFuture(t *testing.T) {
	task := future.NewTask(func(context.Context) (int, error) { return failure() })
	assert.False(t, task.RunAndReset(t.Context()))
	assert.Equal(t, future.StateFailed, task.Future().State())
	// No run of a series keeps its value.
	requireOutcome(t, task.Future(), 0, errBoom)
	assert.False(t, task.RunAndReset(t.Context()), "a failed task must not run again")
}

func TestFT007_RunAndResetOfAPanickingBodySettlesTheFuture(t *testing.T) {
	task := future.NewTask(func(context.Context) (int, error) { panic(errBoom) })
	assert.False(t, task.RunAndReset(t.Context()))
	_, err := task.Future().Get(t.Context())
	assert.ErrorIs(t, err, errBoom)
	assert.Equal(t, future.StateFailed, task.Future().State())
}

func TestFT007_RunAndResetOfABodyCancelledMeanwhileEndsTheSeries(t *testing.T) {
	for name, cancel := range cancellations {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHeld()
				reset := h.startAgain(t.Context())
				require.True(t, cancel(h.Future()))
				h.finish(value)
				assert.False(t, <-reset)
				requireOutcome(t, h.Future(), 0, future.ErrCancelled)
				assert.True(t, probe.IsClosed(h.Future().Stopped()))
			})
		})
	}
}

func TestFT010_CompletedPromiseCannotBeChanged(t *testing.T) {
	p := future.NewPromise[int]()
	require.True(t, p.Complete(7))
	requireOutcome(t, p.Future(), 7, nil)
	assert.Equal(t, future.Succeeded, p.Future().State())
	requireImmutable(t, p)
}

// Java wraps it in an ExecutionException; here it is the error itself.
func TestFT011_FailedPromiseGivesTheVeryErrorAndCannotBeChanged(t *testing.T) {
	p := future.NewPromise[int]()
	require.True(t, p.Fail(errBoom))
	requireOutcome(t, p.Future(), 0, errBoom)
	assert.Equal(t, future.StateFailed, p.Future().State())
	requireImmutable(t, p)
}

func TestFT012_FirstToSettleWins(t *testing.T) {
	settle := map[string]struct {
		first func(*future.Promise[int]) bool
		state future.State
	}{
		"Complete":    {func(p *future.Promise[int]) bool { return p.Complete(7) }, future.Succeeded},
		"Fail":        {func(p *future.Promise[int]) bool { return p.Fail(errBoom) }, future.StateFailed},
		"Cancel":      {func(p *future.Promise[int]) bool { return p.Future().Cancel() }, future.Cancelled},
		"CancelCause": {func(p *future.Promise[int]) bool { return p.Future().CancelCause(errBoom) }, future.Cancelled},
		"Stop":        {func(p *future.Promise[int]) bool { return p.Future().Stop() }, future.Cancelled},
	}
	for name, s := range settle {
		t.Run(name, func(t *testing.T) {
			p := future.NewPromise[int]()
			require.True(t, s.first(p))
			assert.Equal(t, s.state, p.Future().State())
			requireImmutable(t, p)
		})
	}
}

func TestFT018_FT019_TaskCancelledBeforeItsRunNeverRuns(t *testing.T) {
	for name, cancel := range cancellations {
		t.Run(name, func(t *testing.T) {
			task := future.NewTask(func(context.Context) (int, error) { panic("must not run") })
			f := task.Future()
			require.True(t, cancel(f))
			task.Run(t.Context())
			assert.Equal(t, future.Cancelled, f.State())
			requireOutcome(t, f, 0, future.ErrCancelled)
			assert.True(t, probe.IsClosed(f.Stopped()))
		})
	}
}

func TestFT020_FT021_CancellationAfterTheEndIsRefusedAndTheValueKept(t *testing.T) {
	for name, cancel := range cancellations {
		t.Run(name, func(t *testing.T) {
			task := future.NewTask(seven)
			task.Run(t.Context())
			assert.False(t, cancel(task.Future()))
			assert.Equal(t, future.Succeeded, task.Future().State())
			requireOutcome(t, task.Future(), 7, nil)
		})
	}
}

func TestFT022_CancelOfARunningTaskSettlesBeforeTheBodyEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		f := h.Future()
		h.start(t.Context())
		require.NoError(t, h.ctx.Err())
		require.True(t, f.Cancel())

		assert.ErrorIs(t, h.ctx.Err(), context.Canceled)
		assert.Equal(t, future.Cancelled, f.State())
		assert.True(t, probe.IsClosed(f.Done()))
		assert.False(t, probe.IsClosed(f.Stopped()))

		h.finish(value)
		requireOutcome(t, f, 0, future.ErrCancelled)
		assert.True(t, probe.IsClosed(f.Stopped()))
	})
}

func TestFT024_FailureAfterCancelIsDropped(t *testing.T) {
	for name, how := range map[string]func() (int, error){"error": failure, "panic": crash, "goexit": exit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHeld()
				h.start(t.Context())
				require.True(t, h.Future().Cancel())
				h.finish(how)
				assert.Equal(t, future.Cancelled, h.Future().State())
				requireOutcome(t, h.Future(), 0, future.ErrCancelled)
				assert.True(t, probe.IsClosed(h.Future().Stopped()))
			})
		})
	}
}

func TestFT025_StopLetsTheBodyFinishInPeaceAndDropsItsResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		f := h.Future()
		h.start(t.Context())
		done := h.ctx.Done()
		require.True(t, f.Stop())
		synctest.Wait()
		assert.NoError(t, h.ctx.Err())
		assert.False(t, probe.IsClosed(done))
		assert.False(t, probe.IsClosed(f.Stopped()))

		h.finish(value)
		requireOutcome(t, f, 0, future.ErrCancelled)
		assert.True(t, probe.IsClosed(f.Stopped()))
	})
}

// waiters starts one waiter of each kind.
func waiters(ctx context.Context, f *future.Future[int]) []<-chan future.Result[int] {
	return []<-chan future.Result[int]{
		inBackground(func() (int, error) { return f.Get(ctx) }),
		inBackground(func() (int, error) { return f.GetTimeout(time.Hour) }),
		inBackground(func() (int, error) { <-f.Done(); r, _ := f.Poll(); return r.Value, r.Err }),
		inBackground(func() (int, error) { <-f.Done(); return f.GetTimeout(0) }),
	}
}

func TestFT026_WaitersBlockUntilTheTaskHasRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		answers := waiters(t.Context(), h.Future())
		h.start(t.Context())
		for _, a := range answers {
			require.Empty(t, a, "released before the end")
		}
		h.finish(value)
		for _, a := range answers {
			require.Len(t, a, 1)
			assert.Equal(t, future.Result[int]{Value: 7}, <-a)
		}
	})
}

func TestFT027_WaitersBlockUntilThePromiseIsCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		answers := waiters(t.Context(), p.Future())
		time.Sleep(time.Minute)
		for _, a := range answers {
			require.Empty(t, a, "released before the end")
		}
		require.True(t, p.Complete(7))
		synctest.Wait()
		for _, a := range answers {
			require.Len(t, a, 1)
			assert.Equal(t, future.Result[int]{Value: 7}, <-a)
		}
	})
}

func TestFT028_CancellationReleasesWaitersWithoutWaitingForTheBody(t *testing.T) {
	for name, cancel := range cancellations {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHeld()
				answers := waiters(t.Context(), h.Future())
				h.start(t.Context())
				require.True(t, cancel(h.Future()))
				synctest.Wait()
				for _, a := range answers {
					require.Len(t, a, 1)
					r := <-a
					assert.Equal(t, future.ErrCancelled, r.Err)
					assert.Zero(t, r.Value)
				}
				h.finish(value)
			})
		})
	}
}

// Java wraps it in an ExecutionException; here it is the error itself.
func TestFT029_FT030_FailureReachesGetAndTimedGetAsTheVeryError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		answers := waiters(t.Context(), h.Future())
		h.start(t.Context())
		h.finish(func() (int, error) { return 0, errBoom })
		for _, a := range answers {
			assert.Same(t, errBoom, (<-a).Err)
		}
		requireOutcome(t, h.Future(), 0, errBoom)
	})
}

// Java clears the interrupt; a context stays ended.
func TestFT031_GetWithAnEndedContextReturnsAtOnceAndLeavesTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := newHeld()
		h.start(t.Context())
		_, err := h.Future().Get(ended(nil))
		assert.Equal(t, context.Canceled, err)
		assert.Zero(t, time.Since(start))
		assert.Equal(t, future.Running, h.Future().State())
		assert.NoError(t, h.ctx.Err())
		h.finish(value)
		requireOutcome(t, h.Future(), 7, nil)
	})
}

func TestFT031_EndOfTheWaitersContextEndsTheWaitOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		h.start(t.Context())
		ctx, cancel := context.WithCancelCause(t.Context())
		answer := inBackground(func() (int, error) { return h.Future().Get(ctx) })
		time.Sleep(time.Second)
		require.Empty(t, answer)
		cancel(errOther)
		r := <-answer
		assert.ErrorIs(t, r.Err, context.Canceled)
		assert.ErrorIs(t, r.Err, errOther)
		assert.Zero(t, r.Value)
		assert.Equal(t, future.Running, h.Future().State())
		h.finish(value)
		requireOutcome(t, h.Future(), 7, nil)
	})
}

func TestGetTellsACauseThatIsItselfACancellation(t *testing.T) {
	cause := errors.Join(errOther, context.Canceled)
	_, err := future.NewPromise[int]().Future().Get(ended(cause))
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, errOther)
}

func TestFT032_CancellationOfATimedWaitBeatsItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := future.NewPromise[int]().Future()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		answer := inBackground(func() (int, error) { return f.Get(ctx) })
		time.Sleep(time.Second)
		cancel()
		assert.Equal(t, context.Canceled, (<-answer).Err)

		expired, release := context.WithTimeout(ended(nil), -1)
		defer release()
		_, err := f.Get(expired)
		assert.Equal(t, context.Canceled, err)
	})
}

func TestFT033_A15_GetOfASettledFutureIgnoresAnEndedContext(t *testing.T) {
	v, err := future.Of(7).Get(ended(errOther))
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
	_, err = future.Failed[int](errBoom).Get(ended(errOther))
	assert.Same(t, errBoom, err)
}

func TestFT034_TimedGetExpiresExactlyAndLeavesTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		h.start(t.Context())
		for _, d := range []time.Duration{1, time.Millisecond, 100 * time.Hour} {
			start := time.Now()
			_, err := h.Future().GetTimeout(d)
			assert.EqualError(t, err, "future: not settled after "+d.String())
			assert.ErrorIs(t, err, future.ErrTimeout)
			assert.Equal(t, d, time.Since(start))
		}
		assert.Equal(t, future.Running, h.Future().State())
		assert.NoError(t, h.ctx.Err())
		h.finish(value)
		requireOutcome(t, h.Future(), 7, nil)
	})
}

func TestFT034_TimedGetReturnsAtTheInstantOfTheOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		time.AfterFunc(time.Second-1, func() { p.Complete(7) })
		start := time.Now()
		v, err := p.Future().GetTimeout(time.Second)
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
		assert.Equal(t, time.Second-1, time.Since(start))
	})
}

func TestFT036_A16_TimeoutsThatAreNotPositiveDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := future.NewPromise[int]().Future()
		for _, d := range []time.Duration{0, -1, math.MinInt64} {
			_, err := f.GetTimeout(d)
			assert.Equal(t, future.ErrTimeout, err)
		}
		assert.Zero(t, time.Since(start))
	})
}

func TestFT036_A16_LongestTimeoutDoesNotOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		time.AfterFunc(time.Hour, func() { p.Complete(7) })
		v, err := p.Future().GetTimeout(math.MaxInt64)
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
	})
}

func TestFT037_StringTellsTheStateAndTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		assert.Equal(t, "future(pending)", h.Future().String())
		h.start(t.Context())
		assert.Equal(t, "future(running)", h.Future().String())
		h.finish(value)
		assert.Equal(t, "future(succeeded)", h.Future().String())
		assert.Equal(t, "future(failed: boom)", future.Failed[int](errBoom).String())

		p := future.NewPromise[int]()
		p.Future().Cancel()
		assert.Equal(t, "future(cancelled: future: cancelled)", p.Future().String())
		p = future.NewPromise[int]()
		p.Future().CancelCause(errBoom)
		assert.Equal(t, "future(cancelled: future: cancelled: boom)", p.Future().String())
	})
}

func TestFT040_SettledFutureAnswersWhateverTheWaiterSays(t *testing.T) {
	for _, how := range []func(context.Context) (int, error){seven, fails} {
		task := future.NewTask(how)
		task.Run(t.Context())
		v, err := how(nil)
		requireOutcome(t, task.Future(), v, err)
	}
	task := future.NewTask(seven)
	task.Future().Cancel()
	requireOutcome(t, task.Future(), 0, future.ErrCancelled)
}

// There is no done-hook; the watchers behind Completed are what comes closest.
func TestFT041_EveryKindOfEndIsToldOnceAndWhenSettled(t *testing.T) {
	ends := map[string]func(*future.Promise[int]){
		"value":        func(p *future.Promise[int]) { p.Complete(7) },
		"failure":      func(p *future.Promise[int]) { p.Fail(errBoom) },
		"cancellation": func(p *future.Promise[int]) { p.Future().Cancel() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := future.NewPromise[int]()
				told, early := 0, 0
				go func() {
					for range future.Completed(context.Background(), p.Future()) {
						told++
						if !p.Future().State().Settled() {
							early++
						}
					}
				}()
				synctest.Wait()
				assert.Zero(t, told)
				end(p)
				end(p)
				synctest.Wait()
				assert.Equal(t, 1, told)
				assert.Zero(t, early)
			})
		})
	}
}

// There is no done-hook; a dependent function is what comes closest. Java lets it throw into set.
func TestFT042_PanickingDependentDoesNotReachTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		dependent := future.Then(p.Future(), func(int) (int, error) { panic(errBoom) })
		assert.True(t, p.Complete(7))
		_, err := dependent.Get(t.Context())
		assert.ErrorIs(t, err, errBoom)
		requireOutcome(t, p.Future(), 7, nil)
	})
}

func TestFT043_BodyMayCancelItself(t *testing.T) {
	var task *future.Task[int]
	var won bool
	var during, after error
	var ctx context.Context
	task = future.NewTask(func(c context.Context) (int, error) {
		ctx = c
		won = task.Future().Cancel()
		during = ctx.Err()
		return 7, nil
	})
	task.Run(t.Context())
	after = ctx.Err()
	assert.True(t, won)
	assert.Equal(t, context.Canceled, during)
	assert.Equal(t, context.Canceled, after)
	requireOutcome(t, task.Future(), 0, future.ErrCancelled)
	assert.True(t, probe.IsClosed(task.Future().Stopped()))
}

func TestFT045_FutureIsCancelledBeforeTheBodyHearsOfIt(t *testing.T) {
	for range 1_000 { // real goroutines: the order, not the moment, is promised
		var task *future.Task[int]
		begun := make(chan struct{})
		var seen future.State
		task = future.NewTask(func(ctx context.Context) (int, error) {
			done := ctx.Done()
			close(begun)
			<-done
			seen = task.Future().State()
			return 7, nil
		})
		go task.Run(context.Background())
		<-begun
		task.Future().Cancel()
		<-task.Future().Stopped()
		require.Equal(t, future.Cancelled, seen)
	}
}

// big is what a body holds on to in the tests of memory.
type big [1 << 20]byte

// taskHolding returns a task whose body holds a large object, and a way to look whether it still
// exists.
//
//go:noinline
func taskHolding() (*future.Task[*int], weak.Pointer[big]) {
	b := new(big)
	return future.NewTask(func(context.Context) (*int, error) {
		n := int(b[0]) + 7
		return &n, nil
	}), weak.Make(b)
}

func TestFT046_BodyIsReleasedAfterTheRunAndTheResultKept(t *testing.T) {
	task, body := taskHolding()
	task.Run(context.Background())
	f := task.Future()
	runtime.GC()
	assert.True(t, body.Value() == nil, "the future keeps what the body refers to")
	v, err := f.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 7, *v)
}

func TestFT046_BodyIsReleasedByACancellationBeforeTheRun(t *testing.T) {
	task, body := taskHolding()
	f := task.Future()
	f.Cancel()
	task.Run(context.Background()) // what an executor does with it, if anything
	runtime.GC()
	assert.True(t, body.Value() == nil, "the future keeps what the body refers to")
	runtime.KeepAlive(f)
}

func TestFT047_CancelledLoopsEndAndTheOneLeftSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, spared = 50, 17
		var tasks [n]*future.Task[int]
		for i := range tasks {
			tasks[i] = future.NewTask(func(ctx context.Context) (int, error) {
				for turns := range 1_000 {
					select {
					case <-ctx.Done():
						return turns, ctx.Err()
					case <-time.After(time.Second):
					}
				}
				return i, nil
			})
			go tasks[i].Run(t.Context())
		}
		time.Sleep(10*time.Second + time.Millisecond)
		start := time.Now()
		for i, task := range tasks {
			if i != spared {
				require.True(t, task.Future().Cancel())
			}
		}
		for i, task := range tasks {
			if i != spared {
				<-task.Future().Stopped()
			}
		}
		assert.Zero(t, time.Since(start), "a cancelled loop went on")
		v, err := tasks[spared].Future().Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, spared, v)
	})
}

func TestFT048_StateAndPollNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := newHeld()
		f := h.Future()
		look := func(want future.State, settled bool) {
			t.Helper()
			assert.Equal(t, want, f.State())
			_, ok := f.Poll()
			assert.Equal(t, settled, ok)
			assert.Equal(t, settled, f.State().Settled())
		}
		look(future.Pending, false)
		h.start(t.Context())
		look(future.Running, false)
		h.finish(value)
		look(future.Succeeded, true)
		f = future.Failed[int](errBoom)
		look(future.StateFailed, true)
		f = future.NewPromise[int]().Future()
		f.Cancel()
		look(future.Cancelled, true)
		assert.Zero(t, time.Since(start))
	})
}

func TestFT048_StatesHaveNames(t *testing.T) {
	names := map[future.State]string{
		future.Pending: "pending", future.Running: "running", future.Succeeded: "succeeded",
		future.StateFailed: "failed", future.Cancelled: "cancelled", future.State(99): "invalid",
	}
	for state, name := range names {
		assert.Equal(t, name, state.String())
	}
}

func TestFT049_ExactlyOneCancellationReturnsTrue(t *testing.T) {
	calls := map[string]func(*future.Future[int]) bool{
		"Cancel":      (*future.Future[int]).Cancel,
		"Stop":        (*future.Future[int]).Stop,
		"CancelCause": func(f *future.Future[int]) bool { return f.CancelCause(errBoom) },
	}
	for first, a := range calls {
		for second, b := range calls {
			f := future.NewTask(seven).Future()
			assert.True(t, a(f), first)
			assert.Equal(t, future.Cancelled, f.State())
			assert.False(t, b(f), second)
			assert.Equal(t, future.Cancelled, f.State())
		}
	}
}

func TestNilContextNeverEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		time.AfterFunc(100*time.Hour, func() { p.Complete(7) })
		v, err := p.Future().Get(nil)
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
	})
}

func TestNilContextIsBackgroundForARun(t *testing.T) {
	var ctxErr error
	task := future.NewTask(func(ctx context.Context) (int, error) {
		ctxErr = ctx.Err()
		return 7, nil
	})
	task.Run(nil)
	assert.NoError(t, ctxErr)
	requireOutcome(t, task.Future(), 7, nil)
}
