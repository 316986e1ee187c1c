package pooltest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// Overrun runs a series on p, a pool or a loop, whose first run outlives its time-out of a second.
func Overrun(t *testing.T, p interface {
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
}, policy executor.ErrorPolicy) {
	t.Helper()
	_, err := p.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}, executor.Timeout(time.Second), executor.OnError(policy))
	require.NoError(t, err)
}

// ErrorPolicies are those after which a series goes on that has outlived its time-out, and that by
// which it ends.
var ErrorPolicies = map[string]executor.ErrorPolicy{
	"stop on panic": executor.StopOnPanic, "stop": executor.StopSeries, "continue": executor.Continue,
}
