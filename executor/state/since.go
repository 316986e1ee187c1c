package state

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/series"
)

// Since has a series go on after its last run, of another process say: what was due since then is
// caught up with, as the comment of the package says, but nothing older than the window. The last
// run is named by its slot, [executor.Run.Scheduled] without jitter, or, with a fixed delay, by its
// end. The zero time stands for no last run. A negative window is refused with
// [executor.ErrInvalid]; with 0 nothing is caught up with, but counted. Given twice, or beside
// [Book.SinceLast], the last one counts. For [executor.ScheduledPool.Apply] another time is another
// configuration of the job.
func Since(last time.Time, window time.Duration) executor.TaskOption {
	if window < 0 {
		return refused(window)
	}
	if !last.IsZero() {
		last = last.Round(0).UTC() // as it is compared
	}
	return since{last, window}
}

type since struct {
	last   time.Time
	window time.Duration
}

// Resolve makes it a task option.
func (s since) Resolve(o *series.Options) error {
	o.Past = &series.Past{Source: s}
	return nil
}

// Before is that of [series.Source].
func (s since) Before(any, string) (*series.Before, error) {
	return before(s.last, s.last, s.window), nil
}

// before returns what there was of a series, or nil if it has had no run.
func before(slot, ended time.Time, window time.Duration) *series.Before {
	if slot.IsZero() {
		return nil
	}
	return &series.Before{Slot: slot, Ended: ended, Window: window}
}

// refused is an option with a negative window.
type refused time.Duration

// Resolve makes it a task option.
func (r refused) Resolve(*series.Options) error {
	return fmt.Errorf("%w: negative window %v", executor.ErrInvalid, time.Duration(r))
}
