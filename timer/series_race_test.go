package timer_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

// puppet is a facility for one function, moved by hand, so that a test can do something in the
// middle of an arming.
type puppet struct {
	f     func()
	armed bool
	arms  int
	delay time.Duration // of the last arming
	err   error         // armings are refused with it

	before, after func() // called in an arming, once
}

func (p *puppet) AfterFunc(d time.Duration, f func()) timer.Handle {
	p.f = f
	p.arm(d)
	return p
}

func (p *puppet) Stop() bool {
	was := p.armed
	p.armed = false
	return was
}

func (p *puppet) Reset(d time.Duration) bool {
	was := p.Stop()
	p.arm(d)
	return was
}

func (p *puppet) Err() error { return p.err }

func (p *puppet) arm(d time.Duration) {
	p.arms++
	p.delay = d
	do(&p.before)
	p.armed = p.err == nil
	do(&p.after)
}

func do(hook *func()) {
	if f := *hook; f != nil {
		*hook = nil
		f()
	}
}

// fire calls the function if it is armed.
func (p *puppet) fire() {
	if p.Stop() {
		p.f()
	}
}

func TestLARS19_AStopInTheMiddleOfTheReArmWithdrawsIt(t *testing.T) {
	for name, hook := range map[string]func(p *puppet) *func(){
		"before it": func(p *puppet) *func() { return &p.before },
		"after it":  func(p *puppet) *func() { return &p.after },
	} {
		t.Run(name, func(t *testing.T) {
			p, runs := &puppet{}, 0
			s, err := timer.AtFixedRate(p, 0, time.Second, func() { runs++ })
			require.NoError(t, err)
			*hook(p) = func() { assert.True(t, s.Stop()) }
			p.fire()
			assert.Equal(t, 2, p.arms)
			assert.False(t, p.armed)
			assert.True(t, probe.IsClosed(s.Done()))
			assert.NoError(t, s.Err())
			p.f() // on its way already
			assert.Equal(t, 1, runs)
			assert.EqualValues(t, 1, s.Runs())
			assert.Equal(t, 2, p.arms)
		})
	}
}

func TestLARS19_ACallOnItsWayAtTheStopDoesNothing(t *testing.T) {
	p := &puppet{}
	s, err := timer.WithFixedDelay(p, 0, time.Second, func() { t.Error("it ran") })
	require.NoError(t, err)
	p.armed = false
	require.True(t, s.Stop())
	p.f()
	assert.Zero(t, s.Runs())
	assert.Equal(t, 1, p.arms)
}

func TestSeriesWhoseNextRunBeginsBeforeResetReturns(t *testing.T) {
	p, runs := &puppet{}, 0
	s, err := timer.AtFixedRate(p, 0, time.Second, func() { runs++ })
	require.NoError(t, err)
	p.after = func() { p.fire() }
	p.fire()
	assert.Equal(t, 2, runs)
	assert.Equal(t, 3, p.arms)
	assert.True(t, p.armed)
	stop(t, s)
	assert.False(t, p.armed)
}

func TestSeriesWhoseFirstRunEndsBeforeAfterFuncReturns(t *testing.T) {
	p, runs := &puppet{}, 0
	p.after = func() {
		p.fire()
		assert.Equal(t, 1, p.arms, "nobody knows the handle")
		assert.False(t, p.armed)
	}
	s, err := timer.AtFixedRate(p, 0, time.Hour, func() { runs++ })
	require.NoError(t, err)
	assert.Equal(t, 1, runs)
	assert.Equal(t, 2, p.arms)
	assert.True(t, p.armed)
	assert.InDelta(t, time.Hour, p.delay, float64(time.Minute))
	p.fire()
	assert.Equal(t, 2, runs)
	assert.Equal(t, 3, p.arms)
	stop(t, s)
}

func TestSeriesWhoseFirstRunPanicsBeforeAfterFuncReturns(t *testing.T) {
	p := &puppet{}
	p.after = func() { assert.PanicsWithValue(t, errBoom, p.fire) }
	s, err := timer.AtFixedRate(p, 0, time.Hour, theCulprit)
	require.NoError(t, err)
	assert.True(t, probe.IsClosed(s.Done()))
	assert.ErrorIs(t, s.Err(), errBoom)
	assert.Equal(t, 1, p.arms)
}

func TestSeriesThatIsRefusedAtFirst(t *testing.T) {
	s, err := timer.AtFixedRate(&puppet{err: timer.ErrSaturated}, 0, time.Hour, nothing)
	assert.Nil(t, s)
	assert.Equal(t, timer.ErrSaturated, err)
}

