package pooltest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// Overrun starts a series on p, a pool or a loop, whose runs outlive their timeout of one second.
func Overrun(t *testing.T, p interface {
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
}, policy executor.ErrorPolicy) {
	t.Helper()
	_, err := p.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}, executor.Timeout(time.Second), executor.FailurePolicy(policy))
	require.NoError(t, err)
}

// ErrorPolicies are all error policies. After a timeout a series goes on under two of them, and
// ends under StopSeries.
var ErrorPolicies = map[string]executor.ErrorPolicy{
	"stop on panic": executor.StopOnPanic,
	"stop":          executor.StopSeries,
	"continue":      executor.Continue,
}
