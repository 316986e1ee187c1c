package calendar

import (
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// InMonths is open in these months of each year. It panics without a month.
func InMonths(months ...time.Month) Window { return Window{yearOf(months)} }

// year is a set of months.
type year uint16 // bits 1 to 12

func yearOf(months []time.Month) (y year) {
	if len(months) == 0 {
		panic("calendar: no month is given")
	}
	for _, m := range months {
		ensure("month", int(m), 1, 12)
		y |= 1 << m
	}
	return y
}

func (y year) Look(t civil.Time) (inside bool, until civil.Time) {
	day, _ := t.Split()
	date := day.Date()
	end := day + civil.Day(civil.MonthLength(date.Year, date.Month)-date.Day+1)
	return y>>date.Month&1 != 0, end.At(0)
}

func (y year) String() string {
	var names []string
	for m := time.January; m <= time.December; m++ {
		if y>>m&1 != 0 {
			names = append(names, m.String()[:3])
		}
	}
	return strings.Join(names, ", ")
}
