package metrics_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// nosy is somebody's own type with a pool in it, which counts questions after its runs.
type nosy struct {
	*executor.ScheduledPool
	asked int
}

func (n *nosy) Running() []executor.Running {
	n.asked++
	return n.ScheduledPool.Running()
}

func TestOnlyAPoolThatMeasuresIsAskedWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain := &nosy{ScheduledPool: pooltest.NewScheduledPool(t, 3, executor.Name("plain"))}
		measured := &nosy{ScheduledPool: pooltest.NewScheduledPool(t, 3, executor.Name("measured"),
			executor.Watch(insight.Config{}))}
		m := read(t, plain, measured)
		assert.Zero(t, plain.asked, "that would make each of its runs read the clock")
		assert.Equal(t, 1, measured.asked)
		assert.EqualValues(t, 3, value(t, m, "punctual.worker.limit", "plain"), "it is a scheduled pool")
	})
}
