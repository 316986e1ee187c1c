package observe_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/trust/figures"
)

type seriesFuture = *executor.ScheduledFuture[struct{}]

// endOfRun is how the run ends in which a series is handed back.
type endOfRun struct {
	body  executor.Task // takes two seconds, but in one case
	opts  func(now time.Time) []executor.TaskOption
	after func(f seriesFuture) // is called right after the hand-back
	err   error                // of the future; nil for success
}

func twoSeconds(then executor.Task) executor.Task {
	return func(ctx context.Context) error {
		time.Sleep(2 * time.Second)
		return then(ctx)
	}
}

func with(opts ...executor.TaskOption) func(time.Time) []executor.TaskOption {
	return func(time.Time) []executor.TaskOption { return opts }
}

// endsOfRuns are the ways in which such a run may end.
func endsOfRuns() map[string]endOfRun {
	fine, fails := twoSeconds(pooltest.Nothing), twoSeconds(pooltest.Fail)
	stops := executor.FailurePolicy(executor.StopSeries)
	return map[string]endOfRun{
		"it succeeds":              {body: fine, err: executor.ErrShutdown},
		"it fails":                 {body: fails, err: executor.ErrShutdown},
		"it fails, for good":       {body: fails, opts: with(stops), err: pooltest.ErrTask},
		"it calls Goexit":          {body: twoSeconds(pooltest.Goexit), err: future.ErrGoexit},
		"an attempt fails":         {body: fails, opts: with(executor.Retry(3, retry.Backoff{})), err: executor.ErrShutdown},
		"it is too long":           {body: fine, opts: with(executor.Timeout(1500 * time.Millisecond)), err: executor.ErrShutdown},
		"it is too long, for good": {body: fine, opts: with(executor.Timeout(1500*time.Millisecond), stops), err: executor.ErrShutdown},
		"it is cancelled":          {body: fine, after: func(f seriesFuture) { f.Cancel() }, err: future.ErrCancelled},
		"it is stopped":            {body: fine, after: func(f seriesFuture) { f.Stop() }, err: future.ErrCancelled},
		"a function ends it":       {body: fine, opts: with(executor.DelayBy(func(executor.LastRun) (time.Duration, bool) { return 0, false }))},
		"its time is over by then": {
			body: pooltest.Sleep(2 * time.Minute),
			opts: func(now time.Time) []executor.TaskOption {
				return []executor.TaskOption{executor.Until(now.Add(90 * time.Second)),
					executor.CatchUp(executor.Skip)}
			},
		},
	}
}

// periodic is what pools and loops have in common here.
type periodic interface {
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		seriesFuture, error)
	ShutdownNow() []executor.Pending
	Terminated() <-chan struct{}
}

// handBack hands a series back in a run that ends in the given way.
func (e endOfRun) handBack(t *testing.T, p periodic) {
	var opts []executor.TaskOption
	if e.opts != nil {
		opts = e.opts(time.Now())
	}
	f, err := p.AtFixedRate(0, time.Minute, e.body, opts...)
	require.NoError(t, err)
	time.Sleep(time.Second)
	require.Len(t, p.ShutdownNow(), 1)
	if e.after != nil {
		e.after(f)
	}
	<-p.Terminated()
	synctest.Wait()
	_, err = f.Get(t.Context())
	assert.ErrorIs(t, err, e.err)
}

func TestASeriesThatIsHandedBackInARunIsDroppedHoweverThatEnds(t *testing.T) {
	for name, end := range endsOfRuns() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tape bytes.Buffer
				told := figures.NewTally()
				p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
					executor.Watch(insight.Config{History: true, Record: &tape}))
				end.handBack(t, p)
				assert.EqualValues(t, 1, p.Stats().Returned)
				assert.Equal(t, 1, told.All().Dropped)
				assert.Empty(t, figures.OfPool(p, told, tape.Bytes()).Disagreements())
			})
		})
	}
}

