package series

import (
	"math"
	"time"
)

// BackOff says how failures in a row stretch the period of a series. The zero BackOff does not.
type BackOff struct {
	Factor float64       // for each failure, at least 1; 0 means none
	Max    time.Duration // of the stretched period
}

// stretched returns the time to the next run: the period, or more of it after so many failures in a
// row. That of a fixed rate is a whole number of periods, so that the grid stays.
func (g *Grid) stretched(failures uint64) int64 {
	every := g.period()
	if g.BackOff.Factor == 0 || failures == 0 {
		return every
	}
	by, most := math.Pow(g.BackOff.Factor, float64(failures)), max(int64(g.BackOff.Max), every)
	if g.Period < 0 {
		return scaled(every, by, most)
	}
	whole := most / every
	if by < float64(whole) {
		whole = int64(by)
	}
	return whole * every
}

// scaled returns d times a factor of at least 1, but no more than most. It does not overflow.
func scaled(d int64, by float64, most int64) int64 {
	product := float64(d) * by
	switch {
	case by == 1: // d may be no number of a float64
		return d
	case product >= float64(most):
		return most
	}
	return max(int64(product), d)
}
