package analyzer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cronField is what a field of a line may have in it.
type cronField struct {
	from, to int
	names    []string // of its numbers, from the first on
}

var cronFields = []cronField{
	{0, 59, nil},
	{0, 23, nil},
	{1, 31, nil},
	{1, 12, strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
	{0, 6, strings.Fields("sun mon tue wed thu fri sat")},
}

var macros = strings.Fields("@yearly @annually @monthly @weekly @daily @midnight @hourly")

// cronLine tells whether a line of five fields, or a macro, means the same to robfig/cron and here;
// if not, why. A line is steady if it is like an interval: then both do the same when the clocks
// change.
func cronLine(line string) (steady bool, why string) {
	const other = "one of its lines may mean something else to both"
	if strings.HasPrefix(line, "@") {
		every, ok := strings.CutPrefix(line, "@every ")
		if !ok {
			return line == "@hourly", because("", !slices.Contains(macros, line), other)
		}
		d, err := time.ParseDuration(every)
		return true, because("", err != nil || d < time.Second || d%time.Second != 0, other)
	}
	fields := strings.Fields(line)
	if len(fields) != len(cronFields) {
		return false, "one of its lines has a zone, seconds, or not five fields"
	}
	for i, f := range cronFields {
		for item := range strings.SplitSeq(fields[i], ",") {
			if !f.has(item) || item[0] == '*' && fields[i] != item {
				return false, other
			}
		}
	}
	if fields[2] != "*" && fields[4] != "*" {
		return false, "one of its lines asks for days of the month and of the week"
	}
	return fields[0][0] == '*' || fields[1][0] == '*', ""
}

var cronItem = regexp.MustCompile(
	`^(?:\*|([0-9]+|[A-Za-z]{3})(?:-([0-9]+|[A-Za-z]{3}))?)(?:/([0-9]+))?$`)

// has tells whether an item of a list is a number of the field, a range of them, or each so many of
// all, or of a range.
func (f *cronField) has(item string) bool {
	m := cronItem.FindStringSubmatch(item)
	if m == nil {
		return false
	}
	step := 1
	if m[3] != "" {
		step, _ = strconv.Atoi(m[3])
	}
	from, to := f.from, f.to
	if m[1] != "" {
		from = f.number(m[1])
		if to = from; m[2] != "" {
			to = f.number(m[2])
		} else if m[3] != "" {
			return false // each so many from there on, or only that: not everybody agrees
		}
	}
	return f.from <= from && from <= to && to <= f.to && 1 <= step && step <= max(to-from, 1)
}

// number is that of a text, or one that no field has.
func (f *cronField) number(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.from + i
	}
	return -1
}
