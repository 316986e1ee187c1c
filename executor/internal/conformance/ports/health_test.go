package ports_test

import (
	"context"
	"testing"
	"time"
)

// Health checks with an interval that doubles while all is well, and is short while it is not.
// After each, and after one on demand, it counts anew.
const (
	leastWait = 5 * time.Second
	usualWait = 10 * time.Second
	mostWait  = time.Minute
)

func TestHealthChecksAdaptTheirInterval(t *testing.T) {
	onBoth(t, portedHealth, bareHealth, func(t *testing.T, start func(func(context.Context) error) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) error {
			if n := d.run(ctx, time.Second); n == 4 || n == 5 {
				return errDown
			}
			return nil
		})
		d.sleepUntil(250 * time.Second)
		d.requireStarts("0 21 62 123 129 135 146 167 208")
		d.requireStopped(s)
	})
}

func TestHealthChecksOnDemandAreOneMore(t *testing.T) {
	onBoth(t, portedHealth, bareHealth, func(t *testing.T, start func(func(context.Context) error) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) error { d.run(ctx, 2*time.Second); return nil })
		d.sleepUntil(10 * time.Second)
		s.demand()
		d.sleepUntil(11 * time.Second)
		s.demand() // during that check: another follows
		s.demand()
		d.sleepUntil(80 * time.Second)
		d.requireStarts("0 10 12 74")
		d.requireStopped(s)
	})
}

func TestHealthChecksEndDuringACheck(t *testing.T) {
	onBoth(t, portedHealth, bareHealth, func(t *testing.T, start func(func(context.Context) error) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) error { d.run(ctx, time.Hour); return ctx.Err() })
		d.sleepUntil(time.Second)
		s.demand()
		d.requireStopped(s)
		d.requireStarts("0")
	})
}
