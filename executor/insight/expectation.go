package insight

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/series"
)

// Expectation is something that is expected of a task: [SuccessWithin], [StartWithin]. The option
// Expect of package executor takes it.
type Expectation series.Expectation

// SuccessWithin expects that the task succeeds within d: of its submission, of its last success,
// and of a Resume of the task or the pool. While the task, or the pool, is paused, nothing is
// expected; but a series that has paused itself, as PauseAfter says, has not recovered by that: it
// is late until it succeeds. Set d well above the period and the time that a run takes: three
// periods is usual. A run that returns executor.ErrSkipped is no success. d must be positive; else
// the submission fails with executor.ErrInvalid.
func SuccessWithin(d time.Duration) Expectation {
	return func(o *series.Options) error {
		if d <= 0 {
			return fmt.Errorf("success within %v: not positive", d)
		}
		o.SuccessWithin = d
		return nil
	}
}

// StartWithin expects that the part q of the last 100 runs begins no later than d after it is due:
// with 0.99 one of them may, with 1 none. A run that has expired, as BeginWithin says, has not
// begun in time. d must be positive, and q above 0 and at most 1; else the submission fails with
// executor.ErrInvalid.
func StartWithin(d time.Duration, q float64) Expectation {
	return func(o *series.Options) error {
		if d <= 0 || !(q > 0 && q <= 1) {
			return fmt.Errorf("start within %v in %v of all runs: "+
				"the time must be positive, the part above 0 and at most 1", d, q)
		}
		o.StartWithin, o.StartQuantile = d, q
		return nil
	}
}
