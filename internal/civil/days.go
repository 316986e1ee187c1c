package civil

import "math/bits"

// Days is a set of days of the month. A day belongs to it by its number, or by its weekday.
type Days struct {
	Numbers  uint32 // bit n for the day n, from 1
	FromEnd  uint32 // bit n for the day n days before the last
	Workdays uint32 // bit n for the weekday nearest to the day n; bit 0: to the last day

	Weekdays uint8  // bit 0 for Sunday
	Nth      uint64 // bit 8*weekday+n for the nth such weekday; n is 0 for the last one

	// Both: by its number and by its weekday. Else one of them is enough.
	Both bool
}

// AllNumbers is each day of a month, and AllWeekdays each day of a week.
const (
	AllNumbers  uint32 = 1<<32 - 2
	AllWeekdays uint8  = 1<<7 - 1
)

// of returns the days of a month as bits, from 1.
func (d *Days) of(year, m int) uint32 {
	length := MonthLength(year, m)
	month := AllNumbers >> (31 - length) & AllNumbers
	if d.Numbers == AllNumbers && d.Weekdays == AllWeekdays {
		return month
	}
	first := Date{year, m, 1}.Days().Weekday()
	numbers, weekdays := d.byNumber(first, length), d.byWeekday(first, length)
	if d.Both {
		return numbers & weekdays & month
	}
	return (numbers | weekdays) & month
}

func (d *Days) byNumber(first, length int) (days uint32) {
	days = d.Numbers
	for n := range length {
		if d.FromEnd>>n&1 != 0 {
			days |= 1 << (length - n)
		}
	}
	if d.Workdays == 0 {
		return days
	}
	if d.Workdays&1 != 0 {
		days |= 1 << workday(length, first, length)
	}
	for n := 1; n <= length; n++ {
		if d.Workdays>>n&1 != 0 {
			days |= 1 << workday(n, first, length)
		}
	}
	return days
}

// workday returns the day from Monday to Friday that is nearest to a day, in the same month.
func workday(day, first, length int) int {
	switch (first + day - 1) % 7 {
	case 6: // Saturday
		if day == 1 {
			return 3
		}
		return day - 1
	case 0:
		if day == length {
			return day - 2
		}
		return day + 1
	}
	return day
}

func (d *Days) byWeekday(first, length int) (days uint32) {
	turned := uint64(d.Weekdays) | uint64(d.Weekdays)<<7
	week := turned >> first & uint64(AllWeekdays)
	const everyWeek = 1 | 1<<7 | 1<<14 | 1<<21 | 1<<28
	days = uint32(week * everyWeek << 1)
	for rest := d.Nth; rest != 0; rest &= rest - 1 {
		weekday, n := nthOf(rest)
		day := 1 + (weekday-first+7)%7
		if n == 0 {
			n = (length-day)/7 + 1
		}
		if day += 7 * (n - 1); day <= length {
			days |= 1 << day
		}
	}
	return days
}

// nthOf returns what the lowest bit of a set of nth weekdays means.
func nthOf(set uint64) (weekday, n int) {
	bit := bits.TrailingZeros64(set)
	return bit / 8, bit % 8
}
