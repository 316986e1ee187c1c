package observe_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// troubles returns what is wrong with a pool, each as what it is and of which task.
func troubles(v insight.Source) (all []insight.Trouble, told []string) {
	all = v.Insight().History().Troubles
	for _, t := range all {
		told = append(told, t.What+" "+t.Name)
	}
	return all, told
}

func TestWhatIsWrongIsTold(t *testing.T) {
	remembering(t, 3, func(p *executor.ScheduledPool) {
		begun := time.Now()
		var well atomic.Bool
		submit := func(d time.Duration, name string, body executor.Task, opts ...executor.TaskOption) {
			_, err := p.AtFixedRate(d, d, body, append(opts, executor.Name(name))...)
			require.NoError(t, err)
		}
		submit(time.Second, "parse", func(context.Context) error { panic("no digits") })
		submit(10*time.Second, "fetch", func(context.Context) error {
			if well.Load() {
				return nil
			}
			return errBad
		})
		submit(10*time.Second, "call", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, executor.Timeout(2*time.Second))
		submit(10*time.Second, "give up", pooltest.Fail, executor.PauseAfter(3))
		submit(10*time.Second, "fine", pooltest.Nothing)
		p.Submit(pooltest.Fail, executor.Name("migrate"))
		time.Sleep(time.Minute + 5*time.Second)

		all, told := troubles(p)
		require.Equal(t, []string{"dead parse", "paused by failures give up", "timed out call",
			"failing migrate", "failing fetch"}, told)
		dead, paused, late, once, failing := all[0], all[1], all[2], all[3], all[4]
		assert.Equal(t, begun.Add(time.Second), dead.Since)
		assert.EqualValues(t, 1, dead.Deaths)
		var panicked *future.PanicError
		require.ErrorAs(t, dead.Run.Err, &panicked)
		assert.Contains(t, string(panicked.Stack), "TestWhatIsWrongIsTold")
		assert.EqualValues(t, 3, paused.Count)
		assert.EqualValues(t, 6, late.Count)
		assert.ErrorIs(t, late.Run.Err, future.ErrTimeout)
		assert.Equal(t, begun.Add(12*time.Second), late.Since)
		assert.EqualValues(t, 1, once.Count)
		assert.EqualValues(t, 6, failing.Count)
		assert.Equal(t, begun.Add(10*time.Second), failing.Since)
		assert.Equal(t, errBad, failing.Run.Err)
		assert.EqualValues(t, 6, failing.Run.Number)

		well.Store(true)
		h, _ := p.Lookup("give up")
		h.Cancel()
		time.Sleep(10 * time.Minute)
		_, told = troubles(p)
		assert.Equal(t, []string{"dead parse", "timed out call"}, told,
			"the others are well, gone, or long ago")
	})
}

// remembers is a pool or a loop.
type remembers interface {
	executor.ScheduledSubmitter
	insight.Source
}

// watchedBoth has a test played with a pool and with a loop that keep their histories.
func watchedBoth(t *testing.T, play func(t *testing.T, e remembers)) {
	t.Helper()
	watch := executor.Watch(insight.Config{History: true})
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	t.Run("pool", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(2, watch, quiet)
			defer p.Close()
			play(t, p)
		})
	})
	t.Run("loop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := eventloop.New(watch, quiet)
			defer l.Close()
			play(t, l)
		})
	})
}

func TestAFailureOfATaskThatIsOverIsNotKept(t *testing.T) {
	watchedBoth(t, func(t *testing.T, e remembers) {
		f, err := e.AtFixedRate(0, time.Second, pooltest.Fail, executor.Name("poll"))
		require.NoError(t, err)
		g, err := e.AtFixedRate(0, time.Second, pooltest.Fail, executor.Name("twice"),
			executor.MaxRuns(2))
		require.NoError(t, err)
		time.Sleep(ms)
		_, told := troubles(e)
		assert.ElementsMatch(t, []string{"failing poll", "failing twice"}, told)
		f.Cancel()
		time.Sleep(time.Minute)
		assert.True(t, g.State().Settled())
		_, told = troubles(e)
		assert.Empty(t, told)
	})
}

