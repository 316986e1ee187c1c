package series

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/clock"
)

func TestAHugePauseIsOneStep(t *testing.T) {
	for policy := Burst; policy <= Shift; policy++ {
		s := &Series{Grid: Grid{Options: Options{CatchUp: policy}, Period: 1}}
		s.First(5)
		s.Pause()
		assert.Equal(t, clock.Never, s.Due())
		require.True(t, s.Resume(clock.Never))
		assert.Equal(t, clock.Never, s.Due())
		assert.EqualValues(t, clock.Never-5, s.Missed)
	}
}

func TestARunChosenBeforeTheFirstSlotOfAHugePeriodIsHarmless(t *testing.T) {
	s := &Series{Grid: Grid{Period: clock.Never}}
	s.First(9)
	s.Trigger(1)
	s.Start(1, 1)
	s.NextIn(2)
	require.EqualValues(t, 3, s.Next(1))
	s.Pause()
	require.True(t, s.Resume(20))
	assert.GreaterOrEqual(t, s.Due(), int64(20))
}

func TestAPeriodMayBeChangedToAndFromTheLongest(t *testing.T) {
	for _, sign := range []int64{FixedRate, FixedDelay} {
		s := &Series{Grid: Grid{Period: 10 * sign}}
		s.Start(s.First(5), 5)
		s.Next(6)
		s.SetPeriod(math.MaxInt64, 7)
		assert.Equal(t, clock.Never, s.Due())
		s.SetPeriod(1, 8)
		assert.EqualValues(t, 8, s.Due())
	}
}

// FuzzCommands gives a series commands in any state, at times up to the end of the clock. Whatever
// they are, the plan is a time of the clock, the slots stay on the grid, nothing wraps, and nothing
// takes longer for being late.
func FuzzCommands(f *testing.F) {
	everything := []byte{
		0, 0, 9, 5, 2, 1, 1, 0, 3, 2, 70, 9, 3, 0, 4, 4, 1, 2, 5, 60, 7, 6, 1, 200, 7, 0, 9, 0, 0, 1,
		5, 1, 1, 1, 0, 0, 7, 1, 1, 2, 66, 1, 7, 70, 255, 1, 0, 0, 2, 0, 1, 6, 2, 2, 7, 0, 255, 3, 64, 3,
	}
	for mode := range byte(32) {
		for _, period := range []int64{1, 10, 1 << 32, 1 << 62, math.MaxInt64} {
			f.Add(mode, period, int64(5), int64(0), everything)
			f.Add(mode, period, int64(math.MaxInt64-3), period, everything)
		}
	}
	f.Fuzz(func(t *testing.T, mode byte, period, first, jitter int64, script []byte) {
		if period <= 0 || first < 0 || jitter < 0 || len(script) > 600 {
			t.Skip("no submission lets that through")
		}
		s := &Series{Grid: Grid{Period: period, Options: Options{CatchUp: CatchUp(mode % 4)}}}
		if mode&4 > 0 {
			s.Period = -period
		}
		if mode&8 > 0 {
			s.BackOff = BackOff{1.5, math.MaxInt64}
		}
		if mode&16 > 0 {
			s.Jitter = time.Duration(min(jitter, period))
		}
		(&commands{Series: s, grid: first}).play(t, s.First(first), script)
	})
}

// commands is a series that is given commands.
type commands struct {
	*Series
	now  int64
	due  int64
	grid int64 // a slot; negative if the grid may have moved
}

// play obeys a script. It takes three bytes for each command: which, and for how long, as package
// FuzzCatchUp has it.
func (c *commands) play(t *testing.T, due int64, script []byte) {
	c.due = due
	for ; len(script) >= 3; script = script[3:] {
		length := clock.Later(0, time.Duration(int64(script[1]%64)<<(script[2]%63)))
		c.now = clock.Later(c.now, time.Duration(script[2]))
		if length < 0 {
			length = clock.Never
		}
		c.obey(t, script[0]%10, length)
		c.check(t)
	}
}

func (c *commands) obey(t *testing.T, order byte, length int64) {
	switch order {
	case 0:
		c.now = clock.Later(c.now, time.Duration(length))
	case 1:
		c.Pause()
	case 2:
		if c.Resume(c.now) && !c.inPlanned() {
			require.GreaterOrEqual(t, c.planned, c.now)
		}
	case 3:
		c.Trigger(c.now + 1)
	case 4:
		c.Series.Reset(clock.Later(c.now, time.Duration(length)), c.now)
		c.grid = -1
	case 5:
		c.setPeriod(max(length, int64(c.Jitter), 1))
	case 6:
		if c.running {
			c.Series.NextIn(time.Duration(length))
		}
	case 7:
		c.failures = uint64(length)
	default:
		c.run(t)
	}
}

func (c *commands) setPeriod(d int64) {
	if d != c.period() {
		c.grid = -1
	}
	c.SetPeriod(time.Duration(d), c.now)
}

// run begins a run that is due, or ends the one in progress.
func (c *commands) run(t *testing.T) {
	if !c.running {
		if due := c.Due(); due < clock.Never {
			c.now = max(c.now, due)
			counts := c.Start(due, c.now)
			require.LessOrEqual(t, counts, c.now)
		}
		return
	}
	failures := c.failures
	chosen, extra := c.move.kind != stay, c.extra
	c.end(c.now)
	c.failures = failures
	if !extra && !chosen && (c.Period < 0 || c.CatchUp >= Skip && c.CatchUp != Coalesce) {
		require.GreaterOrEqual(t, c.planned, c.now)
	}
}

// check demands what holds always.
func (c *commands) check(t *testing.T) {
	require.GreaterOrEqual(t, c.Due(), int64(0))
	require.GreaterOrEqual(t, c.planned, int64(0))
	if !c.inPlanned() {
		require.GreaterOrEqual(t, c.planned, c.slot)
	}
	require.LessOrEqual(t, c.Missed, uint64(math.MaxInt64), "wrapped")
	require.LessOrEqual(t, c.dropped, uint64(math.MaxInt64), "wrapped")
	atTheEnd := c.slot > clock.Never/2 || c.period() > clock.Never/4 // where slots are cut off
	if atTheEnd || c.Period < 0 || c.CatchUp == Shift {
		c.grid = -1
	}
	if c.grid >= 0 {
		// The slots of the past may be negative.
		require.Zero(t, (c.slot%c.period()-c.grid%c.period())%c.period(), "slot %d", c.slot)
	}
}
