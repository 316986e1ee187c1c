package calendar_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// vector is a row of the vectors of package cron: a line, a filter, and when both come together.
type vector struct {
	id, kind, line, filter, zone, gap, repeat, class, from, next string
}

func vectors(t testing.TB) (rows []vector) {
	file, err := os.Open("../cron/testdata/vectors.csv")
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	for _, r := range records[1:] {
		if r[9] != "reject" {
			rows = append(rows, vector{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]})
		}
	}
	return rows
}

// schedule returns the line with its filter, in its zone.
func (v vector) schedule(t testing.TB) calendar.Schedule {
	parse := cron.Parse
	if v.kind == "cron6" {
		parse = cron.ParseSeconds
	}
	line, err := parse(v.line)
	require.NoError(t, err)
	zone, err := time.LoadLocation(v.zone)
	require.NoError(t, err)
	gap := map[string]calendar.GapPolicy{"After": calendar.After, "Skip": calendar.Skip}
	repeat := map[string]calendar.RepeatPolicy{
		"First": calendar.First, "Last": calendar.Last, "Both": calendar.Both,
	}
	require.Contains(t, gap, v.gap)
	require.Contains(t, repeat, v.repeat)
	return v.restrict(t, line).In(zone).Gaps(gap[v.gap]).Repeats(repeat[v.repeat])
}

func (v vector) restrict(t testing.TB, c calendar.Calendar) calendar.Schedule {
	key, value, _ := strings.Cut(v.filter, "=")
	first, second, _ := strings.Cut(value, "@")
	n, _ := strconv.Atoi(first)
	switch key {
	case "":
		return calendar.Union(c)
	case "dow":
		day := map[string]time.Weekday{"SUN": time.Sunday, "MON": time.Monday, "FRI": time.Friday}
		require.Contains(t, day, value)
		return calendar.Within(c, calendar.OnWeekdays(day[value]))
	case "isoweek":
		switch value {
		case "odd":
			return calendar.Within(c, calendar.OddISOWeeks())
		case "even":
			return calendar.Within(c, calendar.EvenISOWeeks())
		}
		return calendar.Within(c, calendar.ISOWeeks(n))
	case "weeks":
		return calendar.Within(c, calendar.EachWeeks(n, date(t, second)))
	case "days":
		return calendar.Within(c, calendar.EachDays(n, date(t, second)))
	case "between":
		from, to, _ := strings.Cut(value, "-")
		return calendar.Within(c, calendar.Between(clock(t, from), clock(t, to)))
	case "not":
		var dates []calendar.Date
		for _, text := range strings.Split(value, "|") {
			dates = append(dates, date(t, text))
		}
		return calendar.Except(c, calendar.OnDates(dates...))
	}
	require.Fail(t, "unknown filter", v.filter)
	return calendar.Schedule{}
}

func date(t testing.TB, text string) calendar.Date {
	d, err := calendar.ParseDate(text)
	require.NoError(t, err)
	return d
}

func clock(t testing.TB, text string) calendar.TimeOfDay {
	at, err := calendar.ParseTimeOfDay(text)
	require.NoError(t, err)
	return at
}

func TestEveryVector(t *testing.T) {
	filtered := 0
	for _, v := range vectors(t) {
		if v.filter != "" {
			filtered++
		}
		t.Run(v.id, func(t *testing.T) {
			s := v.schedule(t)
			at, err := time.Parse(time.RFC3339Nano, v.from)
			require.NoError(t, err)
			for _, want := range strings.Fields(v.next) {
				at = s.Next(at)
				if want == "never" {
					assert.True(t, at.IsZero(), "got %v", at)
					return
				}
				require.Equal(t, want, at.UTC().Format(time.RFC3339Nano))
			}
		})
	}
	assert.Positive(t, filtered)
}