func TestASeriesThatALoopHandsBackInARunIsDroppedHoweverThatEnds(t *testing.T) {
	for name, end := range endsOfRuns() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tape bytes.Buffer
				told := figures.NewTally()
				l := eventloop.New(executor.Logger(slog.New(slog.DiscardHandler)),
					executor.Observe(told.Observer()),
					executor.Watch(insight.Config{History: true, Record: &tape}))
				end.handBack(t, l)
				assert.EqualValues(t, 1, l.Stats().Returned)
				assert.Equal(t, 1, told.All().Dropped)
				assert.Empty(t, figures.OfLoop(l, told, tape.Bytes()).Disagreements())
			})
		})
	}
}

// Close interrupts nothing, so the run can still time out.
func TestASeriesThatCloseHandsBackIsDroppedWhenATimeoutEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape bytes.Buffer
		told := figures.NewTally()
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
			executor.Watch(insight.Config{History: true, Record: &tape}))
		f, err := p.AtFixedRate(0, time.Minute, pooltest.Sleep(3*time.Second),
			executor.Timeout(2*time.Second), executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.NoError(t, p.Close())
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, 1, told.All().Dropped)
		assert.Empty(t, figures.OfPool(p, told, tape.Bytes()).Disagreements())
	})
}

func TestTheErrorOfADropIsThatOfTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told error
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(executor.Observer{
			Dropped: func(_ executor.Run, err error) { told = err }}))
		_, err := p.AtFixedRate(0, time.Minute, twoSeconds(pooltest.Fail), executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		time.Sleep(time.Second)
		p.ShutdownNow()
		<-p.Terminated()
		assert.ErrorIs(t, told, pooltest.ErrTask)
	})
}

// An attempt that fails when the pool lets nothing more wait is the last, and fails the run.
func TestTheLastAttemptAtAShutdownIsAFailureInAllFigures(t *testing.T) {
	for name, shutdown := range map[string]func(p *executor.ScheduledPool){
		"Close":       func(p *executor.ScheduledPool) { go p.Close() },
		"ShutdownNow": func(p *executor.ScheduledPool) { p.ShutdownNow() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tape bytes.Buffer
				told := figures.NewTally()
				p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
					executor.Watch(insight.Config{History: true, Record: &tape}))
				f, err := p.Schedule(0, twoSeconds(pooltest.Fail),
					executor.Retry(3, retry.Backoff{Base: time.Second}))
				require.NoError(t, err)
				time.Sleep(time.Second)
				shutdown(p)
				<-p.Terminated()
				_, err = f.Get(t.Context())
				assert.ErrorIs(t, err, pooltest.ErrTask)
				assert.EqualValues(t, 1, p.Stats().Failures)
				assert.Zero(t, p.Stats().Retries)
				assert.Empty(t, figures.OfPool(p, told, tape.Bytes()).Disagreements())
			})
		})
	}
}

func TestTheErrorOfTheLastAttemptOfASeriesIsReportedAtAShutdown(t *testing.T) {
	for name, shutdown := range map[string]func(p *executor.ScheduledPool){
		"Shutdown":    func(p *executor.ScheduledPool) { p.Shutdown() },
		"ShutdownNow": func(p *executor.ScheduledPool) { p.ShutdownNow() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logger, text := pooltest.NewLog()
				p := executor.NewScheduledPool(1, executor.Logger(logger))
				_, err := p.AtFixedRate(0, time.Minute, twoSeconds(pooltest.Fail),
					executor.Retry(3, retry.Backoff{Base: time.Second}))
				require.NoError(t, err)
				time.Sleep(time.Second)
				shutdown(p)
				<-p.Terminated()
				assert.Contains(t, text.String(), pooltest.ErrTask.Error())
			})
		})
	}
}

