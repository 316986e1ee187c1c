package observe_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// states returns how the tasks are, as name=state.
func states(p *executor.ScheduledPool) (s []string) {
	for _, t := range p.Insight().Health().Tasks {
		s = append(s, t.Name+"="+t.State)
	}
	return s
}

// ends are series that fail, by how they do that.
var ends = map[string]struct {
	body executor.Task
	opts []executor.TaskOption
}{
	"panic":  {func(context.Context) error { panic("boom") }, nil},
	"Goexit": {func(context.Context) error { runtime.Goexit(); return nil }, nil},
	"error": {func(context.Context) error { return errBad },
		[]executor.TaskOption{executor.FailurePolicy(executor.StopSeries)}},
	"timeout": {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		[]executor.TaskOption{executor.FailurePolicy(executor.StopSeries), executor.Timeout(time.Second)}},
}

func TestASeriesThatAFailureHasEndedDegradesUntilItSucceedsAgain(t *testing.T) {
	for name, end := range ends {
		for _, expects := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", expects), func(t *testing.T) {
				watched(t, func(p *executor.ScheduledPool, a *alarms) {
					opts := append([]executor.TaskOption{executor.Name("import")}, end.opts...)
					if expects {
						opts = append(opts, executor.Expect(insight.SuccessWithin(time.Hour)))
					}
					_, err := p.AtFixedRate(0, time.Minute, end.body, opts...)
					require.NoError(t, err)
					time.Sleep(time.Hour)
					assert.Equal(t,
						[]string{`executor: degraded: task "import": ended by a failure`}, a.read())
					_, err = p.AtFixedRate(time.Minute, time.Minute, lasts(0), opts...)
					require.NoError(t, err)
					assert.Empty(t, a.read())
					assert.Equal(t, "import=failed", states(p)[0])
					time.Sleep(time.Minute)
					assert.Equal(t, []string{"ok"}, a.read())
				})
			})
		}
	}
}

func TestATaskThatHasExpiredIsForgottenWhenOneOfItsNameSucceeds(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		for range 2 {
			at(p, 0, "hog", 30*time.Second)
		}
		time.Sleep(time.Millisecond)
		opts := []executor.TaskOption{executor.Name("mail"), executor.BeginWithin(time.Second),
			executor.Expect(insight.SuccessWithin(time.Hour))}
		f, err := p.Schedule(0, lasts(0), opts...)
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		require.ErrorIs(t, err, executor.ErrExpired)
		assert.Equal(t, []string{`executor: degraded: task "mail": ended by a failure`}, a.read())
		time.Sleep(time.Minute)
		_, err = p.Schedule(0, lasts(0), opts...)
		require.NoError(t, err)
		assert.Equal(t, []string{"ok"}, a.read())
		assert.Empty(t, states(p))
	})
}

func TestAFailedSeriesThatItsOwnerCancelsIsForgotten(t *testing.T) {
	boom := ends["panic"].body
	for name, remove := range map[string]func(
		t *testing.T, p *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]){
		"its future": func(t *testing.T, _ *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]) {
			assert.False(t, f.Cancel())
		},
		"its handle": func(t *testing.T, _ *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]) {
			assert.False(t, f.Handle.Stop())
		},
		"its successor": func(t *testing.T, p *executor.ScheduledPool, _ *executor.ScheduledFuture[struct{}]) {
			next, err := p.AtFixedRate(time.Hour, time.Hour, boom, executor.Name("import"))
			require.NoError(t, err)
			assert.True(t, next.Cancel())
		},
	} {
		t.Run(name, func(t *testing.T) {
			watched(t, func(p *executor.ScheduledPool, a *alarms) {
				f, err := p.AtFixedRate(0, time.Minute, boom, executor.Name("import"))
				require.NoError(t, err)
				time.Sleep(time.Second)
				require.Len(t, a.read(), 1)
				remove(t, p, f)
				assert.Equal(t, []string{"ok"}, a.read())
			})
		})
	}
}

