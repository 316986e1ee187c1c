package cron_test

import (
	"fmt"
	"strings"
	"time"
)

// dayItem makes up an item of the days of the month.
func (m *maker) dayItem() (string, func(date) bool) {
	near := m.around.Day()
	switch m.IntN(8) {
	case 0:
		return "L", func(d date) bool { return d.Day() == d.length }
	case 1:
		n := 1 + m.IntN(30)
		return fmt.Sprintf("L-%d", n), func(d date) bool { return d.Day() == d.length-n }
	case 2:
		n := 1 + m.IntN(31)
		return fmt.Sprintf("%dW", n), func(d date) bool {
			return n <= d.length && d.Day() == nearestWorkday(d, n)
		}
	case 3:
		return "lw", func(d date) bool { return d.Day() == nearestWorkday(d, d.length) }
	}
	var set [60]bool
	text, from, length, step := m.span(1, 31, near)
	for n := 0; n <= length; n += step {
		set[1+(from-1+n)%31] = true
	}
	return text, func(d date) bool { return set[d.Day()] }
}

// nearestWorkday returns the day from Monday to Friday that is nearest to a day of the month.
func nearestWorkday(d date, n int) int {
	for _, distance := range []int{0, -1, 1, -2, 2} {
		at := n + distance
		w := time.Date(d.Year(), d.Month(), at, 0, 0, 0, 0, time.UTC).Weekday()
		if 1 <= at && at <= d.length && w != time.Saturday && w != time.Sunday {
			return at
		}
	}
	panic("a month without a workday")
}

// weekdayItem makes up an item of the days of the week.
func (m *maker) weekdayItem() (string, func(date) bool) {
	w := time.Weekday(m.IntN(7))
	if m.IntN(2) == 0 {
		w = m.around.Weekday()
	}
	name := w.String()[:3]
	switch m.IntN(8) {
	case 0:
		return strings.ToUpper(name) + "L", func(d date) bool {
			return d.Weekday() == w && d.Day()+7 > d.length
		}
	case 1:
		n := 1 + m.IntN(5)
		return fmt.Sprintf("%d#%d", w, n), func(d date) bool {
			return d.Weekday() == w && (d.Day()+6)/7 == n
		}
	case 2:
		return name, func(d date) bool { return d.Weekday() == w }
	case 3:
		end := time.Weekday(m.IntN(7))
		return name + "-" + strings.ToLower(end.String()[:3]), func(d date) bool {
			return (d.Weekday()-w+7)%7 <= (end-w+7)%7
		}
	}
	var set [60]bool
	text, from, length, step := m.span(0, 6, int(w))
	for n := 0; n <= length; n += step {
		set[(from+n)%7] = true
	}
	return text, func(d date) bool { return set[d.Weekday()] }
}
