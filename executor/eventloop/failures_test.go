package eventloop_test

import (
	"context"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// What becomes of the failures of a task of a loop: the same as of those of a pool.

// abruptly are the ways for a body to end without returning.
var abruptly = map[string]executor.Task{
	"panic":  func(context.Context) error { panic(pooltest.ErrTask) },
	"goexit": func(context.Context) error { runtime.Goexit(); return nil },
}

// newLog returns a log, and what gives its records.
func newLog() (eventloop.Option, func() []string) {
	log, text := pooltest.NewLog()
	return executor.Logger(log), func() []string { synctest.Wait(); return text.Lines() }
}

// newHandler returns a handler, and what gives the errors that it was told of, at their times.
func newHandler(d *diary) (eventloop.Option, func() []error) {
	var told []error
	return executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
		d.note("told")
		told = append(told, err)
	}), func() []error { synctest.Wait(); return told }
}

func TestASeriesGoesOnAfterAReturnedErrorAndATimeOut(t *testing.T) {
	handler, told := newHandler(newDiary())
	log, records := newLog()
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		late := func(context.Context) error { time.Sleep(2 * ms); return nil }
		f, err := l.AtFixedRate(0, 10*ms, pooltest.InTurn(pooltest.Fail, late, pooltest.Fail, pooltest.Nothing),
			executor.Timeout(ms), executor.MaxRuns(4))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
		require.Len(t, told(), 3)
		assert.Equal(t, []error{pooltest.ErrTask, pooltest.ErrTask}, []error{told()[0], told()[2]})
		assert.EqualError(t, told()[1], "eventloop: timed out after 1ms")
		assert.EqualValues(t, 3, l.Stats().Failures)
		assert.Empty(t, records(), "the handler was told")
	}, handler, log)
}

func TestASeriesEndsLoudlyByAPanicOrAGoexit(t *testing.T) {
	for name, body := range abruptly {
		t.Run(name, func(t *testing.T) {
			handler, told := newHandler(newDiary())
			log, records := newLog()
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				f, err := l.WithFixedDelay(0, ms, pooltest.InTurn(pooltest.Fail, body))
				require.NoError(t, err)
				_, err = f.Get(t.Context())
				require.Error(t, err)
				assert.Equal(t, []error{pooltest.ErrTask, err}, told())
				require.Len(t, records(), 1)
				assert.Contains(t, records()[0], "periodic task ended by a failure")
				assert.EqualValues(t, 2, l.Stats().Failures)
				assert.EqualValues(t, 1, l.Stats().Completed)
			}, handler, log)
		})
	}
}

func TestASeriesGoesOnAfterAnErrorThatTellsOfAPanicElsewhere(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		goexit := func(context.Context) error { return future.ErrGoexit }
		panicked := func(context.Context) error { return &future.PanicError{} }
		f, err := l.AtFixedRate(0, ms, pooltest.InTurn(goexit, panicked, pooltest.Nothing), executor.MaxRuns(3))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
	})
}

func TestFailuresOfASeriesAreLoggedSparinglyAndSoIsTheirEnd(t *testing.T) {
	log, records := newLog()
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		bodies := []executor.Task{
			pooltest.Fail, pooltest.Fail, pooltest.Fail, pooltest.Fail, pooltest.Fail, pooltest.Nothing, pooltest.Nothing, pooltest.Fail, abruptly["panic"], pooltest.Nothing,
		}
		f, err := l.AtFixedRate(0, ms, pooltest.InTurn(bodies...),
			executor.MaxRuns(len(bodies)), executor.FailurePolicy(executor.Continue))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		var got []string
		pattern := regexp.MustCompile(`level=(\w+).* run=(\d+).* streak=(\d+)`)
		for _, line := range records() {
			match := pattern.FindStringSubmatch(line)
			got = append(got, strings.Join(match[1:], " "))
		}
		assert.Equal(t, []string{
			"ERROR 1 1", "ERROR 2 2", "ERROR 4 4", "INFO 6 5", "ERROR 8 1", "ERROR 9 2", "INFO 10 2",
		}, got)
	}, log)
}

func TestARunThatNeverReturnsIsToldAtItsTimeOut(t *testing.T) {
	for name, policy := range pooltest.ErrorPolicies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDiary()
				handler, told := newHandler(d)
				l := quiet(handler)
				release := make(chan struct{})
				f, err := l.AtFixedRate(0, 10*ms, func(context.Context) error { <-release; return nil },
					executor.Timeout(ms), executor.FailurePolicy(policy))
				require.NoError(t, err)
				time.Sleep(24 * time.Hour)
				require.Len(t, told(), 1)
				assert.EqualError(t, told()[0], "eventloop: timed out after 1ms")
				assert.Equal(t, inMs(1), d.readTimes())
				s := l.Stats()
				assert.Equal(t, []uint64{0, 1}, []uint64{s.Runs, s.Failures})
				assert.EqualValues(t, 1, f.Runs(), "the series waits for the body")
				assert.Equal(t, policy == executor.StopSeries, f.State().Settled())
				close(release)
				require.NoError(t, l.Close())
				assertBalanced(t, l)
				assert.EqualValues(t, 1, l.Stats().Failures)
			})
		})
	}
}

