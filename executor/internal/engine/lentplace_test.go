package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/probe"
)

// slowEnd returns what to set so that the next wait that ends takes so long to do so.
func slowEnd(t *testing.T, long time.Duration) (slow *atomic.Bool) {
	slow = new(atomic.Bool)
	t.Cleanup(delay.Set(func(at delay.Point) {
		if at == delay.WaitEnds && slow.CompareAndSwap(true, false) {
			time.Sleep(long)
		}
	}))
	return slow
}

// marked returns a body that records its beginning and takes a second.
func marked(tr *pooltest.Trace, name string) executor.Task {
	return func(context.Context) error {
		tr.Mark(name)
		time.Sleep(time.Second)
		return nil
	}
}

// The wait of the parent has two helpers: the second, for what is due later, uses the place that
// the first has lent, as that waits for what a worker runs. When that worker is free again, the
// first is about to go on, and slow to.
func TestC4_AWorkerDoesNotTakeThePlaceOfARunWhoseWaitItHasJustEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		tr := pooltest.NewTrace()
		slow := slowEnd(t, time.Second)
		require.NoError(t, p.Execute(pooltest.Sleep(time.Second))) // holds the other worker
		parent := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			first, _ := p.Submit(func(ctx context.Context) error {
				time.Sleep(2 * time.Second)
				child, _ := p.Submit(func(context.Context) error {
					time.Sleep(18 * time.Second)
					slow.Store(true)
					return nil
				})
				assert.NoError(t, p.Execute(marked(tr, "next begins")))
				time.Sleep(time.Second)
				_, err := child.Get(ctx)
				tr.Mark("first goes on")
				time.Sleep(20 * time.Second)
				return err
			})
			brief, _ := p.Submit(pooltest.Nothing) // ends, so that the parent is helped anew
			second, _ := p.Schedule(10*time.Second, func(ctx context.Context) error {
				child, _ := p.Submit(pooltest.Sleep(20 * time.Second))
				_, err := child.Get(ctx)
				tr.Mark("second goes on")
				return err
			})
			_, err := future.All(ctx, first, brief, second.Future)
			return 0, err
		})
		probe.Elapse(25 * time.Second)
		moreValid(t, &p.Pool)
		assert.Equal(t, []string{"first goes on 21s"}, tr.Seen())
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"first goes on 21s", "second goes on 30s", "next begins 30s"}, tr.Seen())
		_, err := pooltest.Settled(t, parent)
		assert.NoError(t, err)
		pooltest.Balanced(t, &p.Pool)
	})
}

// The helper waits for the first of two. A worker runs one, and another helper the other.
func TestC4_AWorkerDoesNotTakeThePlaceOfARunThatHasWaitedForItsTaskAmongOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		tr := pooltest.NewTrace()
		slow := slowEnd(t, time.Second)
		require.NoError(t, p.Execute(pooltest.Sleep(time.Second))) // holds the other worker
		parent := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			helped, _ := p.Submit(func(ctx context.Context) error {
				time.Sleep(2 * time.Second)
				child, _ := p.Submit(func(context.Context) error {
					time.Sleep(18 * time.Second)
					slow.Store(true)
					return nil
				})
				time.Sleep(time.Second)
				other, _ := p.Submit(pooltest.Sleep(30 * time.Second))
				assert.NoError(t, p.Execute(marked(tr, "next begins")))
				_, err := future.Any(ctx, child, other)
				tr.Mark("helped goes on")
				time.Sleep(20 * time.Second)
				return err
			})
			_, err := helped.Get(ctx)
			return 0, err
		})
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"helped goes on 21s", "next begins 33s"}, tr.Seen())
		_, err := pooltest.Settled(t, parent)
		assert.NoError(t, err)
		pooltest.Balanced(t, p)
	})
}

