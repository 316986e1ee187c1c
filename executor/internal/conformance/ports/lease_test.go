package ports_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A lease is renewed every third of its time, on a grid. A renewal that fails is tried again each
// second; one that takes longer than a third drops the renewals that it misses. The job ends when
// the lease is lost: the server says so, or nothing has worked for its whole time.
const (
	ttl       = 9 * time.Second
	againWait = time.Second
)

var errLost = errors.New("another has the lease")

func ended(s service) bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

type renewal = func(ctx context.Context) error

func TestLeaseIsRenewedEveryThird(t *testing.T) {
	onBoth(t, portedLease, bareLease, func(t *testing.T, start func(renewal) service) {
		d := newDiary(t)
		d.takes = map[int]time.Duration{5: 5 * time.Second}
		s := start(func(ctx context.Context) error {
			if n := d.run(ctx, 0); n == 2 || n == 3 {
				return errDown
			}
			return nil
		})
		d.sleepUntil(20 * time.Second)
		d.requireStarts("3 6 7 8 9 15 18")
		assert.False(t, ended(s))
		d.requireStopped(s)
	})
}

func TestLeaseThatIsLostEndsTheJob(t *testing.T) {
	onBoth(t, portedLease, bareLease, func(t *testing.T, start func(renewal) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) error {
			if d.run(ctx, 0) == 2 {
				return errLost
			}
			return nil
		})
		d.sleepUntil(6 * time.Second)
		assert.True(t, ended(s))
		d.requireStopped(s)
		d.requireStarts("3 6")
	})
}

func TestLeaseEndsTheJobBeforeItRunsOut(t *testing.T) {
	onBoth(t, portedLease, bareLease, func(t *testing.T, start func(renewal) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) error {
			if d.run(ctx, 0) > 1 {
				return errDown
			}
			return nil
		})
		d.sleepUntil(10 * time.Second)
		assert.False(t, ended(s))
		d.sleepUntil(11 * time.Second) // renewed last at 3, it lives until 12: too early for another
		assert.True(t, ended(s))
		d.requireStopped(s)
		d.requireStarts("3 6 7 8 9 10 11")
	})
}
