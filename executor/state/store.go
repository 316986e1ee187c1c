package state

import (
	"context"
	"time"
)

// Run is the last run of a series.
type Run struct {
	Slot  time.Time // that it was for, without jitter; before the first run, one before its slot
	Began time.Time // zero before the first run
	Ended time.Time // zero if it was recorded before it began
}

// Store keeps the last run of each series by its name. Its methods may be called by several
// goroutines at once, but for one name only by one at a time, and may take their time: they are
// called without a lock, on the goroutine of a run or a submission. The context has the values of
// the run, and does not end with it: a store bounds its own time. If a store is an io.Closer,
// [Book.Close] closes it.
type Store interface {
	// Last returns the last run of the series, or the zero Run if none is known.
	Last(ctx context.Context, name string) (Run, error)
	// Record makes r the last run. When it returns without an error, r outlives a crash.
	Record(ctx context.Context, name string, r Run) error
	// Forget removes what is known of the series. To forget what is not known is no error.
	Forget(ctx context.Context, name string) error
}
