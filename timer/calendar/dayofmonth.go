package calendar

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// DayOfMonth names a day of each month, or of some: by its number, or by its weekday. Use the
// constants and functions of this package; a number of your own makes no sense.
type DayOfMonth uint16 // the kind, and a number

const (
	byNumber   DayOfMonth = (iota + 1) << 8
	beforeLast            // so many days
	nearest               // to that day; 0 for the last one
	byWeekday             // as a bit of civil.Days.Nth
	kinds      = ^DayOfMonth(255)
)

// LastDay is the last day of a month. LastWorkday is its last day from Monday to Friday; what else
// is no workday, [Except] can tell.
const (
	LastDay     = beforeLast
	LastWorkday = nearest
)

// Day is the day with that number. Months that do not have it are left out: see [LastDay]. It
// panics unless n is from 1 to 31.
func Day(n int) DayOfMonth {
	ensure("day of a month", n, 1, 31)
	return byNumber | DayOfMonth(n)
}

// DaysBeforeLast is the day that is n days before the last one of a month. It panics unless n is
// from 0 to 30.
func DaysBeforeLast(n int) DayOfMonth {
	ensure("number of days before the last one", n, 0, 30)
	return beforeLast | DayOfMonth(n)
}

// Workday is the day from Monday to Friday that is nearest to the day with that number, in the same
// month. Months that do not have that day are left out. It panics unless n is from 1 to 31.
func Workday(n int) DayOfMonth {
	ensure("day of a month", n, 1, 31)
	return nearest | DayOfMonth(n)
}

// NthWeekday is the nth such weekday of a month: NthWeekday(2, time.Friday) is the second Friday.
// Months that do not have a fifth one are left out: see [LastWeekday]. It panics unless n is from 1
// to 5.
func NthWeekday(n int, day time.Weekday) DayOfMonth {
	ensure("number of a weekday in a month", n, 1, 5)
	ensure("weekday", int(day), 0, 6)
	return byWeekday | DayOfMonth(8*int(day)+n)
}

// LastWeekday is the last such weekday of a month.
func LastWeekday(day time.Weekday) DayOfMonth {
	ensure("weekday", int(day), 0, 6)
	return byWeekday | DayOfMonth(8*day)
}

// ensure panics unless a number is within its limits.
func ensure(what string, n, least, most int) {
	if n < least || n > most {
		panic(fmt.Sprintf("calendar: a %s is from %d to %d, not %d", what, least, most, n))
	}
}

// daysOf returns the set of the days.
func daysOf(days []DayOfMonth) (set civil.Days) {
	if len(days) == 0 {
		panic("calendar: no day of a month is given")
	}
	for _, d := range days {
		n := d &^ kinds
		switch {
		case d&kinds == byNumber && 1 <= n && n <= 31:
			set.Numbers |= 1 << n
		case d&kinds == beforeLast && n <= 30:
			set.FromEnd |= 1 << n
		case d&kinds == nearest && n <= 31:
			set.Workdays |= 1 << n
		case d&kinds == byWeekday && n/8 <= 6 && n%8 <= 5:
			set.Nth |= 1 << n
		default:
			panic(fmt.Sprintf("calendar: %d is no day of a month: use Day and its like", uint16(d)))
		}
	}
	return set
}

// textOfDays tells in words which days are of the set.
func textOfDays(set civil.Days) string {
	var texts []string
	list := func(bit uint64, format string, what func(n int) any) {
		for ; bit != 0; bit &= bit - 1 {
			texts = append(texts, fmt.Sprintf(format, what(bits.TrailingZeros64(bit))))
		}
	}
	number := func(n int) any { return n }
	list(uint64(set.Numbers), "day %d", number)
	list(uint64(set.FromEnd)&^1, "%d before the last day", number)
	if set.FromEnd&1 != 0 {
		texts = append(texts, "the last day")
	}
	list(uint64(set.Workdays)&^1, "the workday nearest to day %d", number)
	if set.Workdays&1 != 0 {
		texts = append(texts, "the last workday")
	}
	list(set.Nth, "the %s", func(n int) any {
		return [...]string{"last", "1st", "2nd", "3rd", "4th", "5th"}[n%8] + " " +
			time.Weekday(n/8).String()
	})
	return strings.Join(texts, ", ")
}
