package cron_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// line is a line that was made up from what it means, and so need not be parsed.
type line struct {
	fields                  []string
	second, minute, hour    [60]bool
	month                   [60]bool
	days, weekdays          []func(date) bool
	starDays, starWeekdays  bool
	starSeconds, starOthers bool
	known                   map[int64]bool // days asked about
}

// date is a day, and how many days its month has.
type date struct {
	time.Time
	length int
}

// dateOf returns the date of a day after 1970-01-01.
func dateOf(number int64) date {
	t := time.Unix(number*day, 0).UTC()
	return date{t, time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()}
}

func (l *line) String() string { return strings.Join(l.fields, " ") }

// interval reports whether no policy touches the line.
func (l *line) interval() bool { return l.starSeconds || l.starOthers }

// matches reports whether a time that a zone shows is one of the line.
func (l *line) matches(shown int64) bool {
	number := floor(shown, day)
	second := shown - number*day
	return l.second[second%60] && l.minute[second/60%60] && l.hour[second/3600] && l.hasDay(number)
}

// hasDay reports whether a day is one of the line.
func (l *line) hasDay(number int64) bool {
	has, ok := l.known[number]
	if !ok {
		d := dateOf(number)
		byNumber, byWeekday := anyOf(l.days, d), anyOf(l.weekdays, d)
		if l.starDays || l.starWeekdays {
			has = byNumber && byWeekday
		} else {
			has = byNumber || byWeekday
		}
		has = has && l.month[d.Month()]
		l.known[number] = has
	}
	return has
}

func anyOf(conditions []func(date) bool, d date) bool {
	for _, c := range conditions {
		if c(d) {
			return true
		}
	}
	return false
}

// maker makes up lines.
type maker struct {
	*rand.Rand
	around time.Time // a time as a zone shows it, near which lines shall often come
}

// line makes up a line of five fields, or of six.
func (m *maker) line(seconds bool) *line {
	l := &line{known: map[int64]bool{}}
	if seconds {
		l.fields = append(l.fields, m.numbers(&l.second, 0, 59, m.around.Second()))
		l.starSeconds = l.fields[0][0] == '*'
	} else {
		l.second[0] = true
	}
	minute := m.numbers(&l.minute, 0, 59, m.around.Minute())
	hour := m.numbers(&l.hour, 0, 23, m.around.Hour())
	l.starOthers = minute[0] == '*' || hour[0] == '*'
	days := m.list(&l.days, m.dayItem)
	l.starDays = days[0] == '*' || days[0] == '?'
	month := "*"
	if m.IntN(2) == 0 {
		month = m.numbers(&l.month, 1, 12, int(m.around.Month()))
	} else {
		l.month = all()
	}
	weekdays := m.list(&l.weekdays, m.weekdayItem)
	l.starWeekdays = weekdays[0] == '*' || weekdays[0] == '?'
	l.fields = append(l.fields, minute, hour, days, month, weekdays)
	return l
}

func all() (set [60]bool) {
	for i := range set {
		set[i] = true
	}
	return set
}

// numbers makes up a field of numbers, and enters them.
func (m *maker) numbers(set *[60]bool, least, most, near int) string {
	var items []string
	for range m.few() {
		text, from, length, step := m.span(least, most, near)
		for n := 0; n <= length; n += step {
			set[least+(from-least+n)%(most-least+1)] = true
		}
		items = append(items, text)
	}
	return strings.Join(items, ",")
}

// few returns how many items a list has: mostly one.
func (m *maker) few() int { return max(1, m.IntN(6)-2) }

// span makes up a number, a range or a star, with a step or without.
func (m *maker) span(least, most, near int) (text string, from, length, step int) {
	size := most - least + 1
	from = least + ((near-least+m.IntN(5)-2)%size+size)%size
	if m.IntN(4) == 0 {
		from = least + m.IntN(size)
	}
	step = 1
	switch m.IntN(8) {
	case 0:
		from, length, text = least, size-1, "*"
	case 1:
		from, length, text = least, size-1, "*"
		step = 1 + m.IntN(size-1)
		return fmt.Sprintf("*/%d", step), from, length, step
	case 2:
		length = most - from
		step = 1 + m.IntN(max(1, length))
		return fmt.Sprintf("%d/%d", from, step), from, length, step
	case 3, 4:
		length = m.IntN(size)
		text = fmt.Sprintf("%d-%d", from, least+(from-least+length)%size)
		if m.IntN(2) == 0 {
			step = 1 + m.IntN(max(1, length))
			text += fmt.Sprintf("/%d", step)
		}
	default:
		text = fmt.Sprint(from)
	}
	return text, from, length, step
}

// list makes up a field of days.
func (m *maker) list(conditions *[]func(date) bool, item func() (string, func(date) bool)) string {
	if m.IntN(3) != 0 {
		*conditions = []func(date) bool{func(date) bool { return true }}
		return []string{"*", "?"}[m.IntN(2)]
	}
	var items []string
	for range m.few() {
		text, condition := item()
		*conditions = append(*conditions, condition)
		items = append(items, text)
	}
	return strings.Join(items, ",")
}
