package cron_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/cron"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew, to be read")

func TestDescribeTellsWhatALineMeans(t *testing.T) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, v := range vectors(t) {
		s, err := v.parse(t)
		if err != nil || seen[s.String()] {
			continue
		}
		seen[s.String()] = true
		fmt.Fprintf(&b, "%s: %s\n", s, s.Describe())
	}
	checkGolden(t, "testdata/describe.txt", b.String())
}

func TestDescribeNamesTheZoneAndTheSplay(t *testing.T) {
	tokyo := cron.Zone(zoneOf(t, "Asia/Tokyo"))
	for want, s := range map[string]cron.Schedule{
		"at 03:00 on weekdays, Asia/Tokyo":            cron.MustParse("0 3 * * MON-FRI", tokyo),
		"at 03:00 every day, Europe/Berlin":           cron.MustParse("TZ=Europe/Berlin 0 3 * * *", tokyo),
		"at 03:00 every day, local time":              cron.MustParse("0 3 * * *", cron.Zone(time.Local)),
		"at 03:00 every day, 42m22s later":            cron.MustParse("0 3 * * *", cron.Splay("backup", time.Hour)),
		"every 15 minutes, UTC":                       cron.MustParse("*/15 * * * *", cron.Zone(time.UTC)),
		"never":                                       cron.MustParse("0 0 30 2 *", tokyo),
		"every 1h30m, counted from the time asked":    cron.MustParse("@every 90m", tokyo),
		"every 1h, counted from the time asked":       cron.MustParse("@every 1h"),
		"every 1m, counted from the time asked":       cron.MustParse("@every 1m"),
		"every 1m0.5s, counted from the time asked":   cron.MustParse("@every 60500ms"),
		"every 10h0m10s, counted from the time asked": cron.MustParse("@every 36010s"),
		"every 10m, counted from the time asked":      cron.MustParse("@every 10m"),
		"every 100h20m, counted from the time asked":  cron.MustParse("@every 100h20m"),
		"every 10s, counted from the time asked":      cron.MustParse("@every 10s"),
		"every 1ns, counted from the time asked":      cron.MustParse("@every 1ns"),
	} {
		assert.Equal(t, want, s.Describe())
	}
	assert.Equal(t, "never", cron.Schedule{}.Describe())
}

// Sets of days that are written differently may be the same.
func TestLinesThatDifferAreDescribedDifferently(t *testing.T) {
	lines := map[string]cron.Schedule{}
	random := rand.New(rand.NewPCG(1, 2))
	m := maker{random, time.Date(2026, 10, 25, 2, 30, 0, 0, time.UTC)}
	for n := range 20_000 {
		parse, six := cron.Parse, n%4 == 0
		if six {
			parse = cron.ParseSeconds
		}
		s, err := parse(m.line(six).String())
		require.NoError(t, err)
		text := s.Describe()
		other, ok := lines[text]
		lines[text] = s
		if !ok || s.Settings() == other.Settings() || s.Never() && other.Never() {
			continue
		}
		assert.Equal(t, other.Interval(), s.Interval(), "%s, %s: %s", s, other, text)
		a, b := m.around, m.around
		for range 200 {
			a, b = s.Next(a), other.Next(b)
			require.Equal(t, a, b, "%s, %s: %s", s, other, text)
		}
	}
	assert.Greater(t, len(lines), 10_000)
}
