package retry

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// Validate returns an error that says what is wrong with the back-off, nil if it can be used.
func (b Backoff) Validate() error {
	switch {
	case b.Base < 0, b.Max < 0, b.Within < 0:
		return fmt.Errorf("negative duration in back-off %+v", b)
	case b.Factor != 0 && !(b.Factor >= 1), math.IsInf(b.Factor, 0):
		return fmt.Errorf("back-off factor %v is not a number from 1 on", b.Factor)
	case b.Spread > NoSpread:
		return fmt.Errorf("spread %d is unknown", b.Spread)
	}
	return nil
}

// Next returns how long to wait before the next attempt, for those who try again by themselves:
// after attempt n, counted from 1, has failed with err, and the wait before it was last. What err
// says by [After] comes before the back-off, and ok is false if it is [Permanent]. Within is left
// to the caller.
func (b Backoff) Next(n int, last time.Duration, err error) (wait time.Duration, ok bool) {
	switch wait := run.AdviceOf(err); wait {
	case run.Never:
		return 0, false
	case run.Unsaid:
		r := series.Retry{Base: b.Base, Factor: cmp.Or(b.Factor, 2), Max: b.Max,
			Spread: series.Spread(b.Spread)}
		return r.Wait(uint64(max(n, 1)), last, rand.Float64()), true
	default:
		return wait, true
	}
}
