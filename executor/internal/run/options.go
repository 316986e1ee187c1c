package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/series"
)

// TaskOption sets something for one submission, or fails with [ErrInvalid].
type TaskOption interface{ Resolve(*series.Options) error }

// Resolve returns what the options of a task set, beside the defaults, or an error if one is nil or
// invalid.
func Resolve[O TaskOption](s *Settings, opts []O) (o series.Options, err error) {
	if s.Defaults != nil {
		o = *s.Defaults
	}
	for i, opt := range opts {
		if any(opt) == nil {
			return o, Invalid("task option %d is nil", i)
		}
		if err := opt.Resolve(&o); err != nil {
			return o, err
		}
	}
	if o.Past != nil && o.Past.Keeper() != nil && o.Name == "" {
		return o, Invalid("a task whose last run is kept needs a name")
	}
	if o.Unique && o.Name == "" {
		return o, Invalid("a unique task needs a name")
	}
	return o, nil
}

// Beat is how a periodic task repeats.
type Beat uint8

const (
	// FixedRate plans a run for each period.
	FixedRate Beat = iota
	// Ticking is a fixed rate at which one run makes up for all late ones, unless an option says
	// otherwise.
	Ticking
	// FixedDelay plans a run for some time after the end of the last.
	FixedDelay
)

// ResolveSeries returns what the options of a periodic task set, and its period: positive for a
// fixed rate, negative for a fixed delay.
func ResolveSeries[O TaskOption](
	s *Settings, every time.Duration, beat Beat, opts []O,
) (o series.Options, period int64, err error) {
	sign := int64(series.FixedRate)
	if beat == FixedDelay {
		sign = series.FixedDelay
	}
	if every <= 0 {
		return o, 0, Invalid("period or delay %v is not positive", every)
	}
	if o, err = Resolve(s, opts); err != nil {
		return o, 0, err
	}
	if err := checkPeriod(&o, every, sign); err != nil {
		return o, 0, err
	}
	if beat == Ticking && !o.CatchUpSet {
		o.CatchUp = series.Coalesce
	}
	return o, sign * int64(every), checkBounds(&o)
}

// ResolveCalendar returns what the options of a series on a calendar set.
func ResolveCalendar[O TaskOption](s *Settings, opts []O) (o series.Options, err error) {
	if o, err = Resolve(s, opts); err != nil {
		return o, err
	}
	switch {
	case !o.CatchUpSet:
		o.CatchUp = series.Coalesce
	case o.CatchUp == series.Shift:
		return o, Invalid("a calendar does not shift to its late runs")
	}
	if o.BackOff.Factor > 0 {
		return o, Invalid("a calendar has no period to slow down")
	}
	return o, checkBounds(&o)
}

// Misused adds the names of the executor and of the task, as far as the options tell it, to the
// error of a submission with a bad argument.
func Misused[O TaskOption](r *Reporter, opts []O, err error) error {
	var o series.Options
	for _, opt := range opts {
		if any(opt) != nil {
			_ = opt.Resolve(&o) // the bad one may come before the name
		}
	}
	return r.Misuse(o.Name, err)
}

// checkBounds returns an error if a series may have no run at all.
func checkBounds(o *series.Options) error {
	if !o.Until.IsZero() && !o.From.IsZero() && !o.From.Before(o.Until) {
		return Invalid("no run may be planned from %v until %v", o.From, o.Until)
	}
	return nil
}

// checkPeriod returns an error if a series with these options cannot have that period.
func checkPeriod(o *series.Options, every time.Duration, sign int64) error {
	switch {
	case every <= 0:
		return Invalid("period or delay %v is not positive", every)
	// Otherwise runs would change places.
	case sign > 0 && o.Jitter > every:
		return Invalid("jitter %v is above the period %v", o.Jitter, every)
	case o.BackOff.Factor > 0 && o.BackOff.Max < every:
		return Invalid("the longest period of a slow-down, %v, is below the period %v",
			o.BackOff.Max, every)
	}
	return nil
}
