// Package civil computes with times as calendars and clocks on walls show them, and finds the
// instants at which a zone shows them.
//
// Days are searched on civil dates, never on midnights: a zone may have days without one.
package civil

import "math"

// Time is what a calendar and a clock show, in seconds since 1970-01-01 00:00, whatever the zone.
type Time int64

// Never is later than all times that there are.
const Never Time = math.MaxInt64

// Day counts days since 1970-01-01.
type Day int64

const (
	secondsPerDay = 24 * 60 * 60

	// After a cycle the Gregorian calendar repeats itself, weekdays included.
	yearsPerCycle      = 400
	daysPerCycle       = 146_097
	cycle         Time = daysPerCycle * secondsPerDay
)

// At returns the given second of the day.
func (d Day) At(second int) Time { return Time(d)*secondsPerDay + Time(second) }

// Split returns the day and the second of the day.
func (t Time) Split() (d Day, second int) {
	d = Day(t / secondsPerDay)
	second = int(t % secondsPerDay)
	if second < 0 {
		return d - 1, second + secondsPerDay
	}
	return d, second
}

// Weekday returns the day of the week, 0 for Sunday.
func (d Day) Weekday() int {
	w := int((d + 4) % 7) // the epoch was a Thursday
	if w < 0 {
		return w + 7
	}
	return w
}

// Date is a day of the Gregorian calendar, which is taken to have been in force always.
type Date struct{ Year, Month, Day int }

// daysBefore has the days of a year that begins with March before each of its months.
var daysBefore = [12]int{0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337}

// fromMarch counts the days from 1 March of the year 0 to the epoch.
const fromMarch = 719_468

// Date returns the date of the day. Years are taken to begin with March, so that a leap day is the
// last day of its year, and of its cycle.
func (d Day) Date() Date {
	n := int64(d) + fromMarch
	cycles := n / daysPerCycle
	if n < 0 {
		cycles = (n - daysPerCycle + 1) / daysPerCycle
	}
	rest := int(n - cycles*daysPerCycle)
	year := (rest - rest/1460 + rest/36_524 - rest/146_096) / 365
	rest -= 365*year + year/4 - year/100
	month := (5*rest + 2) / 153
	date := Date{int(cycles)*yearsPerCycle + year, month + 3, rest - daysBefore[month] + 1}
	if date.Month > 12 {
		date.Year, date.Month = date.Year+1, date.Month-12
	}
	return date
}

// Days returns the day of the date. A day beyond the end of its month, or before its first, counts
// on from there.
func (d Date) Days() Day {
	year, month := d.Year, d.Month-3
	if month < 0 {
		year, month = year-1, month+12
	}
	cycles := year / yearsPerCycle
	if year < 0 {
		cycles = (year - yearsPerCycle + 1) / yearsPerCycle
	}
	year -= cycles * yearsPerCycle
	n := 365*year + year/4 - year/100 + daysBefore[month] + d.Day - 1
	return Day(int64(cycles)*daysPerCycle + int64(n) - fromMarch)
}

// lengths has the days of the months, from January.
var lengths = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// MonthLength returns the number of days of a month.
func MonthLength(year, month int) int {
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		return 29
	}
	return lengths[month]
}
