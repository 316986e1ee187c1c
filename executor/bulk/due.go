package bulk

import (
	"context"

	"github.com/punctual-go/punctual/executor"
)

// Due is the run of a series for which a run of an [Overlap] was submitted: its name, number and
// time, and in Run.Missed the periods for which the series had no run at all.
type Due struct {
	executor.Run
	// Skipped is how many runs of the series have found no place, or were refused by the pool, since
	// the last one that was submitted.
	Skipped uint64
}

// dueKey is the key of a Due in the context of a run.
type dueKey struct{}

// DueFrom returns what the run of an [Overlap] was submitted for in whose context, or one that has
// the values of that, it is called. It reports false for any other context, and for nil. The run
// itself is that of [executor.RunFrom].
func DueFrom(ctx context.Context) (Due, bool) {
	if ctx == nil {
		return Due{}, false
	}
	due, ok := ctx.Value(dueKey{}).(Due)
	return due, ok
}
