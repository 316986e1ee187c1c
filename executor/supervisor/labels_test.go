package supervisor_test

import (
	"context"
	"runtime/pprof"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/internal/labelstest"
)

func TestCallbacksHaveNoLabelsOfARunNorOfEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		s := newSupervisor(t, newPool(t, executor.Name("crew")), pooltest.Nothing, supervisor.Interval(time.Second),
			supervisor.AfterCycle(func(o supervisor.Outcome) {
				got = append(got, labelstest.Here())
				pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("stain", "here")))
				if o.Number == 1 {
					time.Sleep(5500 * time.Millisecond)
				}
			}))
		s.Start()
		time.Sleep(4 * time.Second)
		synctest.Wait()
		s.Stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"", "", "", "", ""}, got)
	})
}
