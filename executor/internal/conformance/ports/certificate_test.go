package ports_test

import (
	"context"
	"testing"
	"time"
)

// A certificate is renewed when two thirds of its life have passed. If that fails, it is tried
// again after a minute, and then each time after twice as long, up to an hour, until it succeeds.
const (
	firstWait   = time.Minute
	longestWait = time.Hour
)

// issuing asks the authority for a certificate, and returns how long that will live.
type issuing func(ctx context.Context) (life time.Duration, err error)

const year, month = 8760 * time.Hour, 720 * time.Hour

func TestCertificateIsRenewedAtTwoThirdsOfItsLife(t *testing.T) {
	onBoth(t, portedCertificate, bareCertificate, func(t *testing.T, start func(issuing) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) (time.Duration, error) {
			switch n := d.run(ctx, time.Second); {
			case n == 1:
				return 3 * time.Hour, nil
			case n == 2:
				return month, nil
			}
			return year, nil
		})
		d.sleepUntil(year / 2)
		d.requireStarts("0 7201 1735202")
		d.requireStopped(s)
	})
}

func TestCertificateIsTriedAgainLessAndLessOften(t *testing.T) {
	onBoth(t, portedCertificate, bareCertificate, func(t *testing.T, start func(issuing) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) (time.Duration, error) {
			if n := d.run(ctx, 0); 2 <= n && n <= 9 || n == 11 {
				return 0, errDown
			}
			return 3 * time.Hour, nil
		})
		d.sleepUntil(10 * time.Hour)
		d.requireStarts("0 7200 7260 7380 7620 8100 9060 10980 14580 18180 25380 25440 32640")
		d.requireStopped(s)
	})
}

func TestCertificateIsNotRenewedAfterTheEnd(t *testing.T) {
	onBoth(t, portedCertificate, bareCertificate, func(t *testing.T, start func(issuing) service) {
		d := newDiary(t)
		s := start(func(ctx context.Context) (time.Duration, error) { d.run(ctx, 0); return 0, errDown })
		d.sleepUntil(100 * time.Second) // between two attempts
		d.requireStopped(s)
		d.requireStarts("0 60")
	})
}