// A run that has exceeded its timeout has failed, also if it returns only after its task was
// cancelled; but then nothing is wrong with that any more.
func TestAFailureAfterACancellationIsNotKept(t *testing.T) {
	watchedBoth(t, func(t *testing.T, e remembers) {
		f, err := e.AtFixedRate(0, time.Minute, func(context.Context) error {
			time.Sleep(10 * time.Second)
			return errBad
		}, executor.Name("poll"), executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		f.Cancel()
		time.Sleep(time.Minute)
		assert.EqualValues(t, 1, e.Insight().Measurements().Failures)
		_, told := troubles(e)
		assert.Empty(t, told)
	})
}

// A failure that ends a series counts with those before it.
func TestADeathIsTheLastOfSeveralFailures(t *testing.T) {
	watchedBoth(t, func(t *testing.T, e remembers) {
		n := 0
		_, err := e.AtFixedRate(0, time.Second, func(context.Context) error {
			if n++; n == 4 {
				panic(errBad)
			}
			return errBad
		}, executor.Name("poll"))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		all, told := troubles(e)
		require.Equal(t, []string{"dead poll"}, told)
		assert.EqualValues(t, 4, all[0].Count)
		assert.EqualValues(t, 4, all[0].Run.Number)
	})
}

// What a shutdown has handed back does not fail any more.
func TestNothingFailsInAPoolThatHasEnded(t *testing.T) {
	remembering(t, 1, func(p *executor.ScheduledPool) {
		_, err := p.AtFixedRate(0, time.Second, pooltest.Fail, executor.Name("poll"))
		require.NoError(t, err)
		time.Sleep(ms)
		p.ShutdownNow()
		_, told := troubles(p)
		assert.Empty(t, told)
	})
}

func TestARunThatIsStuckIsTold(t *testing.T) {
	remembering(t, 3, func(p *executor.ScheduledPool) {
		n, held := 0, make(chan struct{})
		_, err := p.Every(time.Second, func(context.Context) error {
			if n++; n == 10 {
				<-held
			}
			return nil
		}, executor.Name("import"))
		require.NoError(t, err)
		_, err = p.Schedule(0, func(context.Context) error { <-held; return nil },
			executor.Name("dump"), executor.Timeout(15*time.Second))
		require.NoError(t, err)
		time.Sleep(20*time.Second - ms)
		_, told := troubles(p)
		assert.Equal(t, []string{"stuck dump"}, told,
			"nine runs took no time, and the tenth nearly ten seconds")
		time.Sleep(ms)
		all, told := troubles(p)
		require.Equal(t, []string{"stuck dump", "stuck import"}, told)
		assert.Equal(t, "its timeout was 15s", all[0].Reason)
		assert.Equal(t, 20*time.Second, all[0].Run.Took)
		assert.EqualValues(t, 10, all[1].Run.Number)
		assert.Equal(t, time.Now(), all[1].Since)
		close(held)
		synctest.Wait()
		_, told = troubles(p)
		assert.Equal(t, []string{"timed out dump"}, told)
	})
}

func TestALackOfWorkersIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{History: true}), pooltest.Quiet())
		defer p.Close()
		l := eventloop.New(executor.Watch(insight.Config{History: true}),
			executor.Logger(slog.New(slog.DiscardHandler)))
		defer l.Close()
		hog := func(context.Context) error { time.Sleep(2 * time.Minute); return nil }
		for _, to := range []func(time.Duration, executor.Task, ...executor.TaskOption) error{
			func(d time.Duration, task executor.Task, opts ...executor.TaskOption) error {
				_, err := p.Schedule(d, task, opts...)
				return err
			},
			func(d time.Duration, task executor.Task, opts ...executor.TaskOption) error {
				_, err := l.Schedule(d, task, opts...)
				return err
			},
		} {
			require.NoError(t, to(0, hog, executor.Name("hog")))
			require.NoError(t, to(time.Second, pooltest.Nothing, executor.Name("poll")))
		}
		begun := time.Now()
		for _, step := range []struct {
			at   time.Duration
			told []string
		}{{11*time.Second - ms, nil}, {11 * time.Second, []string{"overdue "}},
			{61*time.Second + ms, []string{"starved "}}, {120*time.Second + ms, nil}} {
			time.Sleep(time.Until(begun.Add(step.at)))
			for _, source := range []insight.Source{p, l} {
				all, told := troubles(source)
				assert.Equal(t, step.told, told, step.at)
				for _, trouble := range all {
					assert.Equal(t, begun.Add(time.Second), trouble.Since)
					assert.Contains(t, trouble.Reason, "(hog ")
				}
			}
		}
	})
}

