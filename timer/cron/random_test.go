package cron_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/cron"
)

// How many lines are compared with the definition, and which seed is the first. Each seed makes up
// twelve lines.
const (
	seedsVariable = "PUNCTUAL_SEEDS"
	firstVariable = "PUNCTUAL_FIRST_SEED"
	linesPerSeed  = 12
)

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, variable)
	return n
}

// PUNCTUAL_FIRST_SEED=n PUNCTUAL_SEEDS=1 repeats a seed that failed.
func TestNextIsWhatTheDefinitionSays(t *testing.T) {
	some := uint64(120)
	if testing.Short() {
		some = 50
	}
	first, seeds := number(t, firstVariable, 1), number(t, seedsVariable, some)
	runs := 0
	for seed := first; seed < first+seeds; seed++ {
		runs += compare(t, rand.New(rand.NewPCG(seed, 0)), seed)
	}
	assert.Greater(t, runs, int(seeds)*linesPerSeed, "most lines come")
	t.Logf("%d lines, %d runs", seeds*linesPerSeed, runs)
}

// compare compares lines in one zone, from one time on, with the definition.
func compare(t testing.TB, random *rand.Rand, seed uint64) (compared int) {
	names := allZones()
	zone := zoneOf(t, names[seed*101%uint64(len(names))])
	return compareAt(t, random, zone, anchor(random, zone), fmt.Sprintf("seed %d", seed))
}

// compareAt compares lines from about an instant on.
func compareAt(
	t testing.TB, random *rand.Rand, zone *time.Location, x int64, about string,
) (compared int) {
	seconds := random.IntN(40) == 0
	days := int64(8)
	switch {
	case seconds:
		days = 1
	case random.IntN(50) == 0:
		days = 800
	}
	d := newDefinition(zone, seconds)
	m := maker{random, time.Unix(x, 0).In(zone)}
	for range linesPerSeed {
		l := m.line(seconds)
		p := policy{
			[]string{"After", "Skip"}[m.IntN(2)], []string{"First", "Last", "Both"}[m.IntN(3)],
		}
		after := x + random.Int64N(day) - day/2
		switch {
		case days > 100:
			after -= random.Int64N(days * day / 2)
		case !seconds:
			after += random.Int64N(4*day) - 3*day
		}
		compared += d.compare(t, l, p, after, days, about)
	}
	return compared
}

// anchor makes up an instant, often the last before which the clocks change, or one of New Year's
// Eve.
func anchor(random *rand.Rand, zone *time.Location) int64 {
	since := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	until := time.Date(2201, 1, 1, 0, 0, 0, 0, time.UTC)
	if random.IntN(2) == 0 {
		until = time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	x := since.Unix() + random.Int64N(until.Unix()-since.Unix())
	switch start, end := time.Unix(x, 0).In(zone).ZoneBounds(); {
	case random.IntN(10) == 0:
		return time.Date(time.Unix(x, 0).Year(), 12, 31, random.IntN(24), 0, 0, 0, time.UTC).Unix()
	case random.IntN(5) == 0:
		return x
	case start.Year() >= 1970:
		return start.Unix() - random.Int64N(2)
	case !end.IsZero() && end.Year() < 2201:
		return end.Unix() - random.Int64N(2)
	}
	return x
}

// compare compares a line with the definition, and returns the number of runs.
func (d *definition) compare(t testing.TB, l *line, p policy, after, days int64, about string) int {
	options := []cron.Option{
		cron.Zone(d.zone), cron.Gap(gaps[p.gap]), cron.Repeat(repeats[p.repeat]),
	}
	parse := cron.Parse
	if d.seconds {
		parse = cron.ParseSeconds
	}
	about = fmt.Sprintf("%s: %q, %s, %+v, after %s", about, l, d.zone, p,
		time.Unix(after, 0).UTC().Format(time.RFC3339))
	s, err := parse(l.String(), options...)
	require.NoError(t, err, about)
	assert.Equal(t, l.interval(), s.Interval(), about)

	want, until := d.runs(l, p, after, days, 5)
	at := time.Unix(after, 0).UTC()
	for i, x := range want {
		at = s.Next(at)
		if !assert.Equal(t, time.Unix(x, 0).UTC(), at, "%s: run %d", about, i+1) {
			return i
		}
	}
	if at = s.Next(at); !at.IsZero() {
		assert.GreaterOrEqual(t, at.Unix(), until, "%s: behind the last run", about)
	}
	at = time.Unix(after, 0).UTC()
	for i, x := range want {
		back := s.Prev(time.Unix(x, 1).UTC())
		assert.Equal(t, time.Unix(x, 0).UTC(), back, "%s: back to run %d", about, i+1)
		if i > 0 {
			back = s.Prev(back)
			assert.Equal(t, time.Unix(want[i-1], 0).UTC(), back, "%s: back from run %d", about, i+1)
		} else if back = s.Prev(back); !back.IsZero() {
			assert.False(t, back.After(at), "%s: before the first run", about)
			assert.Equal(t, time.Unix(x, 0).UTC(), s.Next(back), "%s: before the first run", about)
		}
	}
	return len(want)
}

var (
	gaps    = map[string]cron.GapPolicy{"After": cron.After, "Skip": cron.Skip}
	repeats = map[string]cron.RepeatPolicy{
		"First": cron.First, "Last": cron.Last, "Both": cron.Both,
	}
)
