package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

var night = calendar.Between(calendar.At(22, 0), calendar.At(3, 0))

// composed returns all that can be made of one calendar.
func composed(c calendar.Calendar) []calendar.Schedule {
	return []calendar.Schedule{
		calendar.Union(c),
		calendar.Union(c, calendar.Daily(calendar.At(0, 0))),
		calendar.Union(calendar.Daily(calendar.At(0, 0)), c),
		calendar.Within(c, night),
		calendar.Except(c, night),
		calendar.From(c, begin0.Add(time.Hour)),
		calendar.From(c, begin0.Add(-time.Hour)),
		calendar.Until(c, begin0.AddDate(1, 0, 0)),
		calendar.Union(c).In(newYork),
	}
}

func TestACalendarThatDoesNotGoOnIsToldFromOneThatEnds(t *testing.T) {
	for _, step := range []time.Duration{0, -1, -24 * time.Hour} {
		for _, s := range composed(function(func(after time.Time) time.Time { return after.Add(step) })) {
			next := s.Next(begin0)
			assert.False(t, next.IsZero(), "%v", s)
			assert.False(t, next.After(begin0), "%v", s)
		}
	}
}

func TestACalendarThatStopsGoingOnOutsideOfAWindowIsTold(t *testing.T) {
	stuck := function(func(after time.Time) time.Time { return begin0.Add(8 * time.Hour) })
	assert.Equal(t, begin0, calendar.Within(stuck, night).Next(begin0))
}

func TestACalendarThatEndsEndsWhatIsMadeOfIt(t *testing.T) {
	ended := function(func(time.Time) time.Time { return time.Time{} })
	for i, s := range composed(ended) {
		if i == 1 || i == 2 {
			assert.Equal(t, begin0.AddDate(0, 0, 1), s.Next(begin0))
			continue
		}
		assert.True(t, s.Next(begin0).IsZero(), "%v", s)
	}
}

func TestAPanicOfACalendarIsThatOfWhatIsMadeOfIt(t *testing.T) {
	for _, s := range composed(function(func(time.Time) time.Time { panic("mine") })) {
		assert.PanicsWithValue(t, "mine", func() { s.Next(begin0) })
	}
}

func TestAMonotonicReadingChangesNothing(t *testing.T) {
	now := time.Now()
	for _, s := range composed(function(func(time.Time) time.Time { return now.Add(time.Hour) })) {
		next := s.Next(now)
		assert.Equal(t, next.Round(0), next, "%v", s)
	}
}

func TestACalendarThatNobodyLetsInEnds(t *testing.T) {
	asked := 0
	seconds := function(func(after time.Time) time.Time { asked++; return after.Truncate(time.Second).Add(time.Second) })
	assert.True(t, calendar.Within(seconds, calendar.OnDates(calendar.NewDate(2025, time.May, 1))).Next(begin0).IsZero())
	assert.Equal(t, 1, asked)

	leapDay := calendar.All(calendar.OnDays(calendar.Day(29)), calendar.InMonths(time.February),
		calendar.OnWeekdays(time.Monday), calendar.ISOWeeks(20))
	asked = 0
	assert.True(t, calendar.Within(seconds, leapDay).Next(begin0).IsZero())
	assert.Zero(t, asked, "such a day can be known not to be")

	odd := calendar.EachDays(2, calendar.NewDate(2026, time.January, 1))
	never := calendar.Except(calendar.Within(seconds, odd), odd)
	assert.True(t, never.Next(begin0).IsZero())
	assert.LessOrEqual(t, asked, 100_000)
}

func TestWhatIsOutsideIsSkipped(t *testing.T) {
	asked := 0
	seconds := function(func(after time.Time) time.Time { asked++; return after.Truncate(time.Second).Add(time.Second) })
	s := calendar.Within(seconds, calendar.OnDates(calendar.NewDate(2026, time.December, 24)))
	assert.Equal(t, at("2026-12-24T00:00:00Z"), s.Next(begin0))
	assert.Less(t, asked, 10)
}

