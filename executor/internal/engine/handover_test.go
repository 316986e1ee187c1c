package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// brief runs a series until its runs are known to be brief, and then lets its body do something
// else, once. The next task of the pool is due a second later.
func brief(t *testing.T, p *executor.ScheduledPool, then executor.Task) *pooltest.Trace {
	runs := 0
	_, err := p.AtFixedRate(time.Second, time.Second, func(ctx context.Context) error {
		if runs++; runs == 5 {
			return then(ctx)
		}
		return nil
	}, executor.MaxRuns(6), executor.FailurePolicy(executor.Continue))
	require.NoError(t, err)
	tr := pooltest.NewTrace()
	pooltest.Schedule(t, p, 5500*time.Millisecond, tr.Task("next"))
	return tr
}

// Nobody was woken to wait for the next task, as the run was expected to be brief. It is not.
func TestARunThatIsNotBriefAfterAllDelaysNobody(t *testing.T) {
	for name, then := range map[string]executor.Task{
		"blocks": pooltest.Sleep(time.Hour),
		"ends":   pooltest.Goexit,
		"panics": pooltest.Panic,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 2, pooltest.Quiet())
				tr := brief(t, p, then)
				pooltest.Schedule(t, p, 48*time.Hour, pooltest.Nothing)
				time.Sleep(3 * time.Hour)
				synctest.Wait()
				require.NoError(t, engineOf(p).Validate(), "nobody is expected back who is not out")
				require.Equal(t, []string{"next 5.5s"}, tr.Seen())
				require.Equal(t, 1, p.Stats().Queued)
				pooltest.Balanced(t, &p.Pool)
			})
		})
	}
}

// What comes meanwhile is seen to as well, whether it is earlier or to run now.
func TestWhatComesDuringARunThatIsNotBriefIsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		var late *pooltest.Trace
		tr := brief(t, p, func(context.Context) error {
			late = pooltest.NewTrace()
			pooltest.Schedule(t, p, 300*time.Millisecond, late.Task("earlier"))
			require.NoError(t, p.Execute(late.Task("now")))
			time.Sleep(time.Hour)
			return nil
		})
		time.Sleep(3 * time.Hour)
		require.Equal(t, []string{"next 5.5s"}, tr.Seen())
		require.Equal(t, []string{"now 0s", "earlier 300ms"}, late.Seen())
	})
}

// A body that waits for a task of its own pool, and one that cancels what is next.
func TestABriefRunMayWaitForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		tr := brief(t, p, func(ctx context.Context) error {
			f := pooltest.Schedule(t, p, 100*time.Millisecond, pooltest.Nothing)
			_, err := f.Get(ctx)
			return err
		})
		time.Sleep(time.Hour)
		require.Equal(t, []string{"next 5.5s"}, tr.Seen())
	})
}

func TestShutdownDuringARunThatWasToBeBrief(t *testing.T) {
	for name, end := range map[string]func(p *executor.ScheduledPool){
		"Shutdown":    func(p *executor.ScheduledPool) { p.Shutdown() },
		"ShutdownNow": func(p *executor.ScheduledPool) { p.ShutdownNow() },
		"Close": func(p *executor.ScheduledPool) {
			_, _ = p.CloseContext(context.Background())
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(2)
				var began time.Time
				tr := brief(t, p, func(context.Context) error {
					began = time.Now()
					go end(p)
					time.Sleep(time.Minute)
					return nil
				})
				<-p.Terminated()
				assert.Equal(t, time.Minute, time.Since(began))
				if name == "Shutdown" {
					assert.Equal(t, []string{"next 5.5s"}, tr.Seen())
				} else {
					assert.Empty(t, tr.Seen())
				}
			})
		})
	}
}

// wakeUps returns the runs and the wake-ups of a pool in an hour, after a minute to learn.
func wakeUps(p *executor.ScheduledPool) (runs, wakes uint64) {
	time.Sleep(time.Minute)
	synctest.Wait()
	before := p.Stats()
	time.Sleep(time.Hour)
	synctest.Wait()
	after := p.Stats()
	return after.Runs - before.Runs, after.Wakeups - before.Wakeups
}

// A run that is known to be brief wakes nobody: with two workers, there are as many wake-ups as
// runs.
func TestABriefRunWakesNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		p.PrestartWorkers()
		_, err := p.AtFixedRate(time.Second, time.Second, pooltest.Nothing)
		require.NoError(t, err)
		pooltest.Schedule(t, p, 48*time.Hour, pooltest.Nothing)
		runs, wakes := wakeUps(p)
		assert.Equal(t, runs, wakes)
	})
}

// Nor does one that is not brief, if the next task is so far away that there is time to see.
func TestARunThatIsNotLongWakesNobodyElseIfTheNextIsFarAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		p.PrestartWorkers()
		_, err := p.AtFixedRate(time.Second, 10*time.Millisecond, pooltest.Sleep(50*time.Microsecond))
		require.NoError(t, err)
		pooltest.Schedule(t, p, 48*time.Hour, pooltest.Nothing)
		runs, wakes := wakeUps(p)
		assert.Equal(t, runs, wakes)
	})
}

// It does if the next is near. Here each second one is.
func TestARunThatIsNotBriefIsHandedOverIfTheNextIsNear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		p.PrestartWorkers()
		for i := range 2 {
			_, err := p.AtFixedRate(time.Second+time.Duration(i)*time.Millisecond, 10*time.Millisecond,
				pooltest.Sleep(50*time.Microsecond))
			require.NoError(t, err)
		}
		runs, wakes := wakeUps(p)
		assert.InDelta(t, runs+runs/2, wakes, 2)
	})
}

// A task whose runs take long has somebody wait for the next from the beginning.
func TestALongRunIsHandedOverAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		p.PrestartWorkers()
		_, err := p.AtFixedRate(time.Second, time.Second, pooltest.Sleep(time.Millisecond))
		require.NoError(t, err)
		pooltest.Schedule(t, p, 48*time.Hour, pooltest.Nothing)
		runs, wakes := wakeUps(p)
		assert.InDelta(t, 2*runs, wakes, 2)
	})
}
