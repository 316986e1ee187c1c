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
	"github.com/punctual-go/punctual/executor/rejection"
)

func TestAPausedPoolTakesNothingNew(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 3)
		tr := pooltest.NewTrace()
		require.NoError(t, p.Execute(tr.Lasting("running", 10*time.Second)))
		synctest.Wait()
		assert.False(t, p.Resume())
		p.Pause()
		assert.True(t, p.Paused())
		for range 5 {
			require.NoError(t, p.Execute(tr.Task("new")))
		}
		_, err := p.Submit(tr.Task("with a future"))
		require.NoError(t, err)
		time.Sleep(20 * time.Second)
		assert.Equal(t, []string{"running 10s"}, tr.Seen())
		assert.Equal(t, 6, p.Stats().Queued)
		pooltest.Balanced(t, p)
		assert.True(t, p.Resume())
		synctest.Wait()
		assert.Len(t, tr.Seen(), 7)
		assert.Equal(t, "new 20s", tr.Seen()[1])
	})
}

func TestAPauseEndsAtItsTime(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		tr := pooltest.NewTrace()
		p.PauseUntil(time.Now().Add(5 * time.Second))
		require.NoError(t, p.Execute(tr.Task("a")))
		time.Sleep(3 * time.Second)
		p.PauseUntil(time.Now().Add(5 * time.Second)) // the later call counts
		time.Sleep(10 * time.Second)
		assert.Equal(t, []string{"a 8s"}, tr.Seen())

		p.PauseUntil(time.Now().Add(time.Second))
		p.Pause()
		time.Sleep(10 * time.Second)
		assert.True(t, p.Paused())
		p.PauseUntil(time.Now())
		assert.False(t, p.Paused())
	})
}

func TestWorkersBusyWithABatchAreStoppedByAPause(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		tr := pooltest.NewTrace()
		for range 100 {
			require.NoError(t, p.Execute(tr.Lasting("a", time.Second)))
		}
		time.Sleep(10*time.Second + time.Millisecond)
		p.Pause()
		time.Sleep(time.Hour)
		assert.Len(t, tr.Seen(), 11)
		p.Resume()
		time.Sleep(time.Hour)
		assert.Len(t, tr.Seen(), 100)
	})
}

func TestEveryShutdownEndsAPause(t *testing.T) {
	for name, end := range map[string]func(*executor.Pool){
		"Shutdown": (*executor.Pool).Shutdown,
		"Close":    func(p *executor.Pool) { assert.NoError(t, p.Close()) },
		"now":      func(p *executor.Pool) { p.ShutdownNow() },
	} {
		pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
			p := newPool(t, 1)
			p.PauseUntil(time.Now().Add(time.Hour))
			ran := false
			f, err := p.Submit(func(context.Context) error { ran = true; return nil })
			require.NoError(t, err)
			end(p)
			require.NoError(t, p.AwaitTermination(context.Background()))
			result, settled := f.Poll()
			require.True(t, settled)
			assert.Equal(t, ran, result.Err == nil, name)
			p.Pause()
			assert.False(t, p.Paused())
		})
	}
}

func TestASeriesOfAPausedPoolCatchesUp(t *testing.T) {
	for policy, want := range map[executor.CatchUpPolicy][]string{
		executor.Burst: {"10", "35", "35", "40"}, executor.Coalesce: {"10", "35", "40", "50"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewScheduledPool(t, 2)
			d := newDiary()
			rate(t, p, d.task(0), executor.CatchUp(policy))
			d.until(15)
			p.Pause()
			d.until(35)
			p.Resume()
			d.until(55)
			assert.Equal(t, want, d.starts()[:4])
		})
	}
}

func TestARunInProgressGetsWhatItWaitsForDuringAPause(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		f, err := p.Submit(func(ctx context.Context) error {
			p.Pause()
			child, err := p.Submit(pooltest.Nothing)
			if err != nil {
				return err
			}
			_, err = child.Get(ctx)
			return err
		})
		require.NoError(t, err)
		_, err = f.GetTimeout(time.Hour)
		assert.NoError(t, err)
		p.Resume()
	})
}

func TestAPausedPoolBlocksThoseForWhomThereIsNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.Block))
		p.Pause()
		tr := pooltest.NewTrace()
		for range 4 {
			go func() { _ = p.Execute(tr.Task("a")) }()
		}
		time.Sleep(time.Second)
		assert.Empty(t, tr.Seen())
		p.Resume()
		synctest.Wait()
		assert.Len(t, tr.Seen(), 4)
	})
}

// A worker that finds its pool paused must not take the queue for empty.
func TestAPauseDoesNotChangeTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		require.NoError(t, p.Execute(tr.Lasting("running", 5*time.Second)))
		synctest.Wait()
		_, err := p.Schedule(time.Second, tr.Task("due"))
		require.NoError(t, err)
		p.Pause()
		time.Sleep(10 * time.Second)
		require.NoError(t, p.Execute(tr.Task("new")))
		p.Resume()
		synctest.Wait()
		assert.Equal(t, []string{"running 5s", "due 10s", "new 10s"}, tr.Seen())
	})
}
