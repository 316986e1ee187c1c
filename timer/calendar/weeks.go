package calendar

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/punctual-go/punctual/internal/civil"
)

// ISOWeeks is open in the weeks of each year that have these numbers, by ISO 8601: weeks are from
// Monday to Sunday, and belong to the year that their Thursday is in. Only some years have a week
// 53. It panics without a number, and if one is not from 1 to 53.
func ISOWeeks(numbers ...int) Window {
	if len(numbers) == 0 {
		panic("calendar: no number of a week is given")
	}
	var set weeks
	for _, n := range numbers {
		ensure("number of a week", n, 1, 53)
		set |= 1 << n
	}
	return Window{set}
}

// OddISOWeeks is open in weeks of an odd number. After week 53 comes week 1: two odd weeks, one
// after the other. [EachWeeks] has no such seam.
func OddISOWeeks() Window { return Window{oddWeeks} }

// EvenISOWeeks is open in weeks of an even number. Three weeks are between 52 and 2 of the year
// after, if there is a week 53. [EachWeeks] has no such seam.
func EvenISOWeeks() Window { return Window{evenWeeks} }

// EachDays is open on every nth day, one of which is the anchor, before and after it. It panics
// unless n is from 1 to 10,000.
func EachDays(n int, anchor Date) Window { return Window{eachDay(n, anchor)} }

// EachWeeks is open in every nth week, from Monday to Sunday, one of which is that of the anchor,
// before and after it. It panics unless n is from 1 to 10,000.
func EachWeeks(n int, anchor Date) Window { return Window{eachWeek(n, anchor)} }

// weeks is a set of numbers of weeks.
type weeks uint64 // bits 1 to 53

const (
	allWeeks  weeks = 1<<54 - 2
	oddWeeks        = 0xaaaa_aaaa_aaaa_aaaa & allWeeks
	evenWeeks       = allWeeks &^ oddWeeks
)

func (w weeks) Look(t civil.Time) (inside bool, until civil.Time) {
	day, _ := t.Split()
	return w>>day.Week()&1 != 0, (day.Monday() + 7).At(0)
}

func (w weeks) String() string {
	switch w {
	case oddWeeks:
		return "odd ISO weeks"
	case evenWeeks:
		return "even ISO weeks"
	}
	var numbers []string
	for set := w; set != 0; set &= set - 1 {
		numbers = append(numbers, fmt.Sprint(bits.TrailingZeros64(uint64(set))))
	}
	return "ISO weeks " + strings.Join(numbers, ", ")
}

// cadence is every nth day, or every nth week.
type cadence struct {
	anchor Date
	length int32 // of days, or of weeks
	of     int32 // days of one of these
}

func eachDay(n int, anchor Date) cadence {
	ensure("number of days", n, 1, 10_000)
	return cadence{anchor, int32(n), 1}
}

// eachWeek is anchored at a Monday, so that all anchors in a week make the same windows.
func eachWeek(n int, anchor Date) cadence {
	ensure("number of weeks", n, 1, 10_000)
	return cadence{Date{int32(anchor.civil().Monday())}, int32(n), 7}
}

func (c cadence) Look(t civil.Time) (inside bool, until civil.Time) {
	day, _ := t.Split()
	of, turn := civil.Day(c.of), civil.Day(c.of)*civil.Day(c.length)
	since := (day - c.anchor.civil()) % turn
	if since < 0 {
		since += turn
	}
	if since < of {
		return true, (day - since + of).At(0)
	}
	return false, (day - since + turn).At(0)
}

func (c cadence) String() string {
	unit := "day"
	if c.of == 7 {
		unit = "week"
	}
	if c.length == 1 {
		return "every " + unit
	}
	return fmt.Sprintf("every %d %ss from %v", c.length, unit, c.anchor)
}
