package timer

import "github.com/punctual-go/punctual/internal/series"

// CatchUpPolicy decides what a series at fixed rate does about periods that pass while it cannot
// run: because a run took long, the facility is coarse, or the process was suspended.
//
// It is the same type as CatchUpPolicy of package executor.
type CatchUpPolicy = series.CatchUp

// With period 10 and a run that lasts from 20 to 47, the runs start at:
//
//	Burst     0 10 20 47 47 50 60   every period gets its run, late ones back to back
//	Skip      0 10 20       50 60   missed periods are dropped
//	Coalesce  0 10 20 47    50 60   one run for all missed periods, then on the grid again
//
// Under Skip and Coalesce a run that starts a period or more late counts for the latest period that
// has passed. Both cost the same however many periods were missed.
const (
	Burst    CatchUpPolicy = series.Burst
	Skip     CatchUpPolicy = series.Skip
	Coalesce CatchUpPolicy = series.Coalesce
)

// SeriesOption configures a series. With a nil option or a bad value the constructor of the series
// fails with [ErrInvalid]. If an option is given twice, the last one counts.
type SeriesOption interface {
	configure(*series.Options) error
}

type seriesOption func(*series.Options) error

func (o seriesOption) configure(to *series.Options) error { return o(to) }

// CatchUp sets what a series at fixed rate does about missed periods. The default is [Burst], as in
// Java.
func CatchUp(p CatchUpPolicy) SeriesOption {
	return seriesOption(func(to *series.Options) error {
		if p > max(Burst, Skip, Coalesce) {
			return invalid("catch-up policy %d is unknown", p)
		}
		to.CatchUp = p
		return nil
	})
}
