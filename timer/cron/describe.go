package cron

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// Describe tells in English when the schedule comes, as a part of a sentence: "at 03:00 on
// weekdays, Europe/Berlin", "every 15 minutes", "at 02:30 on the last Sunday of March", "never". It
// is meant for people, and its words may change. The zone is named if the schedule has one,
// policies are not.
func (s Schedule) Describe() string {
	if s.every > 0 {
		return "every " + short(s.every) + ", counted from the time asked"
	}
	if s.Never() {
		return "never"
	}
	settings := s.Settings()
	p := settings.Times.(civil.Pattern)
	text := describeClock(p, settings.Interval)
	if days := describeDays(p); days != "" {
		text += " " + days
	} else if !strings.Contains(text, "every") {
		text += " every day"
	}
	if settings.Zone == time.Local {
		text += ", local time"
	} else if settings.Zone != nil {
		text += ", " + settings.Zone.String()
	}
	if settings.Splay > 0 {
		text += ", " + short(settings.Splay) + " later"
	}
	return text
}

// short returns the duration without zeros at its end.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// part is a part of the time on a clock.
type part struct {
	name, format string
	size         int
	numbers      []int
}

// describeClock tells the times of a day. Only lines that are like an interval begin with "every":
// the others do something else when clocks change.
func describeClock(p civil.Pattern, interval bool) string {
	second := part{"second", "%d", 60, numbers(p.Seconds)}
	minute := part{"minute", "%d", 60, numbers(p.Minutes)}
	hour := part{"hour", "%02d", 24, numbers(uint64(p.Hours))}
	noSecond, noMinute := p.Seconds == 1, p.Minutes == 1
	if !interval {
		if n := len(second.numbers) * len(minute.numbers) * len(hour.numbers); n <= 4 {
			return "at " + list(clocks(second.numbers, minute.numbers, hour.numbers, !noSecond))
		}
		return "at " + joined(noSecond, second.all(), minute.all(), hour.all())
	}
	switch {
	case noSecond && noMinute && hour.even():
		return hour.every()
	case noSecond && minute.even():
		return minute.every() + minute.within(hour, "%02d:00", "%02d:59")
	case second.even() && minute.full():
		return second.every() + minute.within(hour, "%02d:00", "%02d:59")
	case second.even():
		return second.every() + " of " + joined(true, "", minute.some(), hour.some())
	}
	text := "at " + joined(noSecond, second.some(), minute.some(), hour.some())
	if !hour.full() {
		text += ", like an interval"
	}
	return text
}

func joined(noSecond bool, second, minute, hour string) string {
	if noSecond {
		return minute + " of " + hour
	}
	return second + " of " + minute + " of " + hour
}

func (p part) full() bool { return len(p.numbers) == p.size }

// even reports whether the numbers are evenly spread over all turns.
func (p part) even() bool {
	step, ok := progression(p.numbers)
	return ok && p.numbers[0] == 0 && step*len(p.numbers) == p.size
}

func (p part) every() string {
	step, _ := progression(p.numbers)
	if step == 1 {
		return "every " + p.name
	}
	return fmt.Sprintf("every %d %ss", step, p.name)
}

// within tells during which hours.
func (p part) within(hour part, begin, end string) string {
	if hour.full() {
		return ""
	}
	if from, to, ok := stretch(hour.numbers, 24); ok {
		return fmt.Sprintf(" from "+begin+" to "+end, from, to)
	}
	return " of " + hour.some()
}

// some tells the numbers of a part; if it is all of them, only that.
func (p part) some() string {
	if p.full() {
		return "every " + p.name
	}
	return p.all()
}

// all tells the numbers of a part.
func (p part) all() string {
	texts := make([]string, len(p.numbers))
	for i, n := range p.numbers {
		texts[i] = fmt.Sprintf(p.format, n)
	}
	last := len(texts) - 1
	if from, to, ok := stretch(p.numbers, p.size); ok && last > 1 {
		return fmt.Sprintf("every %s from "+p.format+" to "+p.format, p.name, from, to)
	}
	if step, ok := progression(p.numbers); ok && last > 3 {
		return fmt.Sprintf("every %s %s from %s to %s",
			ordinal(step), p.name, texts[0], texts[last])
	}
	if last == 0 {
		return p.name + " " + texts[0]
	}
	return p.name + "s " + list(texts)
}

// clocks returns times as a clock shows them.
func clocks(seconds, minutes, hours []int, withSeconds bool) (texts []string) {
	for _, h := range hours {
		for _, m := range minutes {
			for _, s := range seconds {
				text := fmt.Sprintf("%02d:%02d", h, m)
				if withSeconds {
					text += fmt.Sprintf(":%02d", s)
				}
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// numbers returns the numbers of a set.
func numbers(set uint64) (ns []int) {
	for ; set != 0; set &= set - 1 {
		ns = append(ns, bits.TrailingZeros64(set))
	}
	return ns
}
