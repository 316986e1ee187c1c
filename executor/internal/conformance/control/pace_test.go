package control_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/serial"
)

var pacedKinds = map[string]pooltest.Maker{
	"plain": pooltest.Kinds["plain"], "priority": pooltest.Kinds["priority"], "scheduled": pooltest.Kinds["scheduled"],
	"bounded": pooltest.Plain(executor.Queue(queue.Bounded(100))),
}

func TestAPoolStartsNoMoreThanItsPaceInAnySpan(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 3, executor.Pace(2, 10*time.Second))
		d := newDiary()
		for range 5 {
			require.NoError(t, p.Execute(d.task(time.Second)))
		}
		d.until(4)
		_, err := p.Submit(d.task(0))
		require.NoError(t, err)
		assert.Equal(t, []string{"0", "0"}, d.starts())
		assert.Zero(t, p.Stats().Busy, "what waits holds no worker")
		d.until(50)
		assert.Equal(t, []string{"0", "0", "10", "10", "20", "20"}, d.starts())
		require.NoError(t, p.Execute(d.task(0)))
		d.until(55)
		for range 3 {
			require.NoError(t, p.Execute(d.task(0)))
		}
		d.until(70)
		assert.Equal(t, []string{"50", "55", "60", "65"}, d.starts()[6:], "in any span, wherever it begins")
	})
}

func TestAPacedPoolKeepsTimesAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Pace(1, 10*time.Second))
		d := newDiary()
		for _, at := range []time.Duration{3, 4, 50} {
			_, err := p.Schedule(at*time.Second, d.task(0))
			require.NoError(t, err)
		}
		d.until(45)
		p.Shutdown()
		require.NoError(t, p.AwaitTermination(context.Background()))
		assert.Equal(t, []string{"3", "13", "50"}, d.starts())
	})
}

func TestAPaceHoldsUpWhatARunWaitsForToo(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1, executor.Pace(1, 10*time.Second))
		d := newDiary()
		f, err := p.Submit(func(ctx context.Context) error {
			child, err := p.Submit(d.task(0))
			if err == nil {
				_, err = child.Get(ctx)
			}
			return err
		})
		require.NoError(t, err)
		_, err = f.GetTimeout(time.Minute)
		require.NoError(t, err)
		assert.Equal(t, []string{"10"}, d.starts())
	})
}

func TestEachKeyHasItsOwnPace(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 3)
		k := serial.NewKeyed[string](p, executor.Pace(2, 10*time.Second))
		a, b := newDiary(), newDiary()
		for range 4 {
			require.NoError(t, k.Execute("a", a.task(time.Second)))
		}
		require.NoError(t, k.Execute("b", b.task(0)))
		a.until(11.5)
		require.NoError(t, p.Execute(b.task(0)), "others are not held up")
		a.until(15)
		assert.Equal(t, []string{"0", "1", "10", "11"}, a.starts())
		assert.Equal(t, []string{"0", "11.5"}, b.starts())
		require.NoError(t, k.Execute("a", a.task(0)), "the key has had no task meanwhile, and keeps its pace")
		a.until(40)
		assert.Equal(t, "20", a.starts()[4])
		assert.Zero(t, k.Keys())
		pooltest.Balanced(t, p)
	})
}

func TestAGapLiesBetweenTheTasksOfAKey(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2)
		s := serial.New(p, serial.Gap(5*time.Second))
		d := newDiary()
		for range 3 {
			_, err := s.Submit(d.task(2 * time.Second))
			require.NoError(t, err)
		}
		d.until(16)
		require.NoError(t, s.Execute(d.task(0)))
		d.until(30)
		assert.Equal(t, []string{"0", "7", "14", "21"}, d.starts())
		pooltest.Balanced(t, p)
	})
}

func TestAPacedSerialIsShutDownLikeAnyOther(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2)
		s := serial.New(p, serial.Gap(time.Hour))
		d := newDiary()
		for range 3 {
			_, err := s.Submit(d.task(0))
			require.NoError(t, err)
		}
		d.until(1)
		assert.Len(t, p.ShutdownNow(), 2)
		require.NoError(t, p.AwaitTermination(context.Background()))
		assert.Equal(t, time.Second, time.Since(d.began))
	})
}

