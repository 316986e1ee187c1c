package cron_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/cron"
)

func TestSchedulesOfTheSameLineAreEqual(t *testing.T) {
	berlin := zoneOf(t, "Europe/Berlin")
	other := cron.Zone(zoneOf(t, "Asia/Tokyo"))
	for _, line := range []string{
		"0 3 * * MON", "CRON_TZ=Europe/Berlin 0 3 * * *", "TZ=Local @daily", "@every 90m",
		"TZ=Asia/Tokyo @every 1s",
	} {
		s := cron.MustParse(line, cron.Zone(berlin))
		assert.True(t, s == cron.MustParse(line, cron.Zone(berlin)), line)
		assert.True(t, s == cron.MustParse(s.String(), cron.Zone(berlin)), line)
	}
	inBerlin := cron.MustParse("0 3 * * *", cron.Zone(berlin))
	assert.False(t, inBerlin == cron.MustParse("0 3 * * *", other))
	assert.False(t, cron.MustParse("0 3 * * *") == cron.MustParse("0 4 * * *"))
}

// A location need not be one that its name stands for.
func TestStringHasTheZoneOfTheLineOnly(t *testing.T) {
	zone := cron.Zone(time.FixedZone("CET", -5*60*60))
	s := cron.MustParse(" 0  3 *\t* mon", zone)
	assert.Equal(t, "0 3 * * MON", s.String())
	assert.True(t, s == cron.MustParse(s.String(), zone))
	s = cron.MustParse("TZ=Asia/Tokyo  @DAILY", zone)
	assert.Equal(t, "CRON_TZ=Asia/Tokyo @daily", s.String())
	assert.Equal(t, "@every 1h30m0s", cron.MustParse("@every 90m").String())
}

func TestAScheduleTellsItsZone(t *testing.T) {
	berlin := zoneOf(t, "Europe/Berlin")
	assert.Nil(t, cron.MustParse("0 3 * * *").Zone())
	assert.Equal(t, berlin, cron.MustParse("0 3 * * *", cron.Zone(berlin)).Zone())
	named := cron.MustParse("CRON_TZ=Asia/Tokyo 0 3 * * *", cron.Zone(berlin)).Zone()
	assert.Equal(t, "Asia/Tokyo", named.String(), "that of the line goes first")
}

func TestTheZeroScheduleNeverComes(t *testing.T) {
	var s cron.Schedule
	assert.Nil(t, s.Zone())
	assert.Zero(t, s.Next(time.Now()))
	assert.True(t, s.Never())
	assert.False(t, s.Interval())
	assert.Empty(t, s.String())
}

// far are times of which nobody thinks.
var far = []time.Time{
	{}, time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(300_000, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Unix(1<<55-1, 0), time.Unix(1<<55, 0), time.Unix(-1<<55, 0),
	time.Unix(1<<62, 0), time.Unix(-1<<62, 0),
	time.Unix(math.MaxInt64, 999_999_999), time.Unix(math.MinInt64, 0),
	time.Unix(math.MaxInt64-62135596800, 0), time.Unix(math.MinInt64+62135596800, 1),
	time.Date(2262, 4, 11, 23, 47, 17, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC),
}

func TestNextIsLaterThanAnyTimeOrZero(t *testing.T) {
	for _, line := range []string{
		"* * * * *", "0 3 * * *", "0 0 29 2 *", "0 0 31 2 *", "30 2 L * FRI#5",
		"@every 1s", "@every 2562047h", "@hourly",
	} {
		for _, zone := range []string{"UTC", "America/New_York", "Pacific/Apia", "Africa/Monrovia"} {
			for _, repeat := range []cron.RepeatPolicy{cron.First, cron.Last, cron.Both} {
				s := cron.MustParse(line, cron.Zone(zoneOf(t, zone)), cron.Repeat(repeat))
				for _, at := range far {
					next := s.Next(at)
					assert.True(t, next.IsZero() || next.After(at),
						"%s %s: %v -> %v", line, zone, at, next)
				}
			}
		}
	}
}

func TestNextReadsNoMonotonicClock(t *testing.T) {
	for _, line := range []string{"* * * * *", "@every 1s"} {
		now := time.Now()
		next := cron.MustParse(line).Next(now)
		assert.Equal(t, next.Round(0), next)
		assert.Equal(t, now.Location(), next.Location())
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	for _, line := range []string{
		"*/5 * * * *", "0 3 * * *", "0 9 * * MON-FRI", "0 0 1 1 *", "0 0 29 2 *", "0 0 31 2 *", "@every 1h",
		"0 1 LW * FRIL",
	} {
		s := cron.MustParse(line, cron.Zone(zoneOf(t, "America/New_York")))
		at := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
		assert.Zero(t, testing.AllocsPerRun(100, func() { s.Next(at) }), line)
	}
}

func TestNeverTellsOfLinesThatNameNoDay(t *testing.T) {
	for line, never := range map[string]bool{
		"0 0 31 2 *": true, "0 0 30 2,2 *": true, "0 0 31 2,4,6,9,11 *": true,
		"0 0 L-30 2 *": true, "0 0 30W 2 ?": true, "0 0 30 2 */2": true, "0 0 */30 2 MON#5": true,
		"0 0 29 2 *": false, "0 0 31 2 MON": false, "0 0 31 1 *": false, "@every 1s": false,
		"0 0 L-28 2 *": false, "0 0 */28 2 MON#5": false, "0 0 29 2 */6": false,
	} {
		s := cron.MustParse(line)
		assert.Equal(t, never, s.Never(), line)
		assert.Equal(t, never, s.Next(time.Now()).IsZero(), line)
	}
}