func TestSeriesThatIsRefusedWhenArmedAnew(t *testing.T) {
	p := &puppet{}
	s, err := timer.AtFixedRate(p, 0, time.Hour, func() { p.err = timer.ErrSaturated })
	require.NoError(t, err)
	done := s.Done()
	p.fire()
	assert.True(t, probe.IsClosed(done))
	assert.Equal(t, timer.ErrSaturated, s.Err())
	assert.False(t, s.Stop())
}

func TestSeriesThatIsRefusedWhenArmedAnewByItsConstructor(t *testing.T) {
	p := &puppet{}
	p.after = func() { p.fire() }
	s, err := timer.AtFixedRate(p, 0, time.Hour, func() { p.err = timer.ErrSaturated })
	require.NoError(t, err, "it has run once")
	assert.Equal(t, timer.ErrSaturated, s.Err())
	assert.EqualValues(t, 1, s.Runs())
}

func TestAPanicAfterStopGoesOnIntoTheFacilityAndIsNotWhyTheSeriesEnded(t *testing.T) {
	p := &puppet{}
	var s *timer.Series
	s, err := timer.AtFixedRate(p, 0, time.Hour, func() {
		s.Stop()
		panic(errBoom)
	})
	require.NoError(t, err)
	assert.PanicsWithValue(t, errBoom, p.fire)
	assert.True(t, probe.IsClosed(s.Done()))
	assert.NoError(t, s.Err())
	assert.Equal(t, 1, p.arms)
}

func TestANextRunPastTheEndOfTheClockIsArmedForNever(t *testing.T) {
	p := &puppet{}
	s, err := timer.AtFixedRate(p, 1, longest, nothing)
	require.NoError(t, err)
	p.fire()
	assert.Equal(t, longest, p.delay)
	stop(t, s)
}

// endedSeries returns a series that was stopped, and the thing its function holds.
func endedSeries(t *testing.T) (*timer.Series, weak.Pointer[[1 << 20]byte]) {
	thing := new([1 << 20]byte)
	s, err := timer.AtFixedRate(&puppet{}, 0, time.Hour, func() { thing[0]++ })
	require.NoError(t, err)
	stop(t, s)
	return s, weak.Make(thing)
}

func TestAnEndedSeriesLetsGoOfItsFunction(t *testing.T) {
	s, thing := endedSeries(t)
	runtime.GC()
	assert.Nil(t, thing.Value())
	runtime.KeepAlive(s)
}

func TestARunAllocatesNothing(t *testing.T) {
	for _, begin := range []func(p *puppet) (*timer.Series, error){
		func(p *puppet) (*timer.Series, error) { return timer.AtFixedRate(p, 0, 1, nothing) },
		func(p *puppet) (*timer.Series, error) {
			return timer.AtFixedRate(p, 0, 1, nothing, timer.CatchUp(timer.Skip))
		},
		func(p *puppet) (*timer.Series, error) { return timer.WithFixedDelay(p, 0, 1, nothing) },
	} {
		p := &puppet{}
		s, err := begin(p)
		require.NoError(t, err)
		assert.Zero(t, testing.AllocsPerRun(1000, p.fire))
		assert.Greater(t, s.Runs(), uint64(1000))
		stop(t, s)
	}
}

// Real time, so that -race sees real threads: whatever Stop meets, no run begins after it, none
// overlaps with another, and every series ends once.
func TestStopRacesWithTheReArm(t *testing.T) {
	const rounds = 100
	classic := timer.New("race")
	defer classic.Cancel()
	for name, on := range map[string]timer.Scheduler{"runtime": timer.Runtime(), "classic": classic} {
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				for round := range rounds {
					raceStop(t, on, time.Duration(worker*round%50)*time.Microsecond)
				}
			})
		}
		wg.Wait()
		assert.False(t, t.Failed(), name)
	}
	classic.Purge()
	assert.Zero(t, timer.Queued(classic))
}

func raceStop(t *testing.T, on timer.Scheduler, patience time.Duration) {
	var running atomic.Int32
	var stopped atomic.Bool
	var runs atomic.Uint64
	s, err := timer.AtFixedRate(on, 0, 5*time.Microsecond, func() {
		if running.Add(1) != 1 {
			t.Error("runs overlap")
		}
		if stopped.Load() {
			t.Error("a run after Stop")
		}
		runs.Add(1)
		running.Add(-1)
	}, timer.CatchUp(timer.Skip))
	if err != nil {
		t.Error(err)
		return
	}
	time.Sleep(patience)
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if s.Stop() {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	<-s.Done()
	stopped.Store(true)
	if won.Load() != 1 || s.Err() != nil || s.Runs() != runs.Load() || running.Load() != 0 {
		t.Errorf("%d stops, %v, %d runs of %d", won.Load(), s.Err(), runs.Load(), s.Runs())
	}
}
