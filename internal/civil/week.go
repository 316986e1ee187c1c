package civil

// Monday returns the first day of the week that the day is in, as ISO 8601 counts weeks.
func (d Day) Monday() Day { return d - Day((d.Weekday()+6)%7) }

// Week returns the number of the week that the day is in, by ISO 8601: from 1 to 53. A week belongs
// to the year that its Thursday is in.
func (d Day) Week() int {
	thursday := d.Monday() + 3
	newYear := Date{thursday.Date().Year, 1, 1}.Days()
	return int(thursday-newYear)/7 + 1
}

// Has reports whether a date is of the set.
func (d *Days) Has(date Date) bool { return d.of(date.Year, date.Month)>>date.Day&1 != 0 }