// The task has no future that could tell of its last attempt.
func TestAnExecutedTaskThatIsDroppedBetweenAttemptsIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		p := executor.NewPool(1, executor.ErrorHandler(
			func(_ context.Context, _ executor.Run, err error) { told = append(told, err) }))
		require.NoError(t, p.Execute(pooltest.Fail,
			executor.Retry(2, retry.Backoff{Base: time.Hour, Spread: retry.NoSpread})))
		time.Sleep(time.Second)
		p.ShutdownNow()
		<-p.Terminated()
		require.Len(t, told, 1)
		assert.ErrorIs(t, told[0], pooltest.ErrTask)
		assert.ErrorIs(t, told[0], executor.ErrShutdown)
	})
}

func TestAttemptsThatOverrunAreCountedAsOftenAsTheyAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape bytes.Buffer
		told := figures.NewTally()
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
			executor.Watch(insight.Config{History: true, Record: &tape}))
		_, err := p.Schedule(0, func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Attempt == 3 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}, executor.Timeout(time.Second), executor.Retry(3, retry.Backoff{}))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		require.NoError(t, p.Close())
		assert.EqualValues(t, 2, p.Stats().TimedOut)
		assert.Equal(t, 2, told.All().Overran)
		assert.Empty(t, figures.OfPool(p, told, tape.Bytes()).Disagreements())
	})
}

func TestAnAttemptThatOverrunsIsToldAtThatMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, text := pooltest.NewLog()
		var overran []executor.Run
		p := executor.NewScheduledPool(1, executor.Logger(logger), executor.Observe(executor.Observer{
			Overran: func(r executor.Run) { overran = append(overran, r) }}))
		_, err := p.Schedule(0, pooltest.Sleep(time.Hour), executor.Name("deaf"),
			executor.Timeout(time.Second), executor.Retry(3, retry.Backoff{}))
		require.NoError(t, err)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Len(t, overran, 1)
		assert.Equal(t, "deaf", overran[0].Name)
		assert.EqualValues(t, 1, overran[0].Attempt)
		assert.EqualValues(t, 1, p.Stats().TimedOut)
		assert.Contains(t, text.String(), "attempt has exceeded its timeout")
		require.NoError(t, p.Close())
	})
}

// A task with one attempt has no other that could follow.
func TestATaskWithOneAttemptFailsAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		f, err := p.Submit(pooltest.Sleep(time.Minute), executor.Timeout(time.Second),
			executor.Retry(1, retry.Backoff{}))
		require.NoError(t, err)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, future.StateFailed, f.State())
		time.Sleep(time.Minute)
	})
}

func TestAFailureByTimeoutStaysOneIfTheSeriesIsCancelledThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := figures.NewTally()
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
			executor.Watch(insight.Config{History: true}))
		f, err := p.AtFixedRate(0, time.Minute, pooltest.Sleep(3*time.Second),
			executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		f.Stop()
		require.NoError(t, p.Close())
		assert.EqualValues(t, 1, p.Stats().Failures)
		assert.Empty(t, figures.OfPool(p, told, nil).Disagreements())
	})
}

func TestASeriesThatHasEndedIsNotPaused(t *testing.T) {
	for name, last := range map[string][]executor.TaskOption{
		"by its last run": {executor.MaxRuns(3)},
		"by a function": {executor.DelayBy(func(last executor.LastRun) (time.Duration, bool) {
			return time.Minute, last.Number < 3
		})},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := figures.NewTally()
				p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()))
				f, err := p.AtFixedRate(0, time.Minute, pooltest.Fail,
					append(last, executor.PauseAfter(3))...)
				require.NoError(t, err)
				time.Sleep(time.Hour)
				assert.True(t, f.State().Settled())
				assert.Zero(t, told.All().Paused)
				require.NoError(t, p.Close())
			})
		})
	}
}

func TestASeriesThatAShutdownEndsIsNotPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := figures.NewTally()
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()))
		_, err := p.AtFixedRate(0, time.Minute, twoSeconds(pooltest.Fail), executor.PauseAfter(1))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.NoError(t, p.Close())
		assert.Zero(t, told.All().Paused)
		assert.Equal(t, 1, told.All().Dropped)
	})
}