func TestAFailedJobIsForgottenWhenApplyRemovesIt(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		job := executor.Job{Name: "import", Rate: time.Minute, Task: ends["panic"].body}
		for range 2 { // unchanged, and dead
			_, err := p.Apply(job)
			require.NoError(t, err)
			time.Sleep(time.Hour)
			assert.Equal(t, []string{"import=failed"}, states(p))
		}
		require.Len(t, a.read(), 1)
		_, err := p.Apply()
		require.NoError(t, err)
		assert.Equal(t, []string{"ok"}, a.read())
	})
}

func TestGivingUpIsNoRecovery(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		body := &flaky{fail: true}
		f, err := p.AtFixedRate(time.Second, time.Second, body.run, executor.Name("job"),
			executor.PauseAfter(20), executor.Expect(insight.SuccessWithin(10*time.Second)))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		require.True(t, f.Paused())
		assert.Len(t, a.read(), 1)
		assert.Equal(t, []string{"job=late"}, states(p))
		assert.True(t, f.Resume(), "somebody tries again")
		time.Sleep(5 * time.Second)
		assert.Empty(t, a.read())
		assert.Equal(t, []string{"job=late"}, states(p))
		body.set(false, 0)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"ok"}, a.read())
		f.Pause() // from outside: nothing is expected
		time.Sleep(time.Minute)
		assert.Empty(t, a.read())
		assert.Equal(t, []string{"job=paused"}, states(p))
	})
}

func TestASeriesThatGivesUpIsLateInItsTime(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		body := &flaky{fail: true}
		_, err := p.AtFixedRate(time.Second, time.Second, body.run, executor.Name("job"),
			executor.PauseAfter(3), executor.Expect(insight.SuccessWithin(time.Hour)))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"job=paused"}, states(p))
		assert.Empty(t, a.read())
		time.Sleep(time.Hour)
		assert.Len(t, a.read(), 1)
		assert.Equal(t, []string{"job=late"}, states(p))
	})
}

func TestAJobWhoseRunsAllExpireIsLate(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		const s = time.Second
		_, err := p.AtFixedRate(500*ms, 2*s, lasts(0), executor.Name("victim"),
			executor.BeginWithin(500*ms), executor.CatchUp(executor.Skip),
			executor.Expect(insight.StartWithin(s, 0.9)))
		require.NoError(t, err)
		for range 2 {
			_, err := p.AtFixedRate(0, 2*s, lasts(1900*ms), executor.CatchUp(executor.Skip))
			require.NoError(t, err)
		}
		time.Sleep(5 * time.Minute)
		assert.NotZero(t, p.Stats().Expired)
		assert.Equal(t, []string{"victim=late"}, states(p))
		require.Len(t, a.read(), 1)
	})
}

func TestNamesOfWhatHasEndedAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		for i := range 3000 {
			f, err := p.Schedule(0, func(context.Context) error { return errors.New("broken") },
				executor.Name(fmt.Sprint(i)), executor.Expect(insight.SuccessWithin(time.Hour)))
			require.NoError(t, err)
			_, _ = f.Get(t.Context())
		}
		synctest.Wait() // a future is settled before its run is counted
		tasks := states(p)
		assert.Len(t, tasks, 1000)
		assert.Contains(t, strings.Join(tasks, " "), "2999=failed", "the latest are kept")
	})
}

func TestWhatIsNotExpectedIn292YearsIsNotExpected(t *testing.T) {
	watched(t, func(p *executor.ScheduledPool, a *alarms) {
		_, err := p.AtFixedRate(time.Hour, time.Hour, lasts(0), executor.Name("poll"),
			executor.Expect(insight.SuccessWithin(math.MaxInt64)))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Empty(t, a.read())
		assert.Equal(t, []string{"poll=new"}, states(p))
	})
}
