package cron_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/cron"
)

// next returns the answers of Next, from a time on, as UTC.
func next(t testing.TB, line string, from string, times int, opts ...cron.Option) (answers []string) {
	s, err := cron.Parse(line, opts...)
	require.NoError(t, err)
	at, err := time.Parse(time.RFC3339, from)
	require.NoError(t, err)
	for range times {
		at = s.Next(at)
		answers = append(answers, at.UTC().Format(time.RFC3339))
	}
	return answers
}

// Package time ends a period of a zone's rules after 365 days of a year, and leap years have one
// more.
func TestNextGoesOnOverTheLastDayOfALeapYear(t *testing.T) {
	for _, name := range []string{
		"America/New_York", "Europe/Berlin", "Australia/Sydney", "America/Santiago",
	} {
		for _, repeat := range []cron.RepeatPolicy{cron.First, cron.Last, cron.Both} {
			zone := zoneOf(t, name)
			s := cron.MustParse("0 3 * * *", cron.Zone(zone), cron.Repeat(repeat))
			for year := 2040; year < 2200; year += 4 {
				for d := 27; d <= 40; d++ { // of December
					at := time.Date(year, 12, d, 3, 0, 0, 0, zone)
					assert.Equal(t, at, s.Next(at.Add(-time.Second)))
					assert.Equal(t, at, s.Next(at.Add(-23*time.Hour)))
				}
			}
		}
	}
}

func TestTheLastInstantIsFoundOfATimeThatComesOnceAYear(t *testing.T) {
	newYork := cron.Zone(zoneOf(t, "America/New_York"))
	assert.Equal(t, []string{"2026-11-01T06:30:00Z", "2027-11-01T05:30:00Z"},
		next(t, "30 1 1 11 *", "2026-06-01T00:00:00Z", 2, newYork, cron.Repeat(cron.Last)))
}

// Where clocks changed by half a minute, by a day, twice in a month, and will until 2087.
func TestNextIsWhatTheDefinitionSaysAroundRareChanges(t *testing.T) {
	for _, c := range []struct {
		zone       string
		since, end int
	}{
		{"Africa/Monrovia", 1971, 1973}, {"Pacific/Apia", 2010, 2013}, {"Pacific/Kwajalein", 1992, 1994},
		{"Africa/Casablanca", 2025, 2027}, {"Africa/Casablanca", 2084, 2088},
		{"Africa/El_Aaiun", 2086, 2090}, {"Asia/Manila", 1989, 1991},
		{"America/Argentina/San_Luis", 2007, 2010}, {"Antarctica/Casey", 2018, 2024},
		{"Africa/Cairo", 2014, 2015}, {"America/Caracas", 2007, 2017}, {"Asia/Gaza", 2011, 2012},
	} {
		zone := zoneOf(t, c.zone)
		last := time.Date(c.end, 1, 1, 0, 0, 0, 0, time.UTC)
		changes := 0
		for at := time.Date(c.since, 1, 1, 0, 0, 0, 0, zone); ; changes++ {
			_, change := at.ZoneBounds()
			if change.IsZero() || change.After(last) {
				break
			}
			random := rand.New(rand.NewPCG(uint64(change.Unix()), 0))
			compareAt(t, random, zone, change.Unix()-random.Int64N(2), "a rare change")
			at = change
		}
		assert.NotZero(t, changes, c.zone)
	}
}
