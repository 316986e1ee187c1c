package observe_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// An observer that ends goroutines costs runs, but neither the pool nor the other observers.
func TestAnObserverThatEndsTheGoroutineHarmsNoOther(t *testing.T) {
	for _, when := range []string{"began", "late", "missed", "ended", "overran", "expired"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := new(diary)
				exit := func(at string) {
					if at == when {
						runtime.Goexit()
					}
				}
				bad := executor.Observer{
					Began:   func(context.Context, executor.Run) context.Context { exit("began"); return nil },
					Late:    func(context.Context, executor.Run, insight.Lateness) { exit("late") },
					Missed:  func(executor.Run) { exit("missed") },
					Ended:   func(context.Context, executor.Run, error) { exit("ended") },
					Overran: func(executor.Run) { exit("overran") },
					Expired: func(executor.Run) { exit("expired") },
				}
				p := executor.NewScheduledPool(1, executor.Observe(bad, d.observer("")),
					executor.Watch(insight.Config{ExplainLate: insight.Any}), pooltest.Quiet())
				at(p, 0, "hog", 35*ms)
				at(p, 10*ms, "late", 0)
				_, err := p.AtFixedRate(10*ms, 10*ms, lasts(0), executor.Name("series"),
					executor.CatchUp(executor.Skip), executor.MaxRuns(3))
				require.NoError(t, err)
				_, err = p.Schedule(0, lasts(0), executor.Name("expired"), executor.BeginWithin(ms))
				require.NoError(t, err)
				f, err := p.Schedule(time.Second, lasts(time.Second), executor.Name("long"),
					executor.Timeout(ms))
				require.NoError(t, err)
				time.Sleep(time.Minute)
				result, settled := f.Poll()
				assert.True(t, settled)
				assert.Error(t, result.Err)
				lines := d.read()
				wanted := []string{"began hog#1", "began late#1", "began series#1", "began long#1",
					"overran long#1", "expired expired#1"}
				for _, want := range wanted {
					assert.Contains(t, lines, want)
				}
				s := p.Stats()
				assert.Zero(t, s.Busy+s.Queued)
				require.NoError(t, p.Close())
				pooltest.Balanced(t, &p.Pool)
			})
		})
	}
}

// Observers may call the pool, whatever they are told.
func TestObserversMayCallThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *executor.ScheduledPool
		var looks, children atomic.Int64 // they are told on several goroutines
		look := func() {
			looks.Add(1)
			_, _, _, _ = p.Stats(), p.Queued(), p.Running(), p.Insight().Health()
			_, _, _ = p.Next(3), p.Insight().Measurements(), p.Expvar().String()
			for h := range p.Tasks() {
				h.Last()
			}
		}
		o := executor.Observer{
			Submitted: func(executor.Run) { look() },
			Rejected:  func(executor.Run, error) { look() },
			Began: func(ctx context.Context, r executor.Run) context.Context {
				look()
				if r.Name != "child" {
					children.Add(1)
					_, err := p.Submit(lasts(0), executor.Name("child"))
					assert.NoError(t, err)
				}
				return ctx
			},
			Late:      func(context.Context, executor.Run, insight.Lateness) { look() },
			Missed:    func(executor.Run) { look() },
			Overran:   func(executor.Run) { look() },
			Ended:     func(context.Context, executor.Run, error) { look() },
			Expired:   func(executor.Run) { look() },
			Cancelled: func(executor.Run) { look() },
			Dropped:   func(executor.Run, error) { look() },
			Paused:    func(executor.Run) { look() },
			Resumed:   func(executor.Run) { look() },
		}
		p = executor.NewScheduledPool(1, executor.Observe(o),
			executor.Watch(insight.Config{ExplainLate: insight.Any}), pooltest.Quiet(),
			executor.Watch(insight.Config{OnHealth: func(insight.Health) { look() }}))
		series, err := p.AtFixedRate(0, 10*ms, lasts(12*ms), executor.Name("series"),
			executor.CatchUp(executor.Coalesce), executor.Timeout(11*ms),
			executor.Expect(insight.SuccessWithin(time.Second)))
		require.NoError(t, err)
		late, err := p.Schedule(time.Millisecond, lasts(0), executor.BeginWithin(ms))
		require.NoError(t, err)
		time.Sleep(time.Second)
		series.Pause()
		series.Resume()
		series.Cancel()
		_, _ = late.Get(t.Context())
		_, err = p.Schedule(time.Hour, lasts(0))
		require.NoError(t, err)
		require.NoError(t, p.Close())
		_, err = p.Submit(lasts(0))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.Greater(t, looks.Load(), int64(10))
		assert.Positive(t, children.Load())
	})
}

// Close from within an observer would wait for itself.
func TestAnObserverThatClosesItsPoolIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *executor.ScheduledPool
		var refused error
		p = executor.NewScheduledPool(1, executor.Observe(executor.Observer{
			Began: func(ctx context.Context, _ executor.Run) context.Context {
				_, refused = p.CloseContext(ctx)
				return nil
			},
		}))
		require.NoError(t, p.Execute(lasts(0)))
		synctest.Wait()
		assert.Error(t, refused)
		require.NoError(t, p.Close())
	})
}
