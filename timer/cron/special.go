package cron

import (
	"fmt"
	"strings"
)

// specialDay parses the items of days of the month that are not numbers: L, L-3, LW, 15W.
func (p *parser) specialDay(f *field, w word, s *sets) (ok bool, err error) {
	text := upper(w.text)
	switch {
	case text == "L":
		s.fromEnd |= 1
	case text == "LW":
		s.workdays |= 1
	case strings.HasPrefix(text, "L-"):
		n, err := p.within(f, w.part(2, len(text)), "number of days", 1, 30)
		if err != nil {
			return false, err
		}
		s.fromEnd |= 1 << n
	case len(text) > 1 && text[len(text)-1] == 'W' && isDigit(text[0]):
		n, err := p.within(f, w.part(0, len(text)-1), "day", 1, 31)
		if err != nil {
			return false, err
		}
		s.workdays |= 1 << n
	default:
		return false, nil
	}
	return true, nil
}

// specialWeekday parses the items of days of the week that mean one in a month: FRI#2, FRIL.
func (p *parser) specialWeekday(f *field, w word, s *sets) (ok bool, err error) {
	day, nth, isNth := w.cut('#')
	text := upper(w.text)
	switch {
	case isNth:
	case text == "L":
		return false, p.fail(f.name, w,
			"the last of which day? One writes SATL, or L in the field of the day")
	case len(text) > 1 && text[len(text)-1] == 'L' && (isDigit(text[0]) || len(text) == 4):
		day = w.part(0, len(text)-1)
	default:
		return false, nil
	}
	d, err := p.value(f, day)
	if err != nil {
		return false, err
	}
	n := 0
	if isNth {
		if n, err = p.within(f, nth, "number of the week", 1, 5); err != nil {
			return false, err
		}
	}
	s.nth |= 1 << (d%7*8 + n)
	return true, nil
}

// within parses a number between two limits.
func (p *parser) within(f *field, w word, what string, least, most int) (int, error) {
	n, err := p.number(f, w, what)
	if err == nil && (n < least || n > most) {
		err = p.fail(f.name, w, fmt.Sprintf("the %s is from %d to %d", what, least, most))
	}
	return n, err
}