// An expectation that does not hold is told with the failures that are why.
func TestATaskIsWrongOnce(t *testing.T) {
	remembering(t, 2, func(p *executor.ScheduledPool) {
		expects := executor.Expect(insight.SuccessWithin(30 * time.Second))
		_, err := p.AtFixedRate(0, 20*time.Second, pooltest.Fail, executor.Name("fetch"), expects)
		require.NoError(t, err)
		_, err = p.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing, executor.Name("nightly"), expects)
		require.NoError(t, err)
		_, err = p.Schedule(0, pooltest.Fail, executor.Name("once"), expects)
		require.NoError(t, err)
		time.Sleep(time.Minute + ms)
		all, told := troubles(p)
		require.Equal(t, []string{"dead once", "late nightly", "failing fetch"}, told)
		assert.EqualValues(t, 4, all[2].Count)
		assert.Contains(t, all[2].Reason, "no success for 1m0.001s, expected within 30s")
		h, _ := p.Lookup("fetch")
		assert.EqualValues(t, 4, h.Status().Health.FailuresInRow, "one home")
	})
}

func TestOfADeadTaskTheErrorIsKept(t *testing.T) {
	remembering(t, 1, func(p *executor.ScheduledPool) {
		for range 3 {
			f, err := p.AtFixedRate(time.Second, time.Second, func(context.Context) error {
				panic(errBad)
			}, executor.Name("parse"))
			require.NoError(t, err)
			time.Sleep(2 * time.Second)
			assert.True(t, f.State().Settled())
		}
		all, told := troubles(p)
		require.Equal(t, []string{"dead parse"}, told)
		assert.EqualValues(t, 3, all[0].Deaths)
		assert.ErrorIs(t, all[0].Run.Err, errBad)
		assert.EqualValues(t, 1, all[0].Run.Number)
		_, err := p.Schedule(0, pooltest.Nothing, executor.Name("parse"))
		require.NoError(t, err)
		time.Sleep(ms)
		_, told = troubles(p)
		assert.Empty(t, told)
	})
}

func TestWhatExpiresIsTold(t *testing.T) {
	remembering(t, 1, func(p *executor.ScheduledPool) {
		_, err := p.Schedule(0, func(context.Context) error { time.Sleep(8 * time.Second); return nil })
		require.NoError(t, err)
		_, err = p.AtFixedRate(time.Second, 3*time.Second, pooltest.Nothing, executor.Name("poll"),
			executor.BeginWithin(time.Second))
		require.NoError(t, err)
		time.Sleep(6 * time.Second)
		all, told := troubles(p)
		require.Equal(t, []string{"expiring poll"}, told)
		assert.EqualValues(t, 2, all[0].Count)
		assert.True(t, all[0].Run.Expired)
		assert.ErrorIs(t, all[0].Run.Err, executor.ErrExpired)
		time.Sleep(6 * time.Second)
		_, told = troubles(p)
		assert.Empty(t, told)
	})
}

// Without a history nothing of it is kept.
func TestWithoutAHistoryNothingIsWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}), pooltest.Quiet())
		defer p.Close()
		_, err := p.AtFixedRate(0, time.Second, func(context.Context) error { panic("x") },
			executor.Name("parse"))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		_, told := troubles(p)
		assert.Empty(t, told)
		assert.Equal(t, insight.HealthDegraded, p.Insight().Health().Status)
	})
}

// What is kept is bounded, and what is long over makes room.
func TestWhatIsWrongIsBounded(t *testing.T) {
	remembering(t, 1, func(p *executor.ScheduledPool) {
		fail := func(name string) {
			_ = p.Execute(func(context.Context) error { return errors.New(name) }, executor.Name(name))
		}
		for i := range 1500 {
			fail("a" + time.Duration(i).String())
		}
		time.Sleep(time.Minute)
		_, told := troubles(p)
		assert.Len(t, told, 1000)
		time.Sleep(10 * time.Minute)
		fail("b")
		time.Sleep(ms)
		_, told = troubles(p)
		assert.Equal(t, []string{"failing b"}, told)
	})
}