func TestABadPacePanics(t *testing.T) {
	assert.Panics(t, func() { executor.Pace(0, 1) })
	assert.Panics(t, func() { executor.Pace(1, 0) })
	assert.Panics(t, func() { serial.Gap(-1) })
	assert.Panics(t, func() { serial.New(executor.NewPool(1), nil) })
	assert.Panics(t, func() { serial.NewKeyed[int](executor.NewPool(1), nil) })
}

func TestATaskScheduledForAKeyTakesItsPlaceWhenItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		k := serial.NewKeyed[string](p)
		tr := pooltest.NewTrace()
		_, err := k.Schedule("a", 3*time.Second, tr.Lasting("later", time.Second))
		require.NoError(t, err)
		cancelled, err := k.Schedule("a", 3*time.Second, tr.Task("cancelled"))
		require.NoError(t, err)
		_, err = k.Schedule("b", 3*time.Second, tr.Task("other key"))
		require.NoError(t, err)
		assert.Equal(t, 2, k.Keys())
		for range 2 {
			require.NoError(t, k.Execute("a", tr.Lasting("now", 2*time.Second)))
		}
		cancelled.Cancel()
		time.Sleep(3500 * time.Millisecond)
		require.NoError(t, k.Execute("a", tr.Task("last")))
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"now 2s", "other key 3s", "now 4s", "later 5s", "last 5s"}, tr.Seen())
		assert.Zero(t, k.Keys())
		pooltest.Balanced(t, &p.Pool)
	})
}

func TestAKeyIsKeptForWhatIsScheduledAndReleasedByEveryEnd(t *testing.T) {
	for name, end := range map[string]func(p *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]){
		"cancelled": func(_ *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]) { f.Cancel() },
		"closed":    func(p *executor.ScheduledPool, _ *executor.ScheduledFuture[struct{}]) { assert.NoError(t, p.Close()) },
		"now":       func(p *executor.ScheduledPool, _ *executor.ScheduledFuture[struct{}]) { p.ShutdownNow() },
		"run":       func(*executor.ScheduledPool, *executor.ScheduledFuture[struct{}]) { time.Sleep(2 * time.Hour) },
		"moved": func(_ *executor.ScheduledPool, f *executor.ScheduledFuture[struct{}]) {
			f.Reset(time.Minute)
			time.Sleep(2 * time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				k := serial.NewKeyed[int](p)
				f, err := k.Schedule(1, time.Hour, pooltest.Nothing)
				require.NoError(t, err)
				assert.Equal(t, 1, k.Keys())
				end(p, f)
				synctest.Wait()
				assert.Zero(t, k.Keys())
				pooltest.Balanced(t, &p.Pool)
			})
		})
	}
}

func TestASubmissionForLaterNeedsAScheduledPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		_, err := serial.New(p).Schedule(1, pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrInvalid)
		q := pooltest.NewScheduledPool(t, 1)
		k := serial.NewKeyed[int](q)
		_, err = k.Schedule(1, 1, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		q.Shutdown()
		_, err = k.Schedule(1, 1, pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.Zero(t, k.Keys())
	})
}

func TestARunMayWaitForWhatIsScheduledForAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		s := serial.New(p)
		tr := pooltest.NewTrace()
		outer, err := p.Submit(func(ctx context.Context) error {
			f, err := s.Schedule(3*time.Second, tr.Task("scheduled"))
			if err != nil {
				return err
			}
			if err := s.Execute(tr.Lasting("first", 5*time.Second)); err != nil {
				return err
			}
			_, err = f.Get(ctx)
			return err
		})
		require.NoError(t, err)
		_, err = outer.GetTimeout(time.Hour)
		assert.NoError(t, err)
		assert.Len(t, tr.Seen(), 2)
		pooltest.Balanced(t, &p.Pool)
	})
}
