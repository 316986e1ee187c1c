package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

var (
	berlin  = zone("Europe/Berlin")
	newYork = zone("America/New_York")
)

func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

// at returns the time of a text of RFC 3339, in UTC.
func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

// in returns the time that a clock of the zone shows.
func in(zone *time.Location, text string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		panic(err)
	}
	return t
}

// next returns the next n times, in UTC.
func next(c calendar.Calendar, after time.Time, n int) (texts []string) {
	for t := range calendar.Upcoming(c, after) {
		if texts = append(texts, text(t)); len(texts) == n {
			break
		}
	}
	return texts
}

// function makes a calendar of a function.
type function func(after time.Time) time.Time

func (f function) Next(after time.Time) time.Time { return f(after) }

func TestZeroValuesNeverCome(t *testing.T) {
	now := at("2026-11-22T10:00:00Z")
	var zero calendar.Schedule
	assert.True(t, zero.Next(now).IsZero())
	assert.Equal(t, "never", zero.String())
	for _, s := range []calendar.Schedule{
		zero.In(berlin), zero.Gaps(calendar.Skip), zero.Repeats(calendar.Both),
		calendar.Within(zero, calendar.InMonths(time.May)), calendar.Except(zero, calendar.Window{}),
		calendar.From(zero, now), calendar.Until(zero, now), calendar.Union(), calendar.Union(zero, zero),
	} {
		assert.Equal(t, zero, s)
	}
	assert.True(t, calendar.Union(cron.Schedule{}).Next(now).IsZero())
	assert.Empty(t, next(zero, now, 1))

	daily := calendar.Daily(calendar.TimeOfDay{})
	assert.Equal(t, calendar.Daily(calendar.At(0, 0)), daily)
	assert.Equal(t, daily, calendar.Union(zero, daily, zero))
	assert.True(t, calendar.Within(daily, calendar.Window{}).Next(now).IsZero())
	assert.Equal(t, daily.Next(now), calendar.Except(daily, calendar.Window{}).Next(now))
	assert.Equal(t, "1970-01-01", calendar.Date{}.String())
}

func TestAnAnswerIsInTheLocationOfTheQuestion(t *testing.T) {
	asked := in(newYork, "2026-11-22 10:00")
	daily := calendar.Daily(calendar.At(12, 0))
	foreign := function(func(after time.Time) time.Time { return after.Add(time.Hour).In(berlin) })
	for _, c := range []calendar.Calendar{
		daily.In(berlin), calendar.Union(daily, foreign), calendar.Union(foreign), calendar.Until(foreign, asked.AddDate(1, 0, 0)),
		calendar.From(foreign, asked.AddDate(0, 0, 1)), calendar.From(daily, asked.AddDate(0, 0, 1)),
		calendar.Every(time.Hour, time.Unix(0, 0)).In(berlin),
		calendar.Except(foreign, calendar.Window{}), calendar.Union(foreign).In(berlin),
	} {
		assert.Same(t, newYork, c.Next(asked).Location(), "%v", c)
	}
}

func TestAScheduleWithoutAZoneIsInThatOfTheQuestion(t *testing.T) {
	daily := calendar.Daily(calendar.At(12, 0))
	limit := at("2026-11-23T00:00:00Z")
	for _, s := range []calendar.Schedule{daily, calendar.From(daily, limit), calendar.Union(daily, daily)} {
		assert.Equal(t, in(berlin, "2026-11-23 12:00"), s.Next(in(berlin, "2026-11-22 12:00")))
		assert.Equal(t, in(newYork, "2026-11-23 12:00"), s.Next(in(newYork, "2026-11-22 19:00")))
	}
}

func TestAZoneThatIsThereAlreadyStays(t *testing.T) {
	line := cron.MustParse("CRON_TZ=Europe/Berlin 0 12 * * *")
	daily := calendar.Daily(calendar.At(12, 0))
	s := calendar.Union(line, daily.In(berlin), daily).In(newYork)
	assert.Equal(t, []string{"2026-11-22T11:00:00Z", "2026-11-22T17:00:00Z"},
		next(s, at("2026-11-22T00:00:00Z"), 2))
}

func TestAZoneAndPoliciesMayComeBeforeOrAfterTheRest(t *testing.T) {
	daily := calendar.Daily(calendar.At(2, 30))
	sunday := calendar.OnWeekdays(time.Sunday)
	assert.Equal(t, calendar.Within(daily, sunday).In(berlin).Gaps(calendar.Skip).Repeats(calendar.Both),
		calendar.Within(daily.Repeats(calendar.Both).Gaps(calendar.Skip).In(berlin), sunday))
	every := calendar.Every(time.Hour, at("2026-01-01T00:00:00Z"))
	assert.Equal(t, calendar.Within(every, sunday).In(berlin), calendar.Within(every.In(berlin), sunday))
	assert.Equal(t, every, every.Gaps(calendar.Skip).Repeats(calendar.Last))
}

