package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/series"
)

var (
	// ErrNilTask is the variable of the same name in package executor.
	ErrNilTask = errors.New("executor: nil task")

	// ErrInvalid is the variable of the same name in package executor.
	ErrInvalid = errors.New("executor: invalid argument")
)

// Invalid returns an error that matches [ErrInvalid] and says why.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// TaskOption sets something for one submission, or fails with [ErrInvalid].
type TaskOption interface{ Resolve(*series.Options) error }

// Resolve returns what the options set, or an error if one is nil or invalid.
func Resolve[O TaskOption](opts []O) (o series.Options, err error) {
	for i, opt := range opts {
		if any(opt) == nil {
			return o, Invalid("task option %d is nil", i)
		}
		if err := opt.Resolve(&o); err != nil {
			return o, err
		}
	}
	return o, nil
}

// ResolveSeries returns what the options of a periodic task set, and its period: positive for a
// fixed rate, negative for a fixed delay, as sign says.
func ResolveSeries[O TaskOption](
	every time.Duration, sign int64, opts []O,
) (o series.Options, period int64, err error) {
	if every <= 0 {
		return o, 0, Invalid("period or delay %v is not positive", every)
	}
	if o, err = Resolve(opts); err != nil {
		return o, 0, err
	}
	// With a jitter above the period, runs would change places.
	if sign == series.FixedRate && o.Jitter > every {
		return o, 0, Invalid("jitter %v is above the period %v", o.Jitter, every)
	}
	return o, sign * int64(every), nil
}
