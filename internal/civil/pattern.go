package civil

import "math/bits"

// Pattern is a set of times that is told by its parts, as lines of cron do. It is a value: two that
// have the same parts are equal.
type Pattern struct {
	Seconds, Minutes uint64 // bit n for n
	Hours            uint32
	Months           uint16 // bits 1 to 12
	Days             Days
	empty            bool // of all days of all months none is of the pattern
}

// NewPattern completes a pattern.
func NewPattern(p Pattern) Pattern {
	p.empty = p.Seconds == 0 || p.Minutes == 0 || p.Hours == 0 || !p.hasDay()
	return p
}

// hasDay reports whether there is a month with a day of the pattern.
func (p *Pattern) hasDay() bool {
	if p.Months == 0 {
		return false
	}
	for year := 2000; year < 2000+yearsPerCycle; year++ {
		for month := 1; month <= 12; month++ {
			if p.Months>>month&1 != 0 && p.Days.of(year, month) != 0 {
				return true
			}
		}
	}
	return false
}

// Empty reports whether the pattern has no time at all, as 31 February.
func (p Pattern) Empty() bool { return p.empty }

// Next returns the first time of the pattern that is not before t, or Never.
func (p Pattern) Next(t Time) Time {
	if p.empty {
		return Never
	}
	day, second := t.Split()
	date := day.Date()
	days := p.daysOf(date.Year, date.Month) >> date.Day
	if days&1 != 0 {
		if second, ok := p.nextOfDay(second); ok {
			return day.At(second)
		}
	}
	if days >>= 1; days != 0 {
		return (day + 1 + Day(bits.TrailingZeros32(days))).At(p.firstOfDay())
	}
	return p.firstAfter(date.Year, date.Month)
}

// firstAfter returns the first time of the pattern after a month. There is one.
func (p *Pattern) firstAfter(year, month int) Time {
	for {
		later := uint32(p.Months) >> (month + 1) << (month + 1)
		if later == 0 {
			year, later = year+1, uint32(p.Months)
		}
		month = bits.TrailingZeros32(later)
		if days := p.daysOf(year, month); days != 0 {
			return Date{year, month, bits.TrailingZeros32(days)}.Days().At(p.firstOfDay())
		}
	}
}

func (p *Pattern) daysOf(year, month int) uint32 {
	if p.Months>>month&1 == 0 {
		return 0
	}
	return p.Days.of(year, month)
}

// firstOfDay returns the first second of a day that is of the pattern.
func (p *Pattern) firstOfDay() int {
	return (bits.TrailingZeros32(p.Hours)*60+bits.TrailingZeros64(p.Minutes))*60 +
		bits.TrailingZeros64(p.Seconds)
}

// nextOfDay returns the first second of a day that is of the pattern and not before the given one.
func (p *Pattern) nextOfDay(second int) (next int, ok bool) {
	hour, minute := second/3600, second/60%60
	second %= 60
	if p.Hours>>hour&1 != 0 {
		if p.Minutes>>minute&1 != 0 {
			if left := p.Seconds >> second; left != 0 {
				return (hour*60+minute)*60 + second + bits.TrailingZeros64(left), true
			}
		}
		if left := p.Minutes >> (minute + 1); left != 0 {
			minute += 1 + bits.TrailingZeros64(left)
			return (hour*60+minute)*60 + bits.TrailingZeros64(p.Seconds), true
		}
	}
	left := p.Hours >> (hour + 1)
	if left == 0 {
		return 0, false
	}
	return (1+hour+bits.TrailingZeros32(left))*3600 + p.firstOfDay()%3600, true
}