func TestAPanicAfterAnOverrunIsToldToo(t *testing.T) {
	for name, policy := range pooltest.ErrorPolicies {
		t.Run(name, func(t *testing.T) {
			handler, told := newHandler(newDiary())
			withLoop(t, func(t *testing.T, l *eventloop.Loop) {
				slow := func(context.Context) error { time.Sleep(5 * ms); panic(pooltest.ErrTask) }
				f, err := l.AtFixedRate(0, 10*ms, slow,
					executor.Timeout(ms), executor.FailurePolicy(policy), executor.MaxRuns(2))
				require.NoError(t, err)
				<-f.Stopped()
				runs := 1
				if policy == executor.Continue {
					runs = 2
				}
				require.Len(t, told(), 2*runs)
				assert.NotErrorIs(t, told()[0], pooltest.ErrTask)
				assert.ErrorIs(t, told()[1], pooltest.ErrTask)
				s := l.Stats()
				assert.Equal(t, []int{runs, runs, 1}, []int{int(s.Runs), int(s.Failures), int(s.Completed)})
			}, handler)
		})
	}
}

func TestTheLoopDoesNotEndBeforeAnOverrunIsTold(t *testing.T) {
	for name, policy := range pooltest.ErrorPolicies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := false
				l := quiet(executor.ErrorHandler(func(context.Context, executor.Run, error) {
					time.Sleep(time.Minute)
					told = true
				}))
				pooltest.Overrun(t, l, policy)
				time.Sleep(2 * time.Second)
				require.NoError(t, l.Close())
				assert.True(t, told)
				assertBalanced(t, l)
			})
		})
	}
}

func TestATaskThatOutlivesItsTimeOutHasFailedAtThatMoment(t *testing.T) {
	log, records := newLog()
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		slow := func(context.Context) error { time.Sleep(time.Minute); return pooltest.ErrTask }
		f, err := l.Schedule(0, slow, executor.Timeout(ms))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrTimeout)
		synctest.Wait()
		s := l.Stats()
		assert.Equal(t, []uint64{0, 1, 1}, []uint64{s.Runs, s.Failures, s.Completed})
		<-f.Stopped()
		synctest.Wait()
		s = l.Stats()
		assert.Equal(t, []uint64{1, 1, 1}, []uint64{s.Runs, s.Failures, s.Completed})
		assert.Empty(t, records(), "the future tells")
	}, log)
}

func TestAPanicIsToldWhoeverHoldsTheFuture(t *testing.T) {
	type loop = eventloop.Loop
	ways := map[string]func(l *loop, task executor.Task){
		"Submit":         func(l *loop, task executor.Task) { _, _ = l.Submit(task) },
		"Schedule":       func(l *loop, task executor.Task) { _, _ = l.Schedule(0, task) },
		"ScheduleAt":     func(l *loop, task executor.Task) { _, _ = l.ScheduleAt(time.Now(), task) },
		"typed Submit":   func(l *loop, task executor.Task) { _, _ = eventloop.Submit(l, valued(task)) },
		"typed Schedule": func(l *loop, task executor.Task) { _, _ = eventloop.Schedule(l, 0, valued(task)) },
	}
	for way, submit := range ways {
		for how, body := range abruptly {
			t.Run(way+", "+how, func(t *testing.T) {
				log, records := newLog()
				withLoop(t, func(t *testing.T, l *eventloop.Loop) {
					submit(l, body)
					submit(l, pooltest.Fail)
					require.Len(t, records(), 1, "a returned error is the future's alone")
					assert.Contains(t, records()[0], `level=ERROR msg="executor: task failed"`)
					assert.Equal(t, how == "panic", strings.Contains(records()[0], "stack="))
				}, log)
				handler, told := newHandler(newDiary())
				log, records = newLog()
				withLoop(t, func(t *testing.T, l *eventloop.Loop) {
					submit(l, body)
					submit(l, pooltest.Fail)
					assert.Len(t, told(), 1)
					assert.Empty(t, records())
				}, handler, log)
			})
		}
	}
}

func valued(task executor.Task) future.Func[int] {
	return func(ctx context.Context) (int, error) { return 0, task(ctx) }
}

func TestAPanicOfACancelledRunIsLoggedThoughItIsNoFailure(t *testing.T) {
	log, records := newLog()
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		f, err := l.AtFixedRate(0, ms, func(ctx context.Context) error { <-ctx.Done(); panic(pooltest.ErrTask) })
		require.NoError(t, err)
		synctest.Wait()
		require.True(t, f.Cancel())
		<-f.Stopped()
		assert.Len(t, records(), 1)
		assert.Zero(t, l.Stats().Failures)
	}, log)
}
