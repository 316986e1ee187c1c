package cron

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// describeDays tells the days of a pattern, or nothing if it has all.
func describeDays(p civil.Pattern) string {
	months := numbers(uint64(p.Months))
	days := daysOfMonths(&p.Days)
	if len(months) == 12 {
		return days
	}
	texts := make([]string, len(months))
	for i, m := range months {
		texts[i] = time.Month(m).String()
	}
	when := " in " + list(texts)
	if from, to, ok := stretch(months, 12); ok && len(months) > 2 {
		when = fmt.Sprintf(" from %v to %v", time.Month(from), time.Month(to))
		if strings.Contains(days, ofTheMonth) {
			when = "," + when
		}
		return strings.TrimSpace(days + when)
	}
	switch before, ends := strings.CutSuffix(days, ofTheMonth); {
	case strings.Contains(before, ofTheMonth):
		return days + "," + when
	case ends:
		return before + " of " + list(texts)
	}
	return strings.TrimSpace(days + when)
}

const ofTheMonth = " of the month"

// daysOfMonths tells the days, whatever the month.
func daysOfMonths(d *civil.Days) string {
	allNumbers := d.Numbers&civil.AllNumbers == civil.AllNumbers
	allWeekdays := d.Weekdays == civil.AllWeekdays
	byNumber, byWeekday := describeNumbers(d), describeWeekdays(d)
	switch {
	case allNumbers && allWeekdays, !d.Both && (allNumbers || allWeekdays):
		return ""
	case allNumbers:
		return "on " + list(byWeekday)
	case allWeekdays:
		return "on " + list(byNumber) + ofTheMonth
	case d.Both:
		return "on " + list(byNumber) + ofTheMonth + ", but only on " + list(byWeekday)
	}
	return "on " + list(byNumber) + ofTheMonth + " and on " + list(byWeekday)
}

// describeNumbers tells the days that belong to a set by their numbers.
func describeNumbers(d *civil.Days) (texts []string) {
	days := numbers(uint64(d.Numbers))
	step, even := progression(days)
	switch last := len(days) - 1; {
	case even && last > 1 && step == 1:
		texts = append(texts, "the "+ordinal(days[0])+" to the "+ordinal(days[last]))
	case even && last > 3:
		texts = append(texts, fmt.Sprintf("every %s day from the %s to the %s",
			ordinal(step), ordinal(days[0]), ordinal(days[last])))
	default:
		for _, n := range days {
			texts = append(texts, "the "+ordinal(n))
		}
	}
	for _, n := range numbers(uint64(d.FromEnd)) {
		switch n {
		case 0:
			texts = append(texts, "the last day")
		default:
			texts = append(texts, fmt.Sprintf("the %s day before the last", ordinal(n)))
		}
	}
	for _, n := range numbers(uint64(d.Workdays)) {
		if n == 0 {
			texts = append(texts, "the last weekday")
			continue
		}
		texts = append(texts, fmt.Sprintf("the weekday nearest to the %s", ordinal(n)))
	}
	return texts
}

// mondayToFriday is the set of days that are called weekdays.
const mondayToFriday = 0b0111110

// describeWeekdays tells the days that belong to a set by their weekdays.
func describeWeekdays(d *civil.Days) (texts []string) {
	if d.Weekdays == mondayToFriday {
		texts = append(texts, "weekdays")
	} else {
		for n := range 7 {
			w := (n + 1) % 7 // from Monday on
			if d.Weekdays>>w&1 != 0 {
				texts = append(texts, time.Weekday(w).String()+"s")
			}
		}
	}
	for _, bit := range numbers(d.Nth) {
		nth := "last"
		if bit%8 > 0 {
			nth = ordinal(bit % 8)
		}
		texts = append(texts, fmt.Sprintf("the %s %v%s", nth, time.Weekday(bit/8), ofTheMonth))
	}
	return texts
}
