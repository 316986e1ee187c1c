package cron

import (
	"fmt"
	"strings"
)

// field is a kind of field of a line.
type field struct {
	name     string
	min, max int    // of numbers
	size     int    // of a turn, after which a range that wraps goes on with min
	names    string // of three letters each
	first    int    // what the first name stands for
	store    func(s *sets, set uint64, star bool)
	special  func(p *parser, f *field, w word, s *sets) (ok bool, err error) // nil if there is none
}

// sets is what the fields of a line say.
type sets struct {
	second, minute, hour, day, month, weekday uint64
	fromEnd, workdays                         uint32
	nth                                       uint64

	// Which of them begin with a star.
	starSecond, starMinute, starHour, starDay, starWeekday bool
}

var (
	secondField = &field{name: "second", max: 59, size: 60,
		store: func(s *sets, set uint64, star bool) { s.second, s.starSecond = set, star }}
	minuteField = &field{name: "minute", max: 59, size: 60,
		store: func(s *sets, set uint64, star bool) { s.minute, s.starMinute = set, star }}
	hourField = &field{name: "hour", max: 23, size: 24,
		store: func(s *sets, set uint64, star bool) { s.hour, s.starHour = set, star }}
	dayField = &field{name: "day", min: 1, max: 31, size: 31,
		store:   func(s *sets, set uint64, star bool) { s.day, s.starDay = set, star },
		special: (*parser).specialDay}
	monthField = &field{name: "month", min: 1, max: 12, size: 12,
		names: "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", first: 1,
		store: func(s *sets, set uint64, _ bool) { s.month = set }}
	weekdayField = &field{name: "weekday", max: 7, size: 7, names: "SUNMONTUEWEDTHUFRISAT",
		store: func(s *sets, set uint64, star bool) {
			s.weekday, s.starWeekday = (set|set>>7)&0x7f, star // 7 is Sunday, too
		},
		special: (*parser).specialWeekday}

	fiveFields = []*field{minuteField, hourField, dayField, monthField, weekdayField}
	sixFields  = append([]*field{secondField}, fiveFields...)
)

// field parses the word of a field: a list.
func (p *parser) field(f *field, w word, s *sets) error {
	var set uint64
	for rest, more := w, true; more; {
		var item word
		item, rest, more = rest.cut(',')
		if item.text == "" {
			return p.fail(f.name, word{"", item.at}, "an item of the list is missing")
		}
		if f.special != nil {
			if ok, err := f.special(p, f, item, s); err != nil {
				return err
			} else if ok {
				continue
			}
		}
		bits, err := p.item(f, item)
		if err != nil {
			return err
		}
		set |= bits
	}
	f.store(s, set, w.text[0] == '*' || w.text[0] == '?')
	return nil
}

// item parses a number, a range or a star, with a step or without.
func (p *parser) item(f *field, w word) (set uint64, err error) {
	span, stepWord, stepped := w.cut('/')
	from, to, err := p.span(f, span, stepped)
	if err != nil {
		return 0, err
	}
	length := to - from
	if length < 0 {
		length += f.size
	}
	step := 1
	if stepped {
		if step, err = p.number(f, stepWord, "step"); err != nil {
			return 0, err
		}
		switch {
		case step == 0:
			return 0, p.fail(f.name, stepWord, "a step of 0 goes nowhere")
		case step > 1 && step > length:
			return 0, p.fail(f.name, stepWord, fmt.Sprintf(
				"a step of %s is larger than the range, which is %d", stepWord.text, length))
		}
	}
	for n := 0; n <= length; n += step {
		at := from + n
		if to < from && at > f.min+f.size-1 {
			at -= f.size
		}
		set |= 1 << at
	}
	return set, nil
}

// span parses a number, a range or a star. With a step, a number is a range to the end.
func (p *parser) span(f *field, w word, stepped bool) (from, to int, err error) {
	last := f.min + f.size - 1
	switch {
	case w.text == "*":
		return f.min, last, nil
	case w.text == "?":
		if f.special == nil {
			return 0, 0, p.fail(f.name, w, "only the day and the weekday may be ?")
		}
		return f.min, last, nil
	}
	a, b, isRange := w.cut('-')
	if from, err = p.value(f, a); err != nil {
		return 0, 0, err
	}
	switch {
	case isRange:
		to, err = p.value(f, b)
		if from > last && to < from {
			from -= f.size // from Sunday on
		}
		return from, to, err
	case stepped:
		return from % (last + 1), last, nil
	}
	return from, from, nil
}

// value parses a number, or a name.
func (p *parser) value(f *field, w word) (int, error) {
	if w.text != "" && f.names != "" && !isDigit(w.text[0]) {
		if i := strings.Index(f.names, upper(w.text)); len(w.text) == 3 && i >= 0 && i%3 == 0 {
			return f.first + i/3, nil
		}
		return 0, p.fail(f.name, w,
			fmt.Sprintf("%q is neither a number nor a name of three letters", w.text))
	}
	n, err := p.number(f, w, f.name)
	switch {
	case err != nil:
		return 0, err
	case n < f.min:
		return 0, p.fail(f.name, w, fmt.Sprintf("%d is less than %d", n, f.min))
	case n > f.max:
		return 0, p.fail(f.name, w, fmt.Sprintf("%s is more than %d", w.text, f.max))
	}
	return n, nil
}

// tooLarge is what every larger number counts as: no field or step has such a number.
const tooLarge = 1_000_000

// number parses a number of decimal digits. Zeros in front do not make it octal.
func (p *parser) number(f *field, w word, what string) (n int, err error) {
	if w.text == "" {
		return 0, p.fail(f.name, w, "a "+what+" is missing")
	}
	for i := range len(w.text) {
		c := w.text[i]
		if !isDigit(c) {
			return 0, p.fail(f.name, w, fmt.Sprintf("%q is no number%s", w.text, hint(w.text)))
		}
		n = min(10*n+int(c-'0'), tooLarge)
	}
	return n, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// hint helps those who know another dialect.
func hint(text string) string {
	switch {
	case strings.HasPrefix(text, "H"):
		return "; the option Splay spreads jobs by their names"
	case strings.Contains(text, "~"):
		return "; the option Splay spreads jobs, the same way each time"
	case strings.Contains(text, "*"):
		return "; a star stands alone, or before a step"
	}
	return ""
}
