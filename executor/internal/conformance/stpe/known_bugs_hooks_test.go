package stpe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestK16_TheAfterHookIsGivenTheErrorOfASubmittedTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h withHooks
		p := pooltest.NewScheduledPool(t, 1, h.options()...)
		pooltest.Submit(t, p, pooltest.Fail)
		pooltest.Schedule(t, p, time.Second, pooltest.Fail)
		probe.Elapse(time.Minute)
		assert.Equal(t, []error{pooltest.ErrTask, pooltest.ErrTask}, h.errs.Told())
	})
}

func TestK17_AnAfterHookThatPanicsIsCalledOnce(t *testing.T) {
	for _, fault := range pooltest.Faults {
		t.Run(fault.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				calls := 0
				p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(told.Handle),
					executor.AfterRun(func(context.Context, executor.Run, error) {
						calls++
						fault.Do()
					}))
				f := pooltest.Submit(t, p, pooltest.Nothing)
				synctest.Wait()
				assert.NoError(t, pooltest.Outcome(t, f))
				pooltest.Submit(t, p, pooltest.Nothing)
				synctest.Wait()
				assert.Equal(t, 2, calls)
				if fault.Name == "panic" {
					require.Len(t, told.Told(), 2)
					assert.ErrorIs(t, told.Told()[0], pooltest.ErrTask)
				}
			})
		})
	}
}

func TestK18_ABeforeHookThatPanicsLeavesNoFuturePending(t *testing.T) {
	for _, fault := range pooltest.Faults {
		t.Run(fault.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1, executor.BeforeRun(func(context.Context, executor.Run) { fault.Do() }))
				once := pooltest.Submit(t, p, pooltest.Nothing)
				series := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Nothing)
				probe.Elapse(3 * time.Hour)
				assert.True(t, once.State().Settled())
				assert.Equal(t, future.Pending, series.State())
				assert.EqualValues(t, 4, series.Runs())
			})
		})
	}
}

// Starting a goroutine cannot fail as a thread factory can; the decorator is what may.
func TestK19_ADecoratorThatPanicsLeavesNothingHalfAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := true
		p := pooltest.NewScheduledPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			if broken {
				panic(pooltest.ErrTask)
			}
			return task
		}))
		ran := 0
		task := func(context.Context) error {
			ran++
			return nil
		}
		assert.PanicsWithValue(t, pooltest.ErrTask, func() { _, _ = p.Schedule(time.Second, task) })
		assert.PanicsWithValue(t, pooltest.ErrTask, func() { _ = p.Execute(task) })
		s := p.Stats()
		assert.Equal(t, []uint64{0, 0}, []uint64{s.Accepted, s.Rejected})
		broken = false
		pooltest.Schedule(t, p, time.Second, task)
		probe.Elapse(time.Minute)
		assert.Equal(t, 1, ran)
	})
}
