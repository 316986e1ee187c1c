package ports_test

import (
	"context"
	"testing"
	"time"
)

// A registry client replicates its state after a while, and then once every interval. A change of
// state makes that happen at once, and the interval count anew, but no more than four times a
// minute: then it waits, and changes in a row are one. This is Eureka's InstanceInfoReplicator,
// except that there a change beyond the limit is dropped, until the next turn.
const (
	initial  = 40 * time.Second
	interval = 30 * time.Second

	atMost = 4
	span   = time.Minute
)

type replicate = func(ctx context.Context) error

func TestReplicatorReplicatesByTheClock(t *testing.T) {
	onBoth(t, portedReplicator, bareReplicator, func(t *testing.T, start func(replicate) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) error {
			if d.run(ctx, time.Second) == 2 {
				return errDown
			}
			return nil
		})
		d.sleepUntil(140 * time.Second)
		d.requireStarts("40 71 102 133")
		d.requireStopped(s)
	})
}

func TestReplicatorReplicatesAChangeAtOnce(t *testing.T) {
	onBoth(t, portedReplicator, bareReplicator, func(t *testing.T, start func(replicate) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) error { d.run(ctx, 2*time.Second); return nil })
		d.sleepUntil(50 * time.Second)
		s.demand()
		d.sleepUntil(51 * time.Second) // during that run: another follows
		s.demand()
		s.demand()
		d.sleepUntil(90 * time.Second)
		d.requireStarts("40 50 52 84")
		d.requireStopped(s)
	})
}

func TestReplicatorDoesNotReplicateTooOften(t *testing.T) {
	onBoth(t, portedReplicator, bareReplicator, func(t *testing.T, start func(replicate) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) error { d.run(ctx, 0); return nil })
		for at := range 20 {
			d.sleepUntil(time.Duration(at) * time.Second)
			s.demand()
		}
		d.sleepUntil(2 * time.Minute)
		d.requireStarts("0 1 2 3 60 90 120")
		d.requireStopped(s)
	})
}
