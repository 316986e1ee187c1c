package timer_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

// The tests named LARS answer for what periodic work does, on facilities in a bubble. Those with a
// hand-made facility are in series_race_test.go.

// facilities are those that series are tried on: new ones, to be used in a bubble.
var facilities = map[string]func() timer.Scheduler{
	"runtime": timer.Runtime,
	"classic": func() timer.Scheduler { return timer.New("series") },
	"coarse":  func() timer.Scheduler { return &coarse{tick: 1, start: time.Now()} },
}

// onEach runs a test in a bubble for every facility.
func onEach(t *testing.T, test func(t *testing.T, on timer.Scheduler)) {
	for name, facility := range facilities {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on := facility()
				test(t, on)
				if tm, ok := on.(*timer.Timer); ok {
					tm.Cancel() // a stopped series leaves a shell
				}
			})
		})
	}
}

// coarse is a facility that calls functions on multiples of its tick only, and recovers their
// panics.
type coarse struct {
	tick  time.Duration
	start time.Time

	mu     sync.Mutex
	caught []any
}

type coarseHandle struct {
	*time.Timer
	on *coarse
}

func (c *coarse) AfterFunc(d time.Duration, f func()) timer.Handle {
	return coarseHandle{time.AfterFunc(c.roundUp(d), func() {
		defer func() {
			if v := recover(); v != nil {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.caught = append(c.caught, v)
			}
		}()
		f()
	}), c}
}

func (h coarseHandle) Reset(d time.Duration) bool { return h.Timer.Reset(h.on.roundUp(d)) }

func (c *coarse) roundUp(d time.Duration) time.Duration {
	due := time.Since(c.start) + max(d, 0)
	return (due+c.tick-1)/c.tick*c.tick - time.Since(c.start)
}

// times is when the runs of a series began, and how long each takes: the n-th as long as the n-th
// of lasting, the others no time.
type times struct {
	start   time.Time
	lasting []time.Duration

	mu      sync.Mutex
	at      []time.Duration
	running bool
	overlap bool
}

func newTimes(lasting ...time.Duration) *times { return &times{start: time.Now(), lasting: lasting} }

func (r *times) run() {
	r.mu.Lock()
	n := len(r.at)
	r.at = append(r.at, time.Since(r.start))
	r.overlap = r.overlap || r.running
	r.running = true
	r.mu.Unlock()
	if n < len(r.lasting) {
		time.Sleep(r.lasting[n])
	}
	r.mu.Lock()
	r.running = false
	r.mu.Unlock()
}

// all returns the starts so far.
func (r *times) all(t *testing.T) []time.Duration {
	t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	assert.False(t, r.overlap, "runs overlap")
	return r.at
}

func seconds(n ...int) (d []time.Duration) {
	for _, n := range n {
		d = append(d, time.Duration(n)*time.Second)
	}
	return d
}

// stop stops a series at the end of a test that leaves it running.
func stop(t *testing.T, s *timer.Series) {
	t.Helper()
	assert.True(t, s.Stop())
	<-s.Done()
	assert.NoError(t, s.Err())
}

func TestLARS15_FixedDelayCountsFromTheEndOfARun(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		r := newTimes(0, 3*time.Second, 15*time.Second, time.Second)
		s, err := timer.WithFixedDelay(on, 5*time.Second, 10*time.Second, r.run)
		require.NoError(t, err)
		probe.Elapse(70*time.Second + 1)
		assert.Equal(t, seconds(5, 15, 28, 53, 64), r.all(t))
		assert.EqualValues(t, 5, s.Runs())
		stop(t, s)
	})
}

func TestLARS16_FixedRateIsNotAffectedByARunShorterThanThePeriod(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		r := newTimes(0, 3*time.Second, 9*time.Second, 10*time.Second)
		s, err := timer.AtFixedRate(on, 5*time.Second, 10*time.Second, r.run)
		require.NoError(t, err)
		probe.Elapse(55*time.Second + 1)
		assert.Equal(t, seconds(5, 15, 25, 35, 45, 55), r.all(t))
		stop(t, s)
	})
}

func TestLARS16_MissedRunsComeBackToBack(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		r := newTimes(0, 0, 27*time.Second)
		s, err := timer.AtFixedRate(on, 0, 10*time.Second, r.run)
		require.NoError(t, err)
		probe.Elapse(60*time.Second + 1)
		assert.Equal(t, seconds(0, 10, 20, 47, 47, 50, 60), r.all(t))
		stop(t, s)
	})
}

func TestLARS16_MissedRunsBecomeOneIfOneSaysSo(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		r := newTimes(0, 0, 27*time.Second)
		s, err := timer.AtFixedRate(on, 0, 10*time.Second, r.run, timer.CatchUp(timer.Coalesce))
		require.NoError(t, err)
		probe.Elapse(60*time.Second + 1)
		assert.Equal(t, seconds(0, 10, 20, 47, 50, 60), r.all(t))
		stop(t, s)
	})
}

func TestLARS16_MissedRunsAreDroppedIfOneSaysSo(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		r := newTimes(0, 0, 27*time.Second, 10*time.Second)
		s, err := timer.AtFixedRate(on, 0, 10*time.Second, r.run, timer.CatchUp(timer.Burst), timer.CatchUp(timer.Skip))
		require.NoError(t, err)
		probe.Elapse(80*time.Second + 1)
		assert.Equal(t, seconds(0, 10, 20, 50, 60, 70, 80), r.all(t), "the slot on the very end of a run has not passed")
		stop(t, s)
	})
}

// The rate of Akka's test: 200 runs of 25 ms.
func TestLARS16_TheLongRunRateIsExactOnACoarseFacility(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period, tick = 25 * ms, 10 * ms
		r := newTimes()
		s, err := timer.AtFixedRate(&coarse{tick: tick, start: r.start}, period, period, r.run)
		require.NoError(t, err)
		probe.Elapse(200*period + 1)
		at := r.all(t)
		require.Len(t, at, 200)
		for i, at := range at {
			plan := time.Duration(i+1) * period
			assert.Equal(t, (plan+tick-1)/tick*tick, at, "run %d, planned for %v", i, plan)
		}
		stop(t, s)
	})
}

func TestLARS16_AFacilityCoarserThanThePeriodRunsAllOrTheLatest(t *testing.T) {
	for policy, want := range map[timer.CatchUpPolicy][]time.Duration{
		timer.Burst:    millis(100, 100, 100, 100, 200, 200, 200, 200, 300, 300, 300, 300),
		timer.Skip:     millis(100, 200, 300),
		timer.Coalesce: millis(100, 200, 300),
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newTimes()
			s, err := timer.AtFixedRate(&coarse{tick: 100 * ms, start: r.start}, 25*ms, 25*ms, r.run, timer.CatchUp(policy))
			require.NoError(t, err)
			probe.Elapse(310 * ms)
			assert.Equal(t, want, r.all(t))
			stop(t, s)
		})
	}
}

func TestLARS16_SkipCostsTheSameHoweverManyWereMissed(t *testing.T) {
	onEach(t, func(t *testing.T, on timer.Scheduler) {
		const century = 100 * 365 * 24 * time.Hour
		r := newTimes(century)
		s, err := timer.AtFixedRate(on, 0, 3, r.run, timer.CatchUp(timer.Skip))
		require.NoError(t, err)
		probe.Elapse(century + 6)
		next := (century + 2) / 3 * 3
		assert.Equal(t, []time.Duration{0, next, next + 3, next + 6}[:len(r.all(t))], r.all(t))
		assert.GreaterOrEqual(t, s.Runs(), uint64(3))
		stop(t, s)
	})
}