func TestSchedulesAreEqualIfTheirPartsAre(t *testing.T) {
	one := func() calendar.Schedule {
		begin := calendar.NewDate(2026, time.January, 5)
		holidays := calendar.OnDates(calendar.NewDate(2026, time.December, 26), calendar.NewDate(2026, time.December, 25))
		return calendar.Union(
			calendar.Except(calendar.EveryWeeks(2, begin, calendar.At(9, 30), time.Monday), holidays).In(berlin),
			calendar.Within(cron.MustParse("*/15 * * * *"),
				calendar.All(calendar.OnDays(calendar.LastWorkday), calendar.InMonths(time.May)),
				calendar.Between(calendar.At(22, 0), calendar.At(3, 0)), calendar.ISOWeeks(1, 53)),
			calendar.From(calendar.Until(calendar.Every(time.Hour, begin0), begin0.AddDate(1, 0, 0)), begin0),
		)
	}
	assert.True(t, one() == one())
	assert.False(t, one() == one().In(newYork))
	assert.False(t, one() == one().Gaps(calendar.Skip))
	assert.False(t, one() == one().Repeats(calendar.Last))
	assert.Contains(t, map[calendar.Schedule]int{one(): 1}, one())

	dates := []calendar.Date{calendar.NewDate(2026, time.May, 1), calendar.NewDate(2025, time.May, 1)}
	assert.True(t, calendar.OnDates(dates[0], dates[1]) == calendar.OnDates(dates[1], dates[0], dates[1]))
	assert.False(t, calendar.OnDates(dates[0]) == calendar.OnDates(dates[1]))
	assert.True(t, calendar.Weekly(calendar.At(9, 0), time.Friday, time.Monday) ==
		calendar.Weekly(calendar.At(9, 0), time.Monday, time.Friday, time.Monday))
	assert.True(t, calendar.Every(time.Hour, begin0) == calendar.Every(time.Hour, begin0.In(berlin)))
	assert.True(t, calendar.EachWeeks(2, calendar.NewDate(2026, time.January, 5)) ==
		calendar.EachWeeks(2, calendar.NewDate(2026, time.January, 11)))
}

var begin0 = at("2026-01-05T00:00:00Z")

func TestUpcomingEndsWithItsReader(t *testing.T) {
	asked := 0
	for range calendar.Upcoming(function(func(after time.Time) time.Time { asked++; return after.Add(1) }), begin0) {
		break
	}
	assert.Equal(t, 1, asked)
}

func TestUpcomingHasNoMonotonicReadings(t *testing.T) {
	now := time.Now()
	var times []time.Time
	for at := range calendar.Upcoming(function(func(time.Time) time.Time {
		return now.Add(time.Duration(1+len(times)) * time.Hour)
	}), now) {
		if times = append(times, at); len(times) == 2 {
			break
		}
	}
	assert.Equal(t, []time.Time{now.Round(0).Add(time.Hour), now.Round(0).Add(2 * time.Hour)}, times)
}

func TestUpcomingEndsAtAnAnswerThatDoesNotGoOn(t *testing.T) {
	for name, step := range map[string]time.Duration{"back": -time.Hour, "not at all": 0} {
		stuck := function(func(after time.Time) time.Time {
			if after.Equal(begin0) {
				return after.Add(time.Hour)
			}
			return after.Add(step)
		})
		assert.Equal(t, []string{"2026-01-05T01:00:00Z"}, next(stuck, begin0, 9), name)
	}
}

func TestWindowsOfNothing(t *testing.T) {
	daily := calendar.Daily(calendar.At(9, 0))
	assert.Equal(t, daily, calendar.Except(daily))
	assert.True(t, calendar.Within(daily, calendar.OnDates()).Next(begin0).IsZero())
	require.PanicsWithValue(t, "calendar: Within has no window", func() { calendar.Within(daily) })
	require.PanicsWithValue(t, "calendar: All has no window", func() { calendar.All() })
}

// On 1 November 2026 Havana's clocks go from 01:00 back to 00:00, at 05:00 in UTC.
func TestTheLastTimeOfAllComesAsOftenAsItIsShown(t *testing.T) {
	havana := zone("America/Havana")
	day := calendar.OnDates(calendar.DateOf(in(havana, "2026-11-01 00:00")))
	midnight := calendar.Within(calendar.Daily(calendar.At(0, 0)), day).In(havana)
	first, last := "2026-11-01T04:00:00Z", "2026-11-01T05:00:00Z"
	for policy, want := range map[calendar.RepeatPolicy][]string{
		calendar.First: {first}, calendar.Last: {last}, calendar.Both: {first, last},
	} {
		assert.Equal(t, want, next(midnight.Repeats(policy), at("2026-10-01T00:00:00Z"), 3), policy)
	}
	quarters := calendar.Within(cron.MustParse("*/15 * * * *"), day).In(havana)
	assert.Len(t, next(quarters, at("2026-10-01T00:00:00Z"), 200), 100, "a day of 25 hours")
}