func TestACalendarThatCountsFromTheTimeAskedKeepsItsTimes(t *testing.T) {
	from := at("2026-01-05T10:00:30Z")
	ninety := function(func(after time.Time) time.Time { return after.Add(90 * time.Minute) })
	for _, c := range []calendar.Calendar{ninety, cron.MustParse("@every 90m")} {
		assert.Equal(t, []string{"2026-01-05T22:00:30Z", "2026-01-05T23:30:30Z", "2026-01-06T01:00:30Z", "2026-01-06T02:30:30Z", "2026-01-06T22:00:30Z"},
			next(calendar.Within(c, night), from, 5))
	}
}

func TestALineThatCountsBeginsToCountAtTheBeginning(t *testing.T) {
	s := calendar.From(cron.MustParse("@every 1h"), begin0)
	assert.Equal(t, begin0.Add(time.Hour), s.Next(begin0.Add(-24*time.Hour)))
}

func TestAWindowIsAskedAboutTheZoneOfTheAnswer(t *testing.T) {
	hours := function(func(after time.Time) time.Time { return after.Truncate(time.Hour).Add(time.Hour).In(newYork) })
	asked := at("2026-01-05T12:00:00Z")
	assert.Equal(t, at("2026-01-06T03:00:00Z"), calendar.Within(hours, night).Next(asked))
	assert.Equal(t, at("2026-01-05T21:00:00Z"), calendar.Within(hours, night).In(berlin).Next(asked))
	assert.Equal(t, at("2026-01-05T21:00:00Z"), calendar.Within(cron.MustParse("CRON_TZ=Europe/Berlin @every 1h"), night).Next(asked))
}

func TestAWindowMayOpenAgainWhenTheClockIsPutBack(t *testing.T) {
	quarters := function(func(after time.Time) time.Time { return after.Truncate(15 * time.Minute).Add(15 * time.Minute) })
	s := calendar.Within(quarters, calendar.Between(calendar.At(2, 30), calendar.At(2, 45))).In(berlin)
	assert.Equal(t, []string{"2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"},
		next(s, at("2026-10-24T00:00:00Z"), 4))
}

// shifted has the methods of a line, but a Next of its own.
type shifted struct{ cron.Schedule }

func (s shifted) Next(after time.Time) time.Time { return s.Schedule.Next(after).Add(time.Minute) }

func TestATypeAroundALineKeepsItsOwnNext(t *testing.T) {
	s := shifted{cron.MustParse("0 23 * * *")}
	assert.Equal(t, at("2026-01-05T23:01:00Z"), calendar.Within(s, night).Next(begin0))
	assert.Equal(t, at("2026-01-05T23:01:00Z"), calendar.Within(&s, night).Next(begin0))
}

func TestAWindowKnowsTheCivilTimeOfALineInAGap(t *testing.T) {
	line := cron.MustParse("30 2 * * *")
	early := calendar.Between(calendar.At(2, 0), calendar.At(3, 0))
	saturday := at("2026-03-28T12:00:00Z")
	assert.Equal(t, at("2026-03-29T01:00:00Z"), calendar.Within(line, early).In(berlin).Next(saturday))
	assert.Equal(t, at("2026-03-30T00:30:00Z"), calendar.Within(calendar.Except(line, calendar.OnWeekdays(time.Sunday)), early).In(berlin).Next(saturday))
}

func TestTheSplayOfALineComesAfterTheWindow(t *testing.T) {
	line, err := cron.Parse("59 2 * * *", cron.Splay("report", 24*time.Hour))
	assert.NoError(t, err)
	plain := cron.MustParse("59 2 * * *")
	delay := line.Next(begin0).Sub(plain.Next(begin0.AddDate(0, 0, -1)))
	if delay > 24*time.Hour {
		delay -= 24 * time.Hour
	}
	s := calendar.Within(line, calendar.All(night, calendar.OnDates(calendar.NewDate(2026, time.May, 1))))
	assert.Equal(t, at("2026-05-01T02:59:00Z").Add(delay), s.Next(begin0))
}