// When the wait of the slow one ends, there are places for all, so that nobody keeps an account of
// it. Before it goes on, others take places, the last of them a second helper.
func TestC4_APlaceThatIsReturnedWithoutAnAccountIsNotTakenLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4)
		tr := pooltest.NewTrace()
		slow := slowEnd(t, 2*time.Second)
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			child, _ := p.Submit(func(context.Context) error {
				time.Sleep(20 * time.Second)
				slow.Store(true)
				return nil
			})
			time.Sleep(time.Second)
			_, err := child.Get(ctx)
			tr.Mark("slow goes on")
			time.Sleep(18 * time.Second)
			return 0, err
		})
		synctest.Wait()
		require.NoError(t, p.Execute(pooltest.Sleep(5*time.Second))) // holds the last worker
		never := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			first, _ := p.Submit(pooltest.Sleep(time.Minute))
			second, _ := p.Schedule(21*time.Second, tr.Task("second helper"))
			for range future.Completed(ctx, first, never.Future, second.Future) {
			}
			return 0, nil
		})
		probe.Elapse(10 * time.Second)
		never.Cancel() // so that the parent is helped anew
		time.Sleep(10 * time.Second)
		for range 2 {
			time.Sleep(time.Second / 4)
			require.NoError(t, p.Execute(pooltest.Sleep(10*time.Second)))
		}
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"slow goes on 22s", "second helper 30.25s"}, tr.Seen())
		pooltest.Balanced(t, &p.Pool)
	})
}

// Two wait for the same task: it has one place to give back.
func TestC4_OfTwoThatWaitForOneTaskOfAConfinedPoolOneGoesOnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Confined())
		tr := pooltest.NewTrace()
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			var last *future.Future[struct{}]
			child, _ := p.Submit(func(ctx context.Context) error {
				_, err := last.Get(ctx)
				tr.Mark("child goes on")
				time.Sleep(time.Minute)
				return err
			})
			last, _ = p.Submit(pooltest.Sleep(time.Hour))
			_, err := future.Any(ctx, child, last)
			tr.Mark("parent goes on")
			time.Sleep(time.Minute)
			return 0, err
		})
		probe.Elapse(2 * time.Hour)
		seen := tr.Seen()
		require.Len(t, seen, 2) // in any order
		assert.Contains(t, seen[0], " 1h0m0s")
		assert.Contains(t, seen[1], " 1h1m0s")
		pooltest.Balanced(t, p)
	})
}

// The member is cancelled, and goes on. So does the wait for it, whose place a second helper needs.
func TestC4_AWaitForACancelledRunToStopLendsItsPlaceForAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		tr := pooltest.NewTrace()
		never := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			g := bulk.NewGroup(ctx, p)
			assert.NoError(t, g.Go(func(context.Context) error {
				time.Sleep(2 * time.Second)
				first, _ := p.Submit(pooltest.Sleep(time.Minute))
				second, _ := p.Schedule(19*time.Second, tr.Task("second helper"))
				for range future.Completed(context.Background(), first, never.Future, second.Future) {
				}
				return nil
			}))
			time.Sleep(time.Second)
			g.Cancel(pooltest.ErrTask)
			assert.ErrorIs(t, g.Wait(), pooltest.ErrTask)
			tr.Mark("waited")
			return 0, nil
		})
		require.NoError(t, p.Execute(pooltest.Sleep(time.Hour))) // holds the last worker
		probe.Elapse(10 * time.Second)
		never.Cancel() // so that the member is helped anew
		probe.Elapse(2 * time.Minute)
		assert.Equal(t, []string{"second helper 21s", "waited 1m2s"}, tr.Seen())
	})
}

// The first of two has ended, on a helper, and the run that has waited for it is slow to go on.
func TestC4_NoMoreIsHelpedForAWaitThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		tr := pooltest.NewTrace()
		slow := slowEnd(t, time.Second)
		require.NoError(t, p.Execute(pooltest.Sleep(time.Hour))) // holds the other worker
		pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			first, _ := p.Submit(func(context.Context) error {
				time.Sleep(time.Second)
				slow.Store(true)
				return nil
			})
			second, _ := p.Submit(marked(tr, "second begins"))
			_, err := future.Any(ctx, first, second)
			tr.Mark("goes on")
			time.Sleep(10 * time.Second)
			return 0, err
		})
		probe.Elapse(2 * time.Minute)
		assert.Equal(t, []string{"goes on 2s", "second begins 12s"}, tr.Seen())
	})
}
