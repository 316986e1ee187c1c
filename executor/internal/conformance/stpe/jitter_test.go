package stpe_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func TestJitter_EveryRunComesWithinItsWindowAndTheGridStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		const jitter = 3 * time.Second
		f, err := p.AtFixedRate(10*time.Second, 10*time.Second, d.task("a"),
			executor.Jitter(jitter), executor.MaxRuns(300))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		runs := d.theRuns()
		require.Len(t, runs, 300)
		seen := map[time.Duration]bool{}
		for i, run := range runs {
			late := run.Started - time.Duration(i+1)*10*time.Second
			require.GreaterOrEqual(t, late, time.Duration(0), "run %d is early", i+1)
			require.Less(t, late, jitter, "run %d", i+1)
			require.Equal(t, run.Started, run.Scheduled, "run %d", i+1)
			require.Zero(t, run.Missed)
			seen[late] = true
		}
		assert.Greater(t, len(seen), 290, "nanoseconds out of three billion differ")
	})
}

func TestJitter_TheGridStaysThroughAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jitter = 3 * time.Second
		for _, policy := range thePolicies {
			p := startPool(t, 1)
			d := startDiary()
			_, err := p.AtFixedRate(10*time.Second, 10*time.Second, d.task("a"),
				executor.Jitter(jitter), executor.CatchUp(policy))
			require.NoError(t, err)
			_, err = p.Schedule(15*time.Second, func(context.Context) error { time.Sleep(31 * time.Second); return nil })
			require.NoError(t, err)
			time.Sleep(95 * time.Second)
			late := map[time.Duration]bool{}
			for i, run := range d.theRuns() {
				off := run.Scheduled % (10 * time.Second)
				require.Less(t, off, jitter, "policy %d, run %d", policy, i+1)
				require.GreaterOrEqual(t, run.Started, run.Scheduled)
				late[run.Started-run.Scheduled] = true
			}
			assert.Greater(t, len(late), 1, "there was a stall")
			last := d.theRuns()[len(d.theRuns())-1]
			assert.Equal(t, 90*time.Second, last.Started-last.Started%(10*time.Second))
			require.NoError(t, p.Close())
		}
	})
}

func TestJitter_DelaysATaskThatRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		seen := map[time.Duration]bool{}
		for range 100 {
			d := startDiary()
			f, err := p.Schedule(10*time.Second, d.task("a"), executor.Jitter(time.Second))
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			late := d.theTimes()[0] - 10*time.Second
			require.GreaterOrEqual(t, late, time.Duration(0))
			require.Less(t, late, time.Second)
			seen[late] = true
		}
		assert.Greater(t, len(seen), 90)
	})
}

func TestJitter_FixedDelayIsTheLeastBetweenRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.WithFixedDelay(0, 10*time.Second, d.lasting("a", 4*time.Second),
			executor.Jitter(time.Second), executor.MaxRuns(100))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		times := d.theTimes()
		for i := 1; i < len(times); i++ {
			gap := times[i] - times[i-1] - 4*time.Second
			require.GreaterOrEqual(t, gap, 10*time.Second)
			require.Less(t, gap, 11*time.Second)
		}
	})
}

func TestJitter_ItsBoundIsExclusive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, jitter := range []time.Duration{0, 1} {
			p := startPool(t, 1)
			d := startDiary()
			_, err := p.AtFixedRate(0, 10*time.Second, d.task("a"), executor.Jitter(jitter))
			require.NoError(t, err)
			time.Sleep(35 * time.Second)
			assert.Equal(t, theSeconds(0, 10, 20, 30), d.theTimes(), "jitter %d", jitter)
			require.NoError(t, p.Close())
		}
	})
}

func TestJitter_TheFutureTellsTheDisturbedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Schedule(10*time.Second, d.task("a"), executor.Jitter(time.Hour))
		require.NoError(t, err)
		next, planned := f.Next()
		require.True(t, planned)
		assert.Equal(t, next.Sub(d.began), f.Delay())
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{next.Sub(d.began)}, d.theTimes())
	})
}

func TestJitter_AtTheEndOfTheClockDoesNotWrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for range 100 {
			f, err := p.Schedule(math.MaxInt64, pooltest.Nothing, executor.Jitter(math.MaxInt64))
			require.NoError(t, err)
			require.Equal(t, time.Duration(math.MaxInt64-1), f.Delay())
		}
	})
}

func TestJitter_ANegativeOneIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		_, err := p.Schedule(0, pooltest.Nothing, executor.Jitter(-1))
		require.ErrorIs(t, err, executor.ErrInvalid)
	})
}
