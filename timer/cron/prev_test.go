package cron_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/cron"
)

func TestPrevGoesBackOverEveryVector(t *testing.T) {
	for _, v := range vectors(t) {
		if v.filter != "" || v.next == "reject" {
			continue
		}
		t.Run(v.id, func(t *testing.T) {
			s, err := v.parse(t)
			require.NoError(t, err)
			from, err := time.Parse(time.RFC3339Nano, v.from)
			require.NoError(t, err)
			var times []time.Time
			for _, text := range strings.Fields(v.next) {
				if text == "never" {
					break
				}
				at, err := time.Parse(time.RFC3339Nano, text)
				require.NoError(t, err)
				times = append(times, at)
			}
			requirePast(t, s, from, times)
		})
	}
}

// requirePast checks what the schedule tells of its times after from, in UTC, from behind.
func requirePast(t testing.TB, s cron.Schedule, from time.Time, times []time.Time) {
	t.Helper()
	for i, at := range times {
		require.Equal(t, at, s.Prev(at.Add(1)), "just after time %d of %q", i+1, s)
		if i > 0 {
			require.Equal(t, times[i-1], s.Prev(at), "before time %d of %q", i+1, s)
		}
	}
	before := s.Prev(from.Add(1))
	require.False(t, before.After(from))
	if before.IsZero() || s.Next(before).IsZero() {
		return
	}
	if len(times) > 0 {
		require.Equal(t, before, s.Prev(times[0]), "before the first of %q", s)
		last := times[len(times)-1]
		require.Equal(t, times, slices.Collect(s.Between(from.Add(1), last.Add(1))))
		without := append([]time.Time{}, slices.Collect(s.Between(times[0], last))...)
		require.Equal(t, times[:len(times)-1], without, "without its end")
	}
}

func TestPrevEndsWhereTheScheduleBegins(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	require.Zero(t, cron.MustParse("0 0 31 2 *").Prev(now))
	require.Zero(t, cron.Schedule{}.Prev(now))
	leap := cron.MustParse("0 0 29 2 *")
	require.Equal(t, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), leap.Prev(now))
	require.Equal(t, time.Date(1896, 2, 29, 0, 0, 0, 0, time.UTC),
		leap.Prev(time.Date(1904, 2, 29, 0, 0, 0, 0, time.UTC)), "1900 was no leap year")
	require.Zero(t, cron.MustParse("0 0 1 1 *").Prev(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)))
}

func TestPrevOfElapsedTimeCountsFromTheTimeAsked(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := cron.MustParse("@every 90s")
	require.Equal(t, now, s.Next(s.Prev(now)))
	require.Equal(t, now.Add(-90*time.Second), s.Prev(now))
}

// Only times that the calendar has are between two.
func TestBetweenTwoTimes(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	s := cron.MustParse("*/30 * * * *", cron.Zone(zone))
	from := time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC) // an hour is shown twice
	require.Len(t, slices.Collect(s.Between(from, from.Add(3*time.Hour))), 6)
	require.Empty(t, slices.Collect(s.Between(from, from)))
	require.Empty(t, slices.Collect(s.Between(from, from.Add(-time.Hour))))
}

func BenchmarkPrev(b *testing.B) {
	now := time.Date(2026, 3, 30, 12, 3, 0, 0, time.UTC)
	for _, line := range []string{"*/15 * * * *", "30 2 * * MON-FRI", "0 9-17 * * *", "0 0 29 2 *"} {
		s := cron.MustParse(line)
		b.Run(line, func(b *testing.B) {
			for b.Loop() {
				s.Prev(now)
			}
		})
	}
}
