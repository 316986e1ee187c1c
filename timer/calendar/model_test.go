package calendar_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// The model asks the definition about every minute of some days. What a clock shows is a time in
// UTC.

var (
	gapPolicies    = []calendar.GapPolicy{calendar.After, calendar.Skip}
	repeatPolicies = []calendar.RepeatPolicy{calendar.First, calendar.Last, calendar.Both}
)

// predicate tells whether a civil time is of a set.
type predicate func(shown time.Time) bool

// modelled is a schedule, and the minutes of a span at which it comes.
type modelled struct {
	schedule calendar.Schedule
	comes    func(sp *span) map[int64]bool // by Unix minutes
}

// span is some days of a zone, by minutes: what is shown at each.
type span struct {
	zone        *time.Location
	first, last time.Time
	shown       []time.Time         // for each minute from first on
	at          map[time.Time][]int // minutes at which a time is shown
}

// margin is searched on either side of a span, so that repeats that begin before it are known.
const margin = 3 * 24 * 60

func newSpan(zone *time.Location, first time.Time, days int) *span {
	sp := &span{zone: zone, first: first, last: first.AddDate(0, 0, days), at: map[time.Time][]int{}}
	for i := -margin; i < days*24*60+margin; i++ {
		shown := civilTime(first.Add(time.Duration(i) * time.Minute).In(zone))
		sp.shown = append(sp.shown, shown)
		sp.at[shown] = append(sp.at[shown], i+margin)
	}
	return sp
}