func TestATaskThatTheCallerRunsIsNotRejectedByItsGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := figures.NewTally()
		p := executor.NewPool(1, pooltest.Quiet(), executor.Queue(queue.HandOff()),
			executor.OnRejection(rejection.CallerRuns), executor.Observe(told.Observer()))
		require.NoError(t, p.Execute(pooltest.Sleep(time.Minute)))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = p.Execute(pooltest.Goexit, executor.Expect(insight.SuccessWithin(time.Hour)))
		}()
		<-ended
		assert.Zero(t, told.All().Rejected)
		assert.Len(t, p.Insight().Health().Tasks, 1, "it is remembered as one that has failed")
		require.NoError(t, p.Close())
		assert.Empty(t, figures.OfPool(p, told, nil).Disagreements())
	})
}

// A policy may place the task and then fail.
func TestATaskThatAPolicyHasPlacedIsNotRejectedByItsPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := figures.NewTally()
		p := executor.NewPool(1, pooltest.Quiet(), executor.Queue(queue.HandOff()), executor.Observe(told.Observer()),
			executor.OnRejection(func(r *rejection.Task) error {
				_ = r.Wait(context.Background())
				panic("wanted")
			}))
		require.NoError(t, p.Execute(pooltest.Sleep(time.Minute)))
		assert.Panics(t, func() { _ = p.Execute(pooltest.Nothing) })
		require.NoError(t, p.Close())
		assert.Zero(t, told.All().Rejected)
		assert.Empty(t, figures.OfPool(p, told, nil).Disagreements())
	})
}

// badQueue panics when it is given a task.
type badQueue struct{ queue.WorkQueue }

func (badQueue) Push(queue.Task) { panic("wanted") }

func TestATaskThatTheQueueDoesNotTakeIsCountedAsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := figures.NewTally()
		p := executor.NewPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
			executor.Queue(queue.Custom(func() queue.WorkQueue { return badQueue{queue.FIFO().New()} })))
		assert.Panics(t, func() { _ = p.Execute(pooltest.Nothing) })
		require.NoError(t, p.Close())
		assert.EqualValues(t, 1, p.Stats().Rejected)
		assert.Empty(t, figures.OfPool(p, told, nil).Disagreements())
	})
}

// Cancelled between its timeout and the failure that this would have been, a task is cancelled.
func TestATaskThatIsCancelledAsItsTimeoutIsToldIsNoFailure(t *testing.T) {
	for name, opts := range map[string][]executor.TaskOption{
		"once":   {executor.Timeout(time.Second)},
		"series": {executor.Timeout(time.Second), executor.FailurePolicy(executor.StopSeries)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tape bytes.Buffer
				told := figures.NewTally()
				var f seriesFuture
				accepted := make(chan struct{})
				p := executor.NewScheduledPool(1, pooltest.Quiet(),
					executor.Watch(insight.Config{History: true, Record: &tape}),
					executor.Observe(told.Observer(), executor.Observer{
						Overran: func(executor.Run) { <-accepted; assert.True(t, f.Cancel()) }}))
				var err error
				body := twoSeconds(func(context.Context) error { return context.Canceled })
				if name == "once" {
					f, err = p.Schedule(time.Second, body, opts...)
				} else {
					f, err = p.AtFixedRate(time.Second, time.Minute, body, opts...)
				}
				require.NoError(t, err)
				close(accepted)
				time.Sleep(time.Hour)
				require.NoError(t, p.Close())
				assert.Equal(t, future.Cancelled, f.State())
				assert.Zero(t, p.Stats().Failures)
				assert.EqualValues(t, 1, p.Stats().TimedOut)
				assert.Empty(t, figures.OfPool(p, told, tape.Bytes()).Disagreements())
			})
		})
	}
}
