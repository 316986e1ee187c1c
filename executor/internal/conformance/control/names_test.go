package control_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestAUniqueNameIsTakenWhileItsTaskLives(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2, executor.Name("jobs"))
		gate := pooltest.NewGate(t)
		f, err := p.Submit(gate.Hold, executor.Name("sync"), executor.Unique())
		require.NoError(t, err)
		synctest.Wait()
		_, err = p.Submit(pooltest.Nothing, executor.Name("sync"), executor.Unique())
		assert.ErrorIs(t, err, executor.ErrDuplicate)
		assert.ErrorIs(t, err, executor.ErrRejected)
		assert.EqualError(t, err, `executor: task "sync" of pool "jobs": a task of this name is alive`)
		_, err = p.Submit(pooltest.Nothing, executor.Name("sync"))
		assert.NoError(t, err, "it does not ask to be unique")
		synctest.Wait() // until that has run
		h, ok := p.Lookup("sync")
		require.True(t, ok)
		assert.Equal(t, future.Running, h.State())
		assert.Equal(t, executor.Once, h.Kind())

		f.Stop()
		_, ok = p.Lookup("sync")
		assert.False(t, ok)
		_, err = p.Submit(pooltest.Nothing, executor.Name("sync"), executor.Unique())
		assert.ErrorIs(t, err, executor.ErrDuplicate, "its body still runs")
		gate.Open()
		synctest.Wait()
		g, err := p.Submit(pooltest.Nothing, executor.Name("sync"), executor.Unique())
		require.NoError(t, err)
		_, err = g.Get(context.Background())
		assert.NoError(t, err)
		pooltest.Balanced(t, p)
	})
}

func TestANameIsFreeAfterEveryEnd(t *testing.T) {
	ends := map[string]func(p *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]){
		"run":       func(*executor.ScheduledPool, *executor.ScheduledFuture[struct{}]) { time.Sleep(time.Minute) },
		"cancelled": func(_ *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]) { f.Cancel() },
		"withdrawn": func(_ *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]) { f.Withdraw() },
		"reset":     func(_ *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]) { f.Reset(0); synctest.Wait() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				for range 3 {
					f, err := p.Schedule(time.Second, pooltest.Nothing, executor.Name("a"), executor.Unique())
					require.NoError(t, err)
					end(p, f)
					synctest.Wait()
				}
				_, ok := p.Lookup("a")
				assert.False(t, ok)
			})
		})
	}
}

func TestANameIsFoundThatOneLiveTaskHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		found := func(name string) (h executor.Handle) {
			h, ok := p.Lookup(name)
			assert.Equal(t, ok, h != executor.Handle{})
			return h
		}
		named := func(opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
			f, err := p.Every(time.Minute, pooltest.Nothing, opts...)
			require.NoError(t, err)
			return f
		}
		one := named(executor.Name("sync"))
		assert.Equal(t, one.Handle, found("sync"))
		two := named(executor.Name("sync"))
		assert.Zero(t, found("sync"), "ambiguous")
		unique := named(executor.Name("sync"), executor.Unique())
		assert.Equal(t, unique.Handle, found("sync"), "of several the unique one")
		unique.Cancel()
		two.Cancel()
		assert.Equal(t, one.Handle, found("sync"))
		one.Cancel()
		assert.Zero(t, found("sync"))

		named()
		assert.Zero(t, found(""), "no task has no name")
		once, err := p.Schedule(time.Hour, pooltest.Nothing, executor.Name("once"))
		require.NoError(t, err)
		assert.Equal(t, once.Handle, found("once"))
	})
}

func TestAUniqueTaskNeedsAName(t *testing.T) {
	onEach(t, func(t *testing.T, s scheduler) {
		_, err := s.Submit(pooltest.Nothing, executor.Unique())
		assert.ErrorIs(t, err, executor.ErrInvalid)
		_, err = s.AtFixedRate(0, 1, pooltest.Nothing, executor.Unique())
		assert.ErrorIs(t, err, executor.ErrInvalid)
	})
}

func TestTheTasksOfAPoolAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		gate := pooltest.NewGate(t)
		_, err := p.Submit(gate.Hold, executor.Name("running"))
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, p.Execute(pooltest.Nothing))
		_, err = p.Schedule(time.Hour, pooltest.Nothing, executor.Name("later"))
		require.NoError(t, err)
		_, err = p.Submit(pooltest.Nothing, executor.Name("now"))
		require.NoError(t, err)
		f, err := p.AtFixedRate(time.Minute, 5*time.Second, pooltest.Nothing, executor.Name("rate"))
		require.NoError(t, err)
		g, err := p.WithFixedDelay(2*time.Minute, 7*time.Second, pooltest.Nothing, executor.Name("delay"))
		require.NoError(t, err)
		require.NoError(t, g.SetPeriod(8*time.Second))
		cancelled, err := p.Schedule(time.Second, pooltest.Nothing)
		require.NoError(t, err)
		cancelled.Cancel()

		var names []string
		for h := range p.Tasks() {
			names = append(names, h.Name())
			switch h.Name() {
			case "rate":
				assert.True(t, f.Handle == h)
				assert.Equal(t, executor.FixedRate, h.Kind())
				assert.Equal(t, 5*time.Second, h.Period())
				assert.True(t, h.Pause())
			case "delay":
				assert.Equal(t, executor.FixedDelay, h.Kind())
				assert.Equal(t, 8*time.Second, h.Period())
			default:
				assert.Zero(t, h.Period())
			}
		}
		assert.Equal(t, []string{"running", "now", "rate", "delay", "later"}, names)
		assert.True(t, f.Paused())
		for range p.Tasks() {
			break
		}
	})
}

// jobs is a small service whose jobs come from a configuration.
type jobs struct {
	p *executor.ScheduledPool
	d *diary
}

func (j jobs) every(name string, rate time.Duration, version string, opts ...executor.TaskOption) executor.Job {
	return executor.Job{Name: name, Rate: rate, Initial: rate, Version: version, Options: opts, Task: func(context.Context) error {
		j.d.write("%s%s %v", name, version, j.d.now())
		return nil
	}}
}

func TestApplyAddsChangesAndRemoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := jobs{pooltest.NewScheduledPool(t, 1), newDiary()}
		changes, err := j.p.Apply(j.every("a", 10*time.Second, "1"), j.every("b", 10*time.Second, "1"), j.every("c", 10*time.Second, "1"))
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Added: []string{"a", "b", "c"}}, changes)
		j.d.until(14)
		kept, _ := j.p.Lookup("a")
		changes, err = j.p.Apply(j.every("d", 3*time.Second, ""), j.every("b", 10*time.Second, "2"), j.every("a", 10*time.Second, "1"))
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Added: []string{"d"}, Changed: []string{"b"}, Removed: []string{"c"}, Unchanged: []string{"a"},
			Why: map[string]string{"b": `version "1" -> "2"`}}, changes)
		again, _ := j.p.Lookup("a")
		assert.True(t, kept == again)
		j.d.until(21)
		assert.Equal(t, []string{"a1 10", "b1 10", "c1 10", "d 17", "a1 20", "b2 20", "d 20"}, j.d.starts(), "phases are kept")
		b, _ := j.p.Lookup("b")
		assert.EqualValues(t, 2, b.Runs(), "and counts")

		changes, err = j.p.Apply(j.every("a", 4*time.Second, "1"))
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Changed: []string{"a"}, Removed: []string{"b", "d"},
			Why: map[string]string{"a": "period 10s -> 4s"}}, changes)
		j.d.until(29)
		assert.Equal(t, []string{"a1 24", "a1 28"}, j.d.starts()[7:])
		_, err = j.p.Apply()
		require.NoError(t, err)
		j.d.until(100)
		assert.Len(t, j.d.starts(), 9)
		pooltest.Balanced(t, &j.p.Pool)
	})
}

func TestAReplacedJobDoesNotOverlapItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		d := newDiary()
		var active, most atomic.Int32
		body := func(ctx context.Context) error {
			most.Store(max(most.Load(), active.Add(1)))
			defer active.Add(-1)
			d.run(ctx)
			time.Sleep(7 * time.Second)
			return nil
		}
		job := func(opts ...executor.TaskOption) executor.Job {
			return executor.Job{Name: "a", Rate: 10 * time.Second, Task: body, Options: opts}
		}
		_, err := p.Apply(job())
		require.NoError(t, err)
		d.until(1)
		old, _ := p.Lookup("a")
		changes, err := p.Apply(job(executor.CatchUp(executor.Skip)))
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Changed: []string{"a"},
			Why: map[string]string{"a": "replaced: options: CatchUp"}}, changes)
		now, ok := p.Lookup("a")
		require.True(t, ok)
		assert.False(t, old == now)
		assert.False(t, now.Resume(), "it waits for the old one, it is not paused")
		now.Trigger()
		d.until(3)
		_, err = p.Apply(job(executor.CatchUp(executor.Coalesce))) // replaced once more
		require.NoError(t, err)
		d.until(30)
		assert.Equal(t, []string{"0", "13", "23"}, d.starts())
		assert.EqualValues(t, 1, most.Load())
		pooltest.Balanced(t, &p.Pool)
	})
}

func TestANameIsFreeOnceBothAJobAndItsReplacementHaveGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		gate := pooltest.NewGate(t)
		job := executor.Job{Name: "a", Rate: time.Second, Task: gate.Hold}
		_, err := p.Apply(job)
		require.NoError(t, err)
		synctest.Wait()
		job.Options = []executor.TaskOption{executor.MaxRuns(1)}
		_, err = p.Apply(job)
		require.NoError(t, err)
		changes, err := p.Apply()
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Removed: []string{"a"}}, changes)
		gate.Open()
		synctest.Wait()
		_, err = p.Submit(pooltest.Nothing, executor.Name("a"), executor.Unique())
		assert.NoError(t, err)
		pooltest.Balanced(t, &p.Pool)
	})
}

func TestAJobThatHasEndedIsNotStartedAgainUntilItChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := jobs{pooltest.NewScheduledPool(t, 1), newDiary()}
		once := func(version string) executor.Job { return j.every("a", time.Second, version, executor.MaxRuns(1)) }
		_, err := j.p.Apply(once("1"))
		require.NoError(t, err)
		j.d.until(5)
		changes, err := j.p.Apply(once("1"))
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, changes.Unchanged)
		changes, err = j.p.Apply(once("2"))
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, changes.Changed)
		j.d.until(10)
		assert.Equal(t, []string{"a1 1", "a2 6"}, j.d.starts())
	})
}

func TestApplyDoesNothingIfAnythingIsWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := jobs{pooltest.NewScheduledPool(t, 1, executor.PendingLimit(3)), newDiary()}
		_, err := j.p.Schedule(time.Hour, pooltest.Nothing, executor.Name("mine"), executor.Unique())
		require.NoError(t, err)
		good := j.every("a", time.Second, "")
		_, err = j.p.Apply(good)
		require.NoError(t, err)
		other := j.every("b", time.Second, "")
		for want, bad := range map[error]executor.Job{
			executor.ErrNilTask:   {Name: "x", Rate: 1},
			executor.ErrDuplicate: j.every("mine", time.Second, ""),
		} {
			_, err := j.p.Apply(other, bad)
			assert.ErrorIs(t, err, want)
		}
		for _, bad := range []executor.Job{
			{Name: "x", Task: pooltest.Nothing}, {Name: "x", Task: pooltest.Nothing, Rate: 1, Delay: 1}, {Task: pooltest.Nothing, Rate: 1},
			{Name: "x", Task: pooltest.Nothing, Rate: -1}, {Name: "x", Task: pooltest.Nothing, Delay: -1}, other,
			{Name: "x", Task: pooltest.Nothing, Rate: 1, Options: []executor.TaskOption{nil}},
			j.every("x", 1, "", executor.Until(time.Now())),
		} {
			_, err := j.p.Apply(other, bad)
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
		_, err = j.p.Apply(other, j.every("c", 1, ""), j.every("d", 1, ""))
		assert.ErrorIs(t, err, executor.ErrSaturated)
		_, ok := j.p.Lookup("a")
		assert.True(t, ok, "nothing was removed")
		assert.EqualValues(t, 2, j.p.Stats().Accepted)
		j.p.Shutdown()
		_, err = j.p.Apply(good)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}
