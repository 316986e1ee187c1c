package calendar_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

func TestASchedulePrintsWhatItIs(t *testing.T) {
	nine := calendar.At(9, 0)
	first := calendar.NewDate(2026, time.January, 7)
	dates := []calendar.Date{first}
	for day := range 5 {
		dates = append(dates, calendar.NewDate(2026, time.May, 1+day))
	}
	for _, c := range []struct {
		want string
		s    fmt.Stringer
	}{
		{"daily at 09:00", calendar.Daily(nine)},
		{"daily at 23:59:07", calendar.Daily(calendar.AtSecond(23, 59, 7))},
		{"weekly at 09:00 on Mon, Sun", calendar.Weekly(nine, time.Sunday, time.Monday)},
		{"monthly at 09:00 on day 1, day 15, 3 before the last day, the last day",
			calendar.Monthly(nine, calendar.LastDay, calendar.Day(15), calendar.Day(1), calendar.DaysBeforeLast(3))},
		{"monthly at 09:00 on the workday nearest to day 15, the last workday, the last Sunday, the 2nd Friday",
			calendar.Monthly(nine, calendar.LastWorkday, calendar.Workday(15),
				calendar.NthWeekday(2, time.Friday), calendar.LastWeekday(time.Sunday))},
		{"yearly at 09:00 in Feb on day 29", calendar.Yearly(nine, time.February, calendar.Day(29))},
		{"every day at 09:00", calendar.EveryDays(1, first, nine)},
		{"every 3 days from 2026-01-07 at 09:00", calendar.EveryDays(3, first, nine)},
		{"every 2 weeks from 2026-01-05 at 09:00 on Mon", calendar.EveryWeeks(2, first, nine, time.Monday)},
		{"every week at 09:00 on Mon", calendar.EveryWeeks(1, first, nine, time.Monday)},
		{"every 1h30m0s from 2026-01-05T00:00:00Z", calendar.Every(90*time.Minute, begin0.In(berlin))},
		{"every 1h0m0s from 2026-01-05T00:00:00Z in Europe/Berlin, within 22:00-03:00",
			calendar.Within(calendar.Every(time.Hour, begin0), night).In(berlin)},
		{"daily at 09:00 in Europe/Berlin, not after gaps, all repeated times, within Mon, except on 2026-01-07",
			calendar.Except(calendar.Within(calendar.Daily(nine), calendar.OnWeekdays(time.Monday)), calendar.OnDates(first)).
				In(berlin).Gaps(calendar.Skip).Repeats(calendar.Both)},
		{"daily at 09:00, the last of repeated times", calendar.Daily(nine).Repeats(calendar.Last)},
		{"0 9 * * MON-FRI in Europe/Berlin", calendar.Union(cron.MustParse("0 9 * * mon-fri")).In(berlin)},
		{"CRON_TZ=Europe/Berlin @daily", calendar.Union(cron.MustParse("TZ=Europe/Berlin @daily")).In(newYork)},
		{"@every 1h0m0s, within 22:00-03:00", calendar.Within(cron.MustParse("@every 1h"), night)},
		{"daily at 09:00; @hourly, from 2026-01-05T00:00:00Z, until 2027-01-05T00:00:00Z",
			calendar.Union(calendar.Daily(nine), calendar.Until(calendar.From(cron.MustParse("@hourly"), begin0),
				begin0.AddDate(1, 0, 0)))},
		{"calendar_test.function", calendar.Union(function(nil))},
		{"cron.Schedule", calendar.Union(cron.Schedule{})},

		{"never", calendar.Window{}},
		{"22:00-03:00", night},
		{"(Jan, Jul and the last day)", calendar.All(calendar.InMonths(time.July, time.January), calendar.OnDays(calendar.LastDay))},
		{"odd ISO weeks", calendar.OddISOWeeks()},
		{"even ISO weeks", calendar.EvenISOWeeks()},
		{"ISO weeks 1, 53", calendar.ISOWeeks(53, 1)},
		{"every 2 days from 2026-01-07", calendar.EachDays(2, first)},
		{"on no date", calendar.OnDates()},
		{"on 2026-01-07, 2026-05-01, 2026-05-02, 2026-05-03 and 2 more dates", calendar.OnDates(dates...)},
		{"daily at 09:00, within 22:00-03:00 or Mon, except odd ISO weeks or Jan", calendar.Except(
			calendar.Within(calendar.Daily(nine), night, calendar.OnWeekdays(time.Monday)),
			calendar.OddISOWeeks(), calendar.InMonths(time.January))},
	} {
		assert.Equal(t, c.want, c.s.String())
	}
}

