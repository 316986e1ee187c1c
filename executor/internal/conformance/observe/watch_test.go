package observe_test

import (
	"bytes"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// What one Watch asks for is done, whatever others ask for, before it or after it.
func TestSeveralWatchesAddUp(t *testing.T) {
	all := []executor.Option{
		executor.Watch(insight.Config{ExplainLate: 20 * ms, History: true}),
		executor.Watch(insight.Config{ExplainLate: 50 * ms}),
		executor.Watch(insight.Config{}),
	}
	for first := range all {
		synctest.Test(t, func(t *testing.T) {
			var log, out bytes.Buffer
			opts := append(append([]executor.Option{
				executor.Logger(slog.New(slog.NewTextHandler(&log, nil))),
			}, all[first:]...), all[:first]...)
			opts = append(opts, executor.Watch(insight.Config{Record: &out}),
				executor.Watch(insight.Config{}))
			p := executor.NewScheduledPool(1, opts...)
			for _, late := range []time.Duration{10 * ms, 30 * ms, 60 * ms} {
				at(p, 0, "import", late)
				at(p, 0, "poll", 0)
				time.Sleep(time.Second)
			}
			require.NoError(t, p.Close())
			assert.Len(t, p.Insight().History().Late, 2, "later than the lower of two")
			m := p.Insight().Measurements()
			assert.EqualValues(t, 6, m.Took.Count())
			assert.Contains(t, log.String(), "late 30ms poll")
			assert.NotEmpty(t, out.Bytes())
		})
	}
}

func TestEachLateRunIsExplainedWhereAnyIsTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1,
			executor.Watch(insight.Config{ExplainLate: insight.Any, History: true}))
		defer p.Close()
		at(p, 0, "import", 1)
		at(p, 0, "poll", 0)
		time.Sleep(time.Second)
		late := p.Insight().History().Late
		require.Len(t, late, 1)
		assert.EqualValues(t, 1, late[0].Late)
	})
}

func TestABadWatchPanics(t *testing.T) {
	const negative = "executor: negative lateness"
	assert.PanicsWithValue(t, negative, func() { executor.Watch(insight.Config{ExplainLate: -1}) })
	assert.PanicsWithValue(t, negative, func() { executor.Watch(insight.Config{OnLateAfter: -1}) })
}
