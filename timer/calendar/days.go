package calendar

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// OnWeekdays is open on these days of the week. It panics without a day.
func OnWeekdays(days ...time.Weekday) Window { return Window{weekOf(days)} }

// OnDays is open on these days of each month. It panics without a day.
func OnDays(days ...DayOfMonth) Window { return Window{monthDays{daysOf(days)}} }

// OnDates is open on these dates, as on holidays. Dates are data, which come in any order: without
// one, the window is never open.
func OnDates(all ...Date) Window { return Window{datesOf(all)} }

// week is a set of weekdays.
type week uint8 // bit 0 for Sunday

func weekOf(days []time.Weekday) (w week) {
	if len(days) == 0 {
		panic("calendar: no weekday is given")
	}
	for _, d := range days {
		ensure("weekday", int(d), 0, 6)
		w |= 1 << d
	}
	return w
}

func (w week) Look(t civil.Time) (inside bool, until civil.Time) {
	day, _ := t.Split()
	return w>>day.Weekday()&1 != 0, (day + 1).At(0)
}

func (w week) String() string {
	var names []string
	for n := range 7 {
		if d := (n + 1) % 7; w>>d&1 != 0 {
			names = append(names, time.Weekday(d).String()[:3])
		}
	}
	return strings.Join(names, ", ")
}

// monthDays is a set of days of the month.
type monthDays struct{ days civil.Days }

func (w monthDays) Look(t civil.Time) (inside bool, until civil.Time) {
	day, _ := t.Split()
	return w.days.Has(day.Date()), (day + 1).At(0)
}

func (w monthDays) String() string { return textOfDays(w.days) }

// dates is a set of dates: four bytes for each, in their order. As a string it can be compared, and
// nobody can change it.
type dates string

const bytesPerDate = 4

func datesOf(all []Date) dates {
	days := make([]int32, len(all))
	for i, d := range all {
		days[i] = d.day
	}
	slices.Sort(days)
	var text strings.Builder
	for _, d := range slices.Compact(days) {
		text.Write([]byte{byte(d >> 24), byte(d >> 16), byte(d >> 8), byte(d)})
	}
	return dates(text.String())
}

func (w dates) size() int { return len(w) / bytesPerDate }

func (w dates) at(i int) civil.Day {
	b := w[i*bytesPerDate:]
	return civil.Day(int32(b[0])<<24 | int32(b[1])<<16 | int32(b[2])<<8 | int32(b[3]))
}

func (w dates) Look(t civil.Time) (inside bool, until civil.Time) {
	day, _ := t.Split()
	i := sort.Search(w.size(), func(i int) bool { return w.at(i) >= day })
	switch {
	case i == w.size():
		return false, civil.Never
	case w.at(i) > day:
		return false, w.at(i).At(0)
	}
	return true, (day + 1).At(0)
}

// String tells a few dates, and how many there are.
func (w dates) String() string {
	const most = 4
	var texts []string
	for i := range min(w.size(), most) {
		texts = append(texts, Date{int32(w.at(i))}.String())
	}
	text := "on " + strings.Join(texts, ", ")
	switch {
	case w == "":
		return "on no date"
	case w.size() > most:
		text += fmt.Sprintf(" and %d more dates", w.size()-most)
	}
	return text
}
