package calendar

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

const everyMonth uint16 = 1<<13 - 2

// Daily comes every day at a time of day.
func Daily(at TimeOfDay) Schedule { return planned(daily(at), "daily at "+at.String()) }

// Weekly comes every week at a time of day, on the given days. It panics without a day.
func Weekly(at TimeOfDay, days ...time.Weekday) Schedule {
	p := daily(at)
	week := weekOf(days)
	p.Days = civil.Days{Weekdays: uint8(week)}
	return planned(p, fmt.Sprintf("weekly at %v on %v", at, week))
}

// Monthly comes every month at a time of day, on the given days: [Day](15), [LastDay],
// [LastWorkday], [NthWeekday](2, time.Friday) and so on. A day that is named twice counts once. It
// panics without a day.
func Monthly(at TimeOfDay, days ...DayOfMonth) Schedule {
	p := daily(at)
	p.Days = daysOf(days)
	return planned(p, fmt.Sprintf("monthly at %v on %s", at, textOfDays(p.Days)))
}

// Yearly is [Monthly] for one month of the year. It panics without a day. Days that never come, as
// 30 February, are accepted.
func Yearly(at TimeOfDay, month time.Month, days ...DayOfMonth) Schedule {
	p := daily(at)
	p.Days = daysOf(days)
	year := yearOf([]time.Month{month})
	p.Months = uint16(year)
	return planned(p, fmt.Sprintf("yearly at %v in %v on %s", at, year, textOfDays(p.Days)))
}

// EveryDays comes every n days at a time of day. One of the days is the anchor; the others are
// before and after it, see [From] for a beginning. It panics unless n is from 1 to 10,000.
func EveryDays(n int, anchor Date, at TimeOfDay) Schedule {
	each := eachDay(n, anchor)
	return repeated(daily(at), each, fmt.Sprintf("%v at %v", each, at))
}

// EveryWeeks comes every n weeks at a time of day, on the given days. One of the weeks is that of
// the anchor, from Monday to Sunday; the others are before and after it, see [From] for a
// beginning. It panics without a day, and unless n is from 1 to 10,000.
//
// Weeks are counted from the anchor on, so that n weeks are always n weeks. For weeks of an even
// number, which a year with 53 of them breaks, see [EvenISOWeeks].
func EveryWeeks(n int, anchor Date, at TimeOfDay, days ...time.Weekday) Schedule {
	p := daily(at)
	week := weekOf(days)
	p.Days = civil.Days{Weekdays: uint8(week)}
	each := eachWeek(n, anchor)
	return repeated(p, each, fmt.Sprintf("%v at %v on %v", each, at, week))
}

// daily returns the pattern of a time of day.
func daily(at TimeOfDay) civil.Pattern {
	hour, minute, second := at.clock()
	return civil.Pattern{
		Seconds: 1 << second, Minutes: 1 << minute, Hours: 1 << hour, Months: everyMonth,
		Days: civil.Days{Numbers: civil.AllNumbers, Weekdays: civil.AllWeekdays},
	}
}

func planned(p civil.Pattern, text string) Schedule {
	times := civil.NewPattern(p)
	return scheduleWith(timetable{rule: civil.NewRule(civil.Settings{Times: times}), text: text})
}

// repeated returns the schedule of a pattern in some of the days.
func repeated(p civil.Pattern, days cadence, text string) Schedule {
	times := civil.Restricted{Times: civil.NewPattern(p), Window: days}
	return scheduleWith(timetable{rule: civil.NewRule(civil.Settings{Times: times}), text: text})
}
