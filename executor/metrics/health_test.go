package metrics_test

import (
	"context"
	"fmt"
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

func TestHealthIsToldInFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		expect := func(
			name string, task executor.Task, opts ...executor.TaskOption,
		) *executor.ScheduledFuture[struct{}] {
			f, err := p.AtFixedRate(time.Second, time.Second, task, append(opts, executor.Name(name),
				executor.Expect(insight.SuccessWithin(10*time.Second)))...)
			require.NoError(t, err)
			return f
		}
		expect("good", lasts(0))
		m := read(t, p)
		assert.EqualValues(t, 0, value(t, m, "punctual.pool.health", ""))
		assert.EqualValues(t, 1, value(t, m, "punctual.task.expected", "", "new"))
		assert.EqualValues(t, 0, value(t, m, "punctual.task.health", "", "good"))

		expect("bad", fails)
		expect("good", fails)
		expect("dead", fails, executor.FailurePolicy(executor.StopSeries))
		require.True(t, expect("idle", lasts(0)).Pause())
		time.Sleep(11 * time.Second)
		m = read(t, p)
		assert.EqualValues(t, 1, value(t, m, "punctual.pool.health", ""))
		for state, n := range map[string]int{"ok": 1, "new": 0, "paused": 1, "late": 2, "failed": 1} {
			assert.EqualValues(t, n, value(t, m, "punctual.task.expected", "", state), state)
		}
		for name, health := range map[string]int{"good": 1, "bad": 1, "dead": 2, "idle": 0} {
			assert.EqualValues(t, health, value(t, m, "punctual.task.health", "", name), name)
		}
	})
}

func TestTheHealthOfNamesBeyondTheBoundIsThatOfTheWorst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		var late atomic.Pointer[string]
		for i := range 250 {
			name := fmt.Sprintf("%03d", i)
			if i == 7 {
				name = "other"
			}
			_, err := p.AtFixedRate(0, time.Second, func(context.Context) error {
				if l := late.Load(); l != nil && name == *l {
					return errBad
				}
				return nil
			}, executor.Name(name), executor.Expect(insight.SuccessWithin(10*time.Second)))
			require.NoError(t, err)
		}
		for beyond, worst := range map[string]float64{"": 0, "201": 1, "other": 1} {
			late.Store(&beyond)
			time.Sleep(time.Minute)
			m := read(t, p)
			assert.Equal(t, worst, value(t, m, "punctual.task.health", "", "other"), beyond)
		}
	})
}
