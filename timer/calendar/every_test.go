package calendar_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/timer/calendar"
)

func TestEveryIsExactHoweverFarTheAnchorIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.Int64Range(1, math.MaxInt64).Draw(t, "step")
		if rapid.Bool().Draw(t, "short") {
			step = 1 + step%int64(1_000*time.Hour)
		}
		anchor, after := instant(t, "anchor"), instant(t, "after")
		if rapid.Bool().Draw(t, "near") {
			some := min(step, math.MaxInt64/3) / 2 * 3
			after = anchor.Add(time.Duration(rapid.Int64Range(-some, some).Draw(t, "since")))
		}
		want := new(big.Int).Sub(nanoseconds(after), nanoseconds(anchor))
		want.Div(want, big.NewInt(step)) // rounds down
		want.Add(want, big.NewInt(1)).Mul(want, big.NewInt(step)).Add(want, nanoseconds(anchor))

		next := calendar.Every(time.Duration(step), anchor).Next(after)
		require.Equal(t, want.String(), nanoseconds(next).String())
	})
}

// instant is one of 600,000 years.
func instant(t *rapid.T, name string) time.Time {
	const most = 1 << 43
	return time.Unix(rapid.Int64Range(-most, most).Draw(t, name), rapid.Int64Range(0, 999_999_999).Draw(t, name))
}

func nanoseconds(t time.Time) *big.Int {
	n := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(int64(time.Second)))
	return n.Add(n, big.NewInt(int64(t.Nanosecond())))
}

func TestEveryComesAtItsAnchorButNotTwice(t *testing.T) {
	anchor := at("2026-03-01T00:00:00Z")
	s := calendar.Every(time.Hour, anchor)
	assert.Equal(t, anchor, s.Next(anchor.Add(-1)))
	assert.Equal(t, anchor.Add(time.Hour), s.Next(anchor))
	assert.Equal(t, anchor, s.Next(anchor.Add(-time.Hour)))
}

func TestEveryEndsWithTime(t *testing.T) {
	last := time.Unix(math.MaxInt64-62_135_596_800, 999_999_999) // the last that package time can tell
	assert.True(t, calendar.Every(time.Hour, time.Unix(0, 0)).Next(last).IsZero())
}

func TestEveryIsElapsedTimeOverAChangeOfTheClock(t *testing.T) {
	s := calendar.Every(24*time.Hour, in(berlin, "2026-03-28 12:00")).In(berlin)
	assert.Equal(t, in(berlin, "2026-03-29 13:00"), s.Next(in(berlin, "2026-03-28 12:00")))
}

func TestAGridIsRestrictedByWhatAClockShows(t *testing.T) {
	s := calendar.Within(calendar.Every(90*time.Minute, at("2026-01-01T00:00:00Z")),
		calendar.Between(calendar.At(2, 0), calendar.At(5, 0)))

	assert.Equal(t, []string{
		"2026-03-28T01:30:00Z", "2026-03-28T03:00:00Z", // 02:30 and 04:00
		"2026-03-29T01:30:00Z", // 03:30; after 01:00 came 03:00
		"2026-03-30T00:00:00Z", // 02:00
	}, next(s.In(berlin), at("2026-03-28T00:00:00Z"), 4))
}