func TestDatesAndTimesOfDayAreReadAsTheyArePrinted(t *testing.T) {
	for _, text := range []string{"00:00", "09:30", "23:59:07"} {
		at, err := calendar.ParseTimeOfDay(text)
		require.NoError(t, err)
		assert.Equal(t, text, at.String())
	}
	for _, text := range []string{"0001-01-01", "1969-12-31", "2024-02-29", "9999-12-31"} {
		d, err := calendar.ParseDate(text)
		require.NoError(t, err)
		assert.Equal(t, text, d.String())
	}
	assert.Equal(t, calendar.NewDate(2026, time.May, 1), calendar.DateOf(in(berlin, "2026-05-01 00:30")))
}

func TestWhatIsNoDateOrTimeOfDayIsRefused(t *testing.T) {
	for _, text := range []string{"", "9:30", "24:00", "09:60", "09:30:60", "09:30 ", "09:30:00.5", "930"} {
		_, err := calendar.ParseTimeOfDay(text)
		assert.ErrorContains(t, err, fmt.Sprintf("calendar: %q is no time of day", text))
	}
	for _, text := range []string{"", "2026-02-29", "0000-01-01", "2026-1-1", "2026-01-01T00:00:00Z"} {
		_, err := calendar.ParseDate(text)
		assert.ErrorContains(t, err, fmt.Sprintf("calendar: %q is no date", text))
	}
	_, err := calendar.ParseDate(string(make([]byte, 1<<20)))
	assert.Less(t, len(err.Error()), 300)
}

func TestMisusedConstructorsPanic(t *testing.T) {
	midnight := calendar.At(0, 0)
	daily := calendar.Daily(midnight)
	first := calendar.NewDate(2026, time.January, 1)
	for want, f := range map[string]func(){
		"no clock shows 24:00:00":                                      func() { calendar.At(24, 0) },
		"no clock shows -1:00:00":                                      func() { calendar.At(-1, 0) },
		"no clock shows 00:60:00":                                      func() { calendar.At(0, 60) },
		"no clock shows 00:00:60":                                      func() { calendar.AtSecond(0, 0, 60) },
		"no date is 2026-02-29":                                        func() { calendar.NewDate(2026, time.February, 29) },
		"no date is 2026-13-01":                                        func() { calendar.NewDate(2026, 13, 1) },
		"no date is 10000-01-01":                                       func() { calendar.DateOf(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)) },
		"no weekday is given":                                          func() { calendar.Weekly(midnight) },
		"a weekday is from 0 to 6, not 7":                              func() { calendar.OnWeekdays(7) },
		"no day of a month is given":                                   func() { calendar.Monthly(midnight) },
		"a day of a month is from 1 to 31, not 0":                      func() { calendar.Day(0) },
		"a day of a month is from 1 to 31, not 32":                     func() { calendar.Workday(32) },
		"a number of days before the last one is from 0 to 30, not 31": func() { calendar.DaysBeforeLast(31) },
		"a number of a weekday in a month is from 1 to 5, not 6":       func() { calendar.NthWeekday(6, time.Monday) },
		"99 is no day of a month: use Day and its like":                func() { calendar.OnDays(99) },
		"a month is from 1 to 12, not 13":                              func() { calendar.Yearly(midnight, 13, calendar.LastDay) },
		"no month is given":                                            func() { calendar.InMonths() },
		"no number of a week is given":                                 func() { calendar.ISOWeeks() },
		"a number of a week is from 1 to 53, not 54":                   func() { calendar.ISOWeeks(54) },
		"a number of days is from 1 to 10000, not 0":                   func() { calendar.EveryDays(0, first, midnight) },
		"a number of weeks is from 1 to 10000, not 10001":              func() { calendar.EachWeeks(10_001, first) },
		"a window from 00:00 to 00:00 is empty, or the whole day":      func() { calendar.Between(midnight, midnight) },
		"the duration is 0s; it must be more than 0":                   func() { calendar.Every(0, begin0) },
		"nil calendar":                                                 func() { calendar.Union(nil) },
		"nil zone":                                                     func() { daily.In(nil) },
		"no policy for gaps has the number 2":                          func() { daily.Gaps(2) },
		"no policy for repeated times has the number 3":                func() { daily.Repeats(3) },
	} {
		assert.PanicsWithValue(t, "calendar: "+want, f)
	}
	for _, f := range []func(){
		func() { calendar.Within(nil, night) }, func() { calendar.Except(nil) }, func() { calendar.From(nil, begin0) },
		func() { calendar.Until(nil, begin0) }, func() { calendar.Upcoming(nil, begin0) },
	} {
		assert.PanicsWithValue(t, "calendar: nil calendar", f)
	}
}
