package executor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// The tests of this file tell a story that many monitors have lived through. An agent on a phone
// samples the network every ten seconds, at fixed rate. The system suspends the process in the
// middle of a sample, for fifty minutes. When it resumes, the scheduler owes three hundred samples
// and delivers them all within a second, and the graph shows a spike that never was.
//
// In a synctest bubble the hour costs microseconds and every time is exact, so that the burst is a
// plain assertion. Copy the shape for your own tests: build the pool inside the bubble, let virtual
// time pass, close the pool.

const (
	period  = 10 * time.Second
	suspend = 50*time.Minute + 4*time.Second
	stalled = 30 * time.Second // the time of the sample that is suspended: the third
)

// sample is one run of the monitor's task.
type sample struct {
	at  time.Duration // since the start
	run executor.Run
}

// monitor samples for an hour and returns what it got.
func monitor(t *testing.T, schedule func(p *executor.ScheduledPool, task executor.Task) error) []sample {
	start := time.Now()
	p := executor.NewScheduledPool(1)
	defer p.Close()
	var samples []sample
	require.NoError(t, schedule(p, func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		samples = append(samples, sample{time.Since(start), run})
		if len(samples) == 3 {
			time.Sleep(suspend) // the process stands still
		}
		return nil
	}))
	time.Sleep(time.Hour + time.Second)
	p.ShutdownNow()
	synctest.Wait()
	return samples
}

// within counts the samples in the second after the process has resumed.
func within(samples []sample, from time.Duration) (n int) {
	for _, s := range samples {
		if s.at >= from && s.at < from+time.Second {
			n++
		}
	}
	return n
}

func atFixedRate(opts ...executor.TaskOption) func(*executor.ScheduledPool, executor.Task) error {
	return func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := p.AtFixedRate(period, period, task, opts...)
		return err
	}
}

const (
	resumed   = stalled + suspend
	slotAfter = resumed + 6*time.Second // the first time of the grid after that
)

func TestMonitor_BurstOwesEverySample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		samples := monitor(t, atFixedRate())
		assert.Equal(t, 360, len(samples), "one for each ten seconds of the hour")
		assert.Equal(t, 300, within(samples, resumed), "all that were missed, at once")
		first := samples[0].run.Scheduled
		for i, s := range samples {
			assert.Equal(t, period*time.Duration(i), s.run.Scheduled.Sub(first), "each knows its own time")
		}
		// The first sample of the burst knows that 299 others have passed their time; the last
		// knows that it has caught up.
		assert.EqualValues(t, 299, samples[3].run.Missed)
		assert.EqualValues(t, 0, samples[302].run.Missed)
		assert.Equal(t, slotAfter, samples[303].at, "and the rhythm is as before")
	})
}

func TestMonitor_SkipDropsWhatWasMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		samples := monitor(t, atFixedRate(executor.CatchUp(executor.Skip)))
		assert.Equal(t, 60, len(samples))
		assert.Zero(t, within(samples, resumed))
		assert.Equal(t, slotAfter, samples[3].at, "on the same grid")
		assert.EqualValues(t, 300, samples[3].run.Missed)
	})
}

func TestMonitor_CoalesceMakesOneOfAllThatWereMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		samples := monitor(t, atFixedRate(executor.CatchUp(executor.Coalesce)))
		assert.Equal(t, 61, len(samples))
		assert.Equal(t, 1, within(samples, resumed))
		assert.Equal(t, resumed, samples[3].at, "at once")
		assert.Equal(t, 4*time.Second, samples[3].run.Started.Sub(samples[3].run.Scheduled), "for the latest of them")
		assert.EqualValues(t, 299, samples[3].run.Missed, "and in place of the others")
		assert.Equal(t, slotAfter, samples[4].at, "on the same grid")
	})
}

func TestMonitor_EveryCoalescesUnlessToldOtherwise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		samples := monitor(t, func(p *executor.ScheduledPool, task executor.Task) error {
			_, err := p.Every(period, task)
			return err
		})
		assert.Equal(t, 61, len(samples))
		assert.Equal(t, 1, within(samples, resumed))
		assert.EqualValues(t, 299, samples[3].run.Missed)
	})
}

func TestMonitor_FixedDelayStartsAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		samples := monitor(t, func(p *executor.ScheduledPool, task executor.Task) error {
			_, err := p.WithFixedDelay(period, period, task)
			return err
		})
		assert.Zero(t, within(samples, resumed))
		assert.Equal(t, resumed+period, samples[3].at, "a full delay after the end of the run")
		assert.Zero(t, samples[3].run.Missed, "there is no grid to miss")
	})
}

// A monitor that knows what it has missed can drop a sample that a stall has spoilt. That works
// under every policy, and is all that needs to change in a program that has to keep Burst.
func TestMonitor_MissedTellsWhichSamplesToDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		kept := 0
		_, err := p.AtFixedRate(period, period, func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			if run.Missed > 0 {
				return nil // a bad sample: the process stood still around it
			}
			if kept++; kept == 3 {
				time.Sleep(suspend)
			}
			return nil
		})
		require.NoError(t, err)
		time.Sleep(time.Hour + time.Second)
		p.ShutdownNow()
		synctest.Wait()
		assert.Equal(t, 360-299, kept)
	})
}
