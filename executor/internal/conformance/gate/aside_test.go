package gate_test

import (
	"runtime"
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

// series is what pools and loops have in common here.
type series interface {
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	Execute(task executor.Task, opts ...executor.TaskOption) error
	Close() error
	Terminated() <-chan struct{}
}

// A run expires, the observer that is told of it closes the executor, which hands the series back,
// and a function that is told of that ends the goroutine.
func TestAPoolEndsIfAWatcherOfASeriesThatIsHandedBackAsItsRunExpiresCallsGoexit(t *testing.T) {
	for name, open := range map[string]func(executor.Observer) series{
		"pool": func(o executor.Observer) series {
			return executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(o))
		},
		"loop": func(o executor.Observer) series {
			return eventloop.New(pooltest.Quiet().(eventloop.Option), executor.Observe(o))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s series
				told := false
				s = open(executor.Observer{Expired: func(executor.Run) {
					assert.ErrorIs(t, s.Close(), future.ErrSelfWait)
				}})
				require.NoError(t, s.Execute(pooltest.Sleep(time.Minute)))
				f, err := s.AtFixedRate(time.Second, time.Hour, pooltest.Nothing,
					executor.BeginWithin(time.Second))
				require.NoError(t, err)
				future.AfterSettled(f.Future, func(future.Result[struct{}]) {
					told = true
					runtime.Goexit()
				})
				<-s.Terminated()
				synctest.Wait()
				assert.True(t, told)
				_, err = f.Get(t.Context())
				assert.ErrorIs(t, err, executor.ErrShutdown)
			})
		})
	}
}
