package calendar

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// Date is a day of the calendar, in no zone. The zero Date is 1 January 1970. Dates are compared
// with ==.
type Date struct{ day int32 } // since then

// NewDate returns a date. It panics if there is none with these numbers, as 30 February, and if the
// year is not from 1 to 9999. See [ParseDate] for dates that are not part of a program.
func NewDate(year int, month time.Month, day int) Date {
	if year < 1 || year > 9999 || month < time.January || month > time.December || day < 1 ||
		day > civil.MonthLength(year, int(month)) {
		panic(fmt.Sprintf("calendar: no date is %04d-%02d-%02d", year, int(month), day))
	}
	return Date{int32(civil.Date{Year: year, Month: int(month), Day: day}.Days())}
}

// ParseDate returns the date that is written as 2006-01-02.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 1 {
		return Date{}, fmt.Errorf("calendar: %q is no date: one is written 2006-01-02", shortened(text))
	}
	return NewDate(t.Date()), nil
}

// DateOf returns the date that t shows, in its location. It panics if the year is not from 1 to
// 9999.
func DateOf(t time.Time) Date { return NewDate(t.Date()) }

// String returns the date as 2006-01-02.
func (d Date) String() string {
	date := d.civil().Date()
	return fmt.Sprintf("%04d-%02d-%02d", date.Year, date.Month, date.Day)
}

func (d Date) civil() civil.Day { return civil.Day(d.day) }
