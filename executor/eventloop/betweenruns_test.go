package eventloop_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// What comes in a quiet period and is not for now is dropped by the goroutine of the loop, which
// may not have run a task yet.
func TestALoopGoesOnIfAnObserverEndsItsGoroutineBetweenRuns(t *testing.T) {
	for _, runsOneFirst := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var dropped []string
			l := eventloop.New(executor.Observe(executor.Observer{
				Dropped: func(r executor.Run, _ error) {
					dropped = append(dropped, r.Name)
					runtime.Goexit()
				},
			}))
			if runsOneFirst {
				assert.NoError(t, l.Execute(pooltest.Nothing))
			}
			assert.NoError(t, l.ShutdownGracefully(time.Second, time.Minute))
			for _, name := range []string{"a", "b"} {
				_, err := l.Schedule(time.Hour, pooltest.Nothing, executor.Name(name))
				assert.NoError(t, err)
			}
			<-l.Terminated()
			synctest.Wait()
			assert.Equal(t, []string{"a", "b"}, dropped)
		})
	}
}
