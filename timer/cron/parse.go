package cron

import (
	"fmt"
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// maxLength is that of a line, in bytes.
const maxLength = 1024

// Parse returns the schedule of a line of five fields: minute, hour, day of the month, month, day
// of the week. See the package documentation for what they may be. The error is a [*ParseError], or
// that of an option.
func Parse(line string, opts ...Option) (Schedule, error) { return parse(line, fiveFields, opts) }

// ParseSeconds is Parse for lines of six fields, the first of which is the second.
func ParseSeconds(line string, opts ...Option) (Schedule, error) {
	return parse(line, sixFields, opts)
}

// MustParse is Parse for lines that are part of a program. It panics if the line is wrong.
func MustParse(line string, opts ...Option) Schedule {
	s, err := Parse(line, opts...)
	if err != nil {
		panic(err)
	}
	return s
}

// parse parses a line of the given fields, or of a macro.
func parse(line string, fields []*field, opts []Option) (Schedule, error) {
	p := parser{line: line}
	if len(line) > maxLength {
		return Schedule{}, p.fail("", word{"", 0},
			fmt.Sprintf("the line has %d bytes; it may have %d", len(line), maxLength))
	}
	words := split(line)
	var settings civil.Settings
	for i, o := range opts {
		if o == nil {
			return Schedule{}, fmt.Errorf("cron: option %d is nil", i)
		}
		if err := o(&settings); err != nil {
			return Schedule{}, err
		}
	}
	words, name, err := p.zone(words, &settings)
	if err != nil {
		return Schedule{}, err
	}
	s, err := p.schedule(words, fields, &settings)
	if err != nil {
		return Schedule{}, err
	}
	if name != "" {
		s.line = "CRON_TZ=" + name + " " + s.line
	}
	return s, nil
}

// parser parses one line.
type parser struct{ line string }

// word is a part of the line, and where it begins.
type word struct {
	text string
	at   int
}

func (w word) end() int { return w.at + len(w.text) }

// part returns a part of the word.
func (w word) part(from, to int) word { return word{w.text[from:to], w.at + from} }

// cut cuts the word at the first sep. Without one, all of it comes before.
func (w word) cut(sep byte) (before, after word, found bool) {
	i := strings.IndexByte(w.text, sep)
	if i < 0 {
		return w, word{"", w.end()}, false
	}
	return w.part(0, i), w.part(i+1, len(w.text)), true
}

func (p *parser) fail(field string, w word, reason string) error {
	return &ParseError{p.line, field, w.at, len(w.text), reason}
}

// split splits a line at its blanks.
func split(line string) (words []word) {
	words = make([]word, 0, 7)
	for i := 0; i < len(line); {
		if isBlank(line[i]) {
			i++
			continue
		}
		from := i
		for i < len(line) && !isBlank(line[i]) {
			i++
		}
		words = append(words, word{line[from:i], from})
	}
	return words
}

// upper returns the text in capitals, byte by byte: other alphabets have letters whose capitals are
// longer, and some whose capitals are of ours.
func upper(text string) string {
	isLower := func(r rune) bool { return 'a' <= r && r <= 'z' }
	if !strings.ContainsFunc(text, isLower) {
		return text // most are numbers
	}
	b := []byte(text)
	for i, c := range b {
		if isLower(rune(c)) {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// schedule parses what follows the zone.
func (p *parser) schedule(words []word, fields []*field, s *civil.Settings) (Schedule, error) {
	if len(words) == 0 {
		return Schedule{}, p.fail("", word{"", len(p.line)}, "nothing says when")
	}
	if words[0].text[0] == '@' {
		return p.macro(words, s)
	}
	if err := p.count(words, fields); err != nil {
		return Schedule{}, err
	}
	var set sets
	for i, f := range fields {
		if err := p.field(f, words[i], &set); err != nil {
			return Schedule{}, err
		}
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = upper(w.text)
	}
	return newSchedule(strings.Join(texts, " "), &set, s), nil
}

// newSchedule returns the schedule of what the fields of a line say.
func newSchedule(line string, set *sets, s *civil.Settings) Schedule {
	if set.second == 0 {
		set.second = 1
	}
	s.Interval = set.starSecond || set.starMinute || set.starHour
	s.Times = civil.NewPattern(civil.Pattern{
		Seconds: set.second, Minutes: set.minute, Hours: uint32(set.hour),
		Months: uint16(set.month),
		Days: civil.Days{
			Numbers: uint32(set.day), FromEnd: set.fromEnd, Workdays: set.workdays,
			Weekdays: uint8(set.weekday), Nth: set.nth, Both: set.starDay || set.starWeekday,
		},
	})
	return Schedule{rule: civil.NewRule(*s), line: line}
}

// count checks the number of words.
func (p *parser) count(words []word, fields []*field) error {
	want := len(fields)
	switch n := len(words); {
	case n == want:
		return nil
	case n == 5 && want == 6:
		return p.fail("", word{"", words[0].at},
			"a line has 6 fields, this one has 5: without seconds in front it is one for Parse")
	case n < want:
		return p.fail("", word{"", len(p.line)}, fmt.Sprintf(
			"a line has %d fields, this one has %d: the %s is missing", want, n, fields[n].name))
	case n == 6 && want == 5:
		return p.fail("", words[5],
			"a line has 5 fields, this one has 6: with seconds in front it is one for ParseSeconds")
	default:
		rest := word{p.line[words[want].at:words[n-1].end()], words[want].at}
		return p.fail("", rest, fmt.Sprintf("a line has %d fields, and nothing behind them", want))
	}
}

// macros have the lines that they stand for.
var macros = map[string]string{
	"@YEARLY":   "0 0 1 1 *",
	"@ANNUALLY": "0 0 1 1 *",
	"@MONTHLY":  "0 0 1 * *",
	"@WEEKLY":   "0 0 * * 0",
	"@DAILY":    "0 0 * * *",
	"@MIDNIGHT": "0 0 * * *",
	"@HOURLY":   "0 * * * *",
}

// macro parses what begins with @.
func (p *parser) macro(words []word, s *civil.Settings) (Schedule, error) {
	name := upper(words[0].text)
	if name == "@EVERY" {
		return p.every(words, s)
	}
	line, ok := macros[name]
	switch {
	case name == "@REBOOT":
		return Schedule{}, p.fail("", words[0],
			"a schedule knows no restarts: run the task when the program starts")
	case !ok:
		return Schedule{}, p.fail("", words[0],
			"there is @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly and @every")
	case len(words) > 1:
		return Schedule{}, p.fail("", words[1], "nothing may follow "+strings.ToLower(name))
	}
	c, err := parse(line, fiveFields, nil)
	if err != nil {
		return Schedule{}, err
	}
	own := c.Settings()
	s.Times, s.Interval = own.Times, own.Interval
	return Schedule{rule: civil.NewRule(*s), line: strings.ToLower(name)}, nil
}

// every parses @every and its duration.
func (p *parser) every(words []word, s *civil.Settings) (Schedule, error) {
	if len(words) != 2 {
		return Schedule{}, p.fail("", word{"", words[0].end()},
			"@every is followed by one duration, as in @every 90m")
	}
	d, err := time.ParseDuration(words[1].text)
	if err != nil {
		return Schedule{}, p.fail("", words[1],
			"this is no duration; one is written 90m, 1h30m or 1.5s")
	}
	if d <= 0 {
		return Schedule{}, p.fail("", words[1], "the duration must be more than 0")
	}
	s.Interval = true
	return Schedule{rule: civil.NewRule(*s), line: "@every " + d.String(), every: d}, nil
}
