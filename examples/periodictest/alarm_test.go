package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// plant is a gauge whose value the test decides, by the time since the test began.
type plant struct {
	begun   time.Time
	samples []time.Duration
	rings   []time.Duration
}

// watch runs an alarm in a bubble for an hour of virtual time: a sample each minute, and a ring
// after three above 100. All times are exact, so tests compare them with Equal.
func watch(t *testing.T, gauge func(context.Context, time.Duration) (float64, error)) *plant {
	t.Helper()
	p := &plant{}
	synctest.Test(t, func(t *testing.T) {
		p.begun = time.Now()
		// In the bubble: the pool takes its clock from the bubble in which it is made, and has to
		// be closed before the bubble ends.
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		alarm := &Alarm{Limit: 100, Row: 3,
			Gauge: func(ctx context.Context) (float64, error) {
				p.samples = append(p.samples, time.Since(p.begun))
				return gauge(ctx, time.Since(p.begun))
			},
			Ring: func(at time.Time, _ float64) { p.rings = append(p.rings, at.Sub(p.begun)) },
		}
		_, err := alarm.Watch(pool, time.Minute)
		require.NoError(t, err)
		time.Sleep(time.Hour - 1) // of virtual time; it passes as soon as all goroutines wait
		synctest.Wait()           // for what is under way at this moment
	})
	return p
}

func minutes(ns ...int) (ds []time.Duration) {
	for _, n := range ns {
		ds = append(ds, time.Duration(n)*time.Minute)
	}
	return ds
}

// The normal case first: samples on the grid, and no ring.
func TestACalmHour(t *testing.T) {
	p := watch(t, func(context.Context, time.Duration) (float64, error) { return 50, nil })
	require.Len(t, p.samples, 60)
	for i, at := range p.samples {
		require.Equal(t, time.Duration(i)*time.Minute, at)
	}
	require.Empty(t, p.rings)
}

// It rings at the third sample, once, and again after it was calm.
func TestItRings(t *testing.T) {
	p := watch(t, func(_ context.Context, at time.Duration) (float64, error) {
		if m := at / time.Minute; 10 <= m && m < 20 || 30 <= m && m < 32 || 40 <= m && m < 43 {
			return 120, nil
		}
		return 50, nil
	})
	require.Equal(t, minutes(12, 42), p.rings)
}

// A body that is slow: bodies sleep like anybody else. The sample of minute 10 takes 5 minutes and
// a half, ignoring its context; the missed ones are dropped, and the row begins anew.
func TestASlowGauge(t *testing.T) {
	p := watch(t, func(_ context.Context, at time.Duration) (float64, error) {
		if at == 10*time.Minute {
			time.Sleep(5*time.Minute + 30*time.Second)
		}
		if at >= 9*time.Minute {
			return 120, nil
		}
		return 50, nil
	})
	require.Equal(t, minutes(8, 9, 10, 16, 17), p.samples[8:13])
	require.Equal(t, minutes(18), p.rings)
}

// One that hangs, but minds its context, is given up in time for the next sample.
func TestAGaugeThatHangs(t *testing.T) {
	p := watch(t, func(ctx context.Context, at time.Duration) (float64, error) {
		if at == 10*time.Minute {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}
		return 50, nil
	})
	require.Len(t, p.samples, 60)
}

// Failures are no samples, and do not end the series.
func TestAGaugeThatFails(t *testing.T) {
	p := watch(t, func(_ context.Context, at time.Duration) (float64, error) {
		if at/time.Minute%2 == 1 {
			return 0, errors.New("no signal")
		}
		return 120, nil
	})
	require.Equal(t, minutes(4), p.rings)
}

// What is cancelled does not run again, even if it was due at that very moment.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		samples := 0
		alarm := &Alarm{Gauge: func(context.Context) (float64, error) { samples++; return 0, nil }}
		job, err := alarm.Watch(pool, time.Minute)
		require.NoError(t, err)
		time.Sleep(10*time.Minute + time.Second)
		require.True(t, job.Cancel())
		time.Sleep(time.Hour)
		require.Equal(t, 11, samples)
	})
}
