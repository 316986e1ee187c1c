package series

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/clock"
)

// FuzzCatchUp plays the runs of one series and compares every plan with an arithmetic that has no
// end: the grid of a fixed rate is its origin and all multiples of the period after it.
//
// The script says for each run how late it starts and how long it lasts. Each of the two takes
// three bytes: a unit, how many of these, and a little more or less, so that starts and ends fall
// upon the grid, beside it, and at the end of the clock.
func FuzzCatchUp(f *testing.F) {
	const late, long = 7, 47
	readme := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 0, 0, 0, 0, 0, 0, 0}
	onTheGrid := []byte{1, 0, 0, 1, 2, 0, 1, 3, 0, 1, 1, 0, 1, 0, 1, 1, 2, 255, 1, 1, 255, 1, 1, 1}
	farAway := []byte{0, 1, 0, 64, 3, 0, 70, 1, 0, 63, 1, 0, 60, 7, 255, 90, 200, 1, 66, 255, 0}
	for policy := byte(0); policy < 4; policy++ {
		f.Add(policy, int64(10), int64(0), int64(0), readme)
		f.Add(policy, int64(10), int64(3), int64(10), readme)
		f.Add(policy, int64(1), int64(0), int64(1), farAway)
		for _, period := range []int64{1, 2, 7, int64(time.Hour), 1 << 31, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64} {
			f.Add(policy, period, int64(late), int64(0), onTheGrid)
			f.Add(policy, period, int64(long), period/2, farAway)
			f.Add(policy, period, int64(math.MaxInt64-2), int64(0), onTheGrid)
		}
	}
	f.Fuzz(func(t *testing.T, policy byte, period, first, jitter int64, script []byte) {
		if period <= 0 || first < 0 || len(script) > 600 {
			t.Skip("no submission lets that through")
		}
		s := &Series{Grid: Grid{Period: period * FixedRate}}
		if policy %= 4; policy > byte(Coalesce) {
			s.Period = period * FixedDelay
		} else {
			s.CatchUp = CatchUp(policy)
		}
		if s.Jitter = time.Duration(max(jitter, 0)); s.Period > 0 {
			s.Jitter = min(s.Jitter, time.Duration(period))
		}
		play(t, s, first, script)
	})
}

// play runs a series by a script, beside its reference.
func play(t *testing.T, s *Series, first int64, script []byte) {
	r := &reference{
		period: big.NewInt(abs(s.Period)), window: big.NewInt(max(int64(s.Jitter)-1, 0)),
		delay: s.Period < 0, policy: s.CatchUp, slot: big.NewInt(first),
	}
	due, now := s.First(first), int64(0)
	for n := uint64(1); ; n++ {
		requirePlan(t, s, r, due)
		if len(script) < 6 {
			return
		}
		now = amount(max(now, due), r.period, script)
		counts := s.Start(due, now)
		require.Equal(t, n, s.Runs)
		requireStart(t, s, r, due, now, counts)
		now = amount(now, r.period, script[3:])
		due = s.Next(now)
		r.next(now)
		require.Equal(t, clamped(r.missed), s.Missed, "missed before run %d", n+1)
		if s.Period > 0 && s.CatchUp == Skip {
			require.GreaterOrEqual(t, due, now, "run %d is planned for a time that has passed", n+1)
		}
		script = script[6:]
	}
}

// requirePlan demands that the next run is due at its slot, or later by the jitter.
func requirePlan(t *testing.T, s *Series, r *reference, due int64) {
	slot := int64(clamped(r.slot))
	require.Equal(t, slot, s.slot)
	require.GreaterOrEqual(t, due, slot)
	if s.Jitter == 0 || slot == clock.Never {
		require.Equal(t, slot, due)
	} else {
		require.Less(t, due-slot, int64(s.Jitter))
	}
}

// requireStart demands that a run counts for a time that is not in its future, of the phase that
// was planned, and, but under Burst, less than a period ago.
func requireStart(t *testing.T, s *Series, r *reference, due, now, counts int64) {
	passed := r.start(due, now)
	require.Equal(t, clamped(r.slot), uint64(s.slot))
	require.GreaterOrEqual(t, counts, due)
	require.LessOrEqual(t, counts, now)
	if r.delay {
		require.Equal(t, due, counts)
		require.Zero(t, s.Missed)
		return
	}
	require.Equal(t, clamped(r.missed), s.Missed)
	if r.policy == Burst {
		require.Equal(t, due, counts)
		return
	}
	want := new(big.Int).Add(big.NewInt(due), passed.Mul(passed, r.period))
	require.Equal(t, want.Int64(), counts)
	require.Less(t, now-counts, s.Period)
}

// reference is a series in whole numbers.
type reference struct {
	period *big.Int
	window *big.Int // how long after its slot a run may be planned
	delay  bool
	policy CatchUp

	slot   *big.Int // of the next run, or of the one in progress
	missed *big.Int
}

// start accounts for a run due at that time which starts now, and returns how many periods have
// passed since.
func (r *reference) start(due, now int64) (passed *big.Int) {
	if r.missed == nil {
		r.missed = new(big.Int)
	}
	passed = new(big.Int).Sub(big.NewInt(now), big.NewInt(due))
	passed.Quo(passed, r.period)
	if r.delay {
		return passed
	}
	r.missed.Add(r.missed, passed)
	if r.policy != Burst { // the run stands for all that have passed
		r.slot.Add(r.slot, new(big.Int).Mul(passed, r.period))
	}
	return passed
}

// next plans the run after one that has ended.
func (r *reference) next(ended int64) {
	end := big.NewInt(ended)
	r.missed = new(big.Int)
	if r.delay {
		r.slot.Add(end, r.period)
	} else {
		r.slot.Add(r.slot, r.period)
	}
	last := new(big.Int).Add(r.slot, r.window)
	if !r.delay && r.policy == Skip && last.Cmp(end) < 0 { // to the first of the grid that has not passed
		r.missed.Sub(end, last)
		r.missed.Add(r.missed, r.period)
		r.missed.Sub(r.missed, big.NewInt(1))
		r.missed.Quo(r.missed, r.period)
		r.slot.Add(r.slot, new(big.Int).Mul(r.missed, r.period))
	}
	if r.slot.Cmp(big.NewInt(clock.Never)) > 0 {
		r.slot.SetInt64(clock.Never)
	}
}

// amount returns a time not before the given one, later by what the script says.
func amount(from int64, period *big.Int, script []byte) int64 {
	unit := big.NewInt(1)
	switch kind := script[0] % 128; {
	case kind == 1:
		unit = period
	case kind == 2:
		unit = new(big.Int).Quo(period, big.NewInt(2))
	case kind >= 64:
		unit = new(big.Int).Lsh(unit, uint(kind)-64)
	}
	sum := new(big.Int).Mul(unit, big.NewInt(int64(script[1])))
	sum.Add(sum, big.NewInt(int64(int8(script[2]))))
	sum.Add(sum, big.NewInt(from))
	return max(from, int64(clamped(sum)))
}

// clamped returns n, or Never if that is beyond the end of the clock.
func clamped(n *big.Int) uint64 {
	if n == nil || n.Sign() < 0 {
		return 0
	}
	if n.Cmp(big.NewInt(clock.Never)) > 0 {
		return uint64(clock.Never)
	}
	return n.Uint64()
}

func abs(n int64) int64 { return max(n, -n) }