// civilTime returns what t shows, as a time in UTC.
func civilTime(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

func (sp *span) minute(i int) int64 { return sp.first.Unix()/60 + int64(i-margin) }

// fixed returns when times come that are fixed.
func (sp *span) fixed(is predicate, gap calendar.GapPolicy, repeat calendar.RepeatPolicy) map[int64]bool {
	comes := map[int64]bool{}
	for i, shown := range sp.shown {
		all := sp.at[shown]
		wanted := repeat == calendar.Both || repeat == calendar.First && all[0] == i ||
			repeat == calendar.Last && all[len(all)-1] == i
		if wanted && is(shown) {
			comes[sp.minute(i)] = true
		}
		if i == 0 || gap == calendar.Skip {
			continue
		}
		for missing := sp.shown[i-1].Add(time.Minute); missing.Before(shown); missing = missing.Add(time.Minute) {
			if len(sp.at[missing]) == 0 && is(missing) {
				comes[sp.minute(i)] = true
			}
		}
	}
	return comes
}

// interval returns when times come that are like an interval.
func (sp *span) interval(is predicate) map[int64]bool {
	comes := map[int64]bool{}
	for i, shown := range sp.shown {
		if is(shown) {
			comes[sp.minute(i)] = true
		}
	}
	return comes
}

// spans are around changes of all kinds.
func spans(t testing.TB) (all []*span) {
	for _, s := range []struct {
		zone string
		day  string
	}{
		{"UTC", "2024-02-25"},
		{"America/New_York", "2026-03-05"},
		{"America/New_York", "2026-10-29"},
		{"Europe/Berlin", "2026-03-26"},
		{"Europe/Berlin", "2026-10-22"},
		{"Australia/Lord_Howe", "2026-04-02"},
		{"Australia/Lord_Howe", "2026-10-01"},
		{"Antarctica/Troll", "2026-03-26"},
		{"Antarctica/Troll", "2026-10-22"},
		{"America/Havana", "2026-03-05"},
		{"America/Havana", "2026-10-29"},
		{"Africa/Cairo", "2026-04-22"},
		{"Pacific/Apia", "2011-12-28"},
		{"America/Scoresbysund", "2024-03-28"},
	} {
		zone, err := time.LoadLocation(s.zone)
		require.NoError(t, err)
		first, err := time.Parse(time.DateOnly, s.day)
		require.NoError(t, err)
		all = append(all, newSpan(zone, first, 7))
	}
	return all
}

func TestACompositionComesWhenItsDefinitionSaysSo(t *testing.T) {
	all := spans(t)
	rapid.Check(t, func(t *rapid.T) {
		sp := all[rapid.IntRange(0, len(all)-1).Draw(t, "span")]
		m := compositions(sp).Draw(t, "schedule")
		schedule := m.schedule.In(sp.zone)
		var want, got []string
		comes := m.comes(sp)
		for minute := sp.first.Unix()/60 + 1; minute < sp.last.Unix()/60; minute++ {
			if comes[minute] {
				want = append(want, text(time.Unix(60*minute, 0)))
			}
		}
		for at := range calendar.Upcoming(schedule, sp.first) {
			if !at.Before(sp.last) {
				break
			}
			got = append(got, text(at))
		}
		require.Equal(t, want, got, "%v from %v", schedule, sp.first)
		var past []string
		for at := range calendar.Past(schedule, sp.last) {
			if !at.After(sp.first) || len(past) == 10 {
				break
			}
			past = append(past, text(at))
		}
		slices.Reverse(past)
		require.Equal(t, want[len(want)-min(len(want), 10):], append(want[:0:0], past...),
			"%v back from %v", schedule, sp.last)
	})
}

// After its only time, a schedule has none in its set of civil times; its zone may show that one
// again, though, or leave it out.
func TestOneTimeComesAsOftenAsItsZoneShowsIt(t *testing.T) {
	for _, sp := range spans(t) {
		for quarter := range 5 * 24 * 4 {
			shown := sp.first.AddDate(0, 0, 1).Add(time.Duration(quarter) * 15 * time.Minute)
			once := calendar.Within(calendar.Daily(calendar.At(shown.Hour(), shown.Minute())),
				calendar.OnDates(calendar.DateOf(shown))).In(sp.zone)
			for _, gap := range gapPolicies {
				for _, repeat := range repeatPolicies {
					schedule := once.Gaps(gap).Repeats(repeat)
					want := sp.instants(shown, gap, repeat)
					require.Equal(t, want, next(schedule, sp.first, 3), schedule)
				}
			}
		}
	}
}

// instants returns when one fixed time comes.
func (sp *span) instants(
	shown time.Time, gap calendar.GapPolicy, repeat calendar.RepeatPolicy,
) (texts []string) {
	all := sp.at[shown]
	switch {
	case len(all) == 0 && gap == calendar.Skip:
	case len(all) == 0:
		all = []int{1 + slices.IndexFunc(sp.shown[1:], shown.Before)}
	case repeat == calendar.First:
		all = all[:1]
	case repeat == calendar.Last:
		all = all[len(all)-1:]
	}
	for _, minute := range all {
		texts = append(texts, text(time.Unix(60*sp.minute(minute), 0)))
	}
	return texts
}

func text(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// compositions generates schedules that consist of others.
func compositions(sp *span) *rapid.Generator[modelled] {
	leaf := rapid.Custom(func(t *rapid.T) modelled { return limited(t, sp, leaf(t, sp)) })
	return rapid.Custom(func(t *rapid.T) modelled {
		m := leaf.Draw(t, "leaf")
		for range rapid.IntRange(0, 2).Draw(t, "parts") {
			a, b := m, leaf.Draw(t, "leaf")
			m = modelled{calendar.Union(a.schedule, b.schedule), func(sp *span) map[int64]bool {
				comes := a.comes(sp)
				for minute := range b.comes(sp) {
					comes[minute] = true
				}
				return comes
			}}
		}
		return m
	})
}

// limited puts a beginning or an end to a schedule, or neither.
func limited(t *rapid.T, sp *span, m modelled) modelled {
	kind := rapid.SampledFrom([]string{"", "", "from", "until"}).Draw(t, "limit")
	if kind == "" {
		return m
	}
	at := sp.first.Add(time.Duration(rapid.IntRange(0, 7*24*60).Draw(t, "at")) * time.Minute)
	limit := calendar.Until
	if kind == "from" {
		limit = calendar.From
	}
	return modelled{limit(m.schedule, at), func(sp *span) map[int64]bool {
		comes := m.comes(sp)
		for minute := range comes {
			if (minute < at.Unix()/60) == (kind == "from") {
				delete(comes, minute)
			}
		}
		return comes
	}}
}

// leaf generates a schedule of civil times, or a grid, with windows.
func leaf(t *rapid.T, sp *span) modelled {
	schedule, is, kind := times(t, sp)
	open := func(time.Time) bool { return true }
	for range rapid.IntRange(0, 2).Draw(t, "windows") {
		before := open
		some, in := anyWindow(t, sp)
		if rapid.Bool().Draw(t, "except") {
			schedule = calendar.Except(schedule, some...)
			open = func(shown time.Time) bool { return before(shown) && !in(shown) }
			continue
		}
		schedule = calendar.Within(schedule, some...)
		open = func(shown time.Time) bool { return before(shown) && in(shown) }
	}
	gap := rapid.SampledFrom(gapPolicies).Draw(t, "gap")
	repeat := rapid.SampledFrom(repeatPolicies).Draw(t, "repeat")
	return modelled{schedule.Gaps(gap).Repeats(repeat), func(sp *span) map[int64]bool {
		switch kind {
		case fixed:
			return sp.fixed(func(shown time.Time) bool { return is(shown) && open(shown) }, gap, repeat)
		case interval:
			return sp.interval(func(shown time.Time) bool { return is(shown) && open(shown) })
		}
		comes := map[int64]bool{}
		for i, shown := range sp.shown {
			if is(time.Unix(60*sp.minute(i), 0)) && open(shown) {
				comes[sp.minute(i)] = true
			}
		}
		return comes
	}}
}

type kind int

const (
	fixed kind = iota
	interval
	elapsed // asked about instants
)

// times generates a schedule without windows.
func times(t *rapid.T, sp *span) (calendar.Schedule, predicate, kind) {
	hour, minute := rapid.IntRange(0, 4).Draw(t, "hour"), 15*rapid.IntRange(0, 3).Draw(t, "minute")
	at := calendar.At(hour, minute)
	atTime := func(shown time.Time) bool { return shown.Hour() == hour && shown.Minute() == minute }
	n, anchor, days := rapid.IntRange(1, 4).Draw(t, "n"), anchor(t, sp), weekdays(t)
	since := func(shown time.Time) int { return daysBetween(anchor, shown) }
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return calendar.Daily(at), atTime, fixed
	case 1:
		return calendar.Weekly(at, days...), func(shown time.Time) bool {
			return atTime(shown) && slices.Contains(days, shown.Weekday())
		}, fixed
	case 2:
		day, is := monthDay(t)
		return calendar.Monthly(at, day), func(shown time.Time) bool { return atTime(shown) && is(shown) }, fixed
	case 3:
		return calendar.EveryDays(n, calendar.DateOf(anchor), at), func(shown time.Time) bool {
			return atTime(shown) && since(shown)%n == 0
		}, fixed
	case 4:
		return calendar.EveryWeeks(n, calendar.DateOf(anchor), at, days...), func(shown time.Time) bool {
			return atTime(shown) && slices.Contains(days, shown.Weekday()) &&
				daysBetween(monday(anchor), monday(shown))/7%n == 0
		}, fixed
	case 5:
		line := fmt.Sprintf("%d,%d %d-%d * * *", minute, (minute+20)%60, hour, hour+1)
		return calendar.Union(cron.MustParse(line)), func(shown time.Time) bool {
			return (shown.Minute() == minute || shown.Minute() == (minute+20)%60) &&
				(shown.Hour() == hour || shown.Hour() == hour+1)
		}, fixed
	case 6:
		return calendar.Union(cron.MustParse("*/20 * * * *")), func(shown time.Time) bool {
			return shown.Minute()%20 == 0
		}, interval
	}
	step := time.Duration(rapid.IntRange(5, 3000).Draw(t, "step")) * time.Minute
	return calendar.Every(step, anchor), func(at time.Time) bool { return at.Sub(anchor)%step == 0 }, elapsed
}

// anyWindow generates windows one of which is to be open.
func anyWindow(t *rapid.T, sp *span) (windows []calendar.Window, in predicate) {
	in = func(time.Time) bool { return false }
	for range rapid.IntRange(1, 2).Draw(t, "any") {
		before := in
		w, is := window(t, sp)
		if rapid.Bool().Draw(t, "all") {
			other, also := window(t, sp)
			first := is
			w, is = calendar.All(w, other), func(shown time.Time) bool { return first(shown) && also(shown) }
		}
		windows = append(windows, w)
		in = func(shown time.Time) bool { return before(shown) || is(shown) }
	}
	return windows, in
}

func window(t *rapid.T, sp *span) (calendar.Window, predicate) {
	n, anchor := rapid.IntRange(1, 4).Draw(t, "n"), anchor(t, sp)
	switch rapid.IntRange(0, 8).Draw(t, "window") {
	case 0:
		days := weekdays(t)
		return calendar.OnWeekdays(days...), func(shown time.Time) bool {
			return slices.Contains(days, shown.Weekday())
		}
	case 1:
		day, is := monthDay(t)
		return calendar.OnDays(day), is
	case 2:
		other := anchor.AddDate(0, 0, n)
		return calendar.OnDates(calendar.DateOf(other), calendar.DateOf(anchor)), func(shown time.Time) bool {
			return daysBetween(anchor, shown) == 0 || daysBetween(other, shown) == 0
		}
	case 3:
		month := anchor.Month()
		return calendar.InMonths(month, time.July), func(shown time.Time) bool {
			return shown.Month() == month || shown.Month() == time.July
		}
	case 4:
		_, week := anchor.ISOWeek()
		return calendar.ISOWeeks(week, 53), func(shown time.Time) bool {
			_, w := shown.ISOWeek()
			return w == week || w == 53
		}
	case 5:
		return calendar.EachDays(n, calendar.DateOf(anchor)), func(shown time.Time) bool {
			return daysBetween(anchor, shown)%n == 0
		}
	case 6:
		return calendar.EachWeeks(n, calendar.DateOf(anchor)), func(shown time.Time) bool {
			return daysBetween(monday(anchor), monday(shown))/7%n == 0
		}
	}
	from := rapid.IntRange(0, 24*12-1).Draw(t, "from") * 5
	to := (from + 5*rapid.IntRange(1, 24*12-1).Draw(t, "length")) % (24 * 60)
	return calendar.Between(calendar.At(from/60, from%60), calendar.At(to/60, to%60)),
		func(shown time.Time) bool {
			m := shown.Hour()*60 + shown.Minute()
			return from <= m && m < to || from > to && (from <= m || m < to)
		}
}

// anchor is a day near the span, before or in it; half of them are close to the change of clocks.
func anchor(t *rapid.T, sp *span) time.Time {
	days := rapid.OneOf(rapid.IntRange(-40, 8), rapid.IntRange(1, 4)).Draw(t, "anchor")
	day := sp.first.AddDate(0, 0, days)
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
}

func monthDay(t *rapid.T) (calendar.DayOfMonth, predicate) {
	n := rapid.IntRange(1, 31).Draw(t, "day")
	length := func(shown time.Time) int {
		return time.Date(shown.Year(), shown.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	}
	day := time.Weekday(n % 7)
	switch rapid.IntRange(0, 3).Draw(t, "day of month") {
	case 0:
		return calendar.Day(n), func(shown time.Time) bool { return shown.Day() == n }
	case 1:
		n %= 5
		return calendar.DaysBeforeLast(n), func(shown time.Time) bool { return length(shown)-shown.Day() == n }
	case 2:
		nth := 1 + n/7
		return calendar.NthWeekday(nth, day), func(shown time.Time) bool {
			return shown.Weekday() == day && (shown.Day()-1)/7+1 == nth
		}
	}
	return calendar.LastWeekday(day), func(shown time.Time) bool {
		return shown.Weekday() == day && shown.Day()+7 > length(shown)
	}
}

func weekdays(t *rapid.T) []time.Weekday {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Weekday {
		return time.Weekday(rapid.IntRange(0, 6).Draw(t, "weekday"))
	}), 1, 3).Draw(t, "weekdays")
}

// daysBetween counts from the midnight of a day, and rounds down.
func daysBetween(day, shown time.Time) int {
	midnight := time.Date(shown.Year(), shown.Month(), shown.Day(), 0, 0, 0, 0, time.UTC)
	return int(midnight.Sub(day) / (24 * time.Hour))
}

func monday(shown time.Time) time.Time {
	day := (int(shown.Weekday()) + 6) % 7
	return time.Date(shown.Year(), shown.Month(), shown.Day()-day, 0, 0, 0, 0, time.UTC)
}
