package cron_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/cron"
)

// splayOf returns by how much a splay puts off midnight.
func splayOf(name string, window time.Duration) time.Duration {
	midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	s := cron.MustParse("0 0 22 11 *", cron.Splay(name, window))
	return s.Next(midnight.Add(-time.Second)).Sub(midnight)
}

func TestSplayIsTheSameEverywhere(t *testing.T) {
	assert.Equal(t, 42*time.Minute+22*time.Second, splayOf("backup", time.Hour))
	assert.Equal(t, splayOf("backup", time.Hour), splayOf("backup", time.Hour))
	one := cron.MustParse("* * * * *", cron.Splay("a", time.Hour))
	assert.True(t, one == cron.MustParse("* * * * *", cron.Splay("a", time.Hour)))
	assert.False(t, one == cron.MustParse("* * * * *", cron.Splay("b", time.Hour)))
}

func TestSplayIsAWholeNumberOfSecondsInsideTheWindow(t *testing.T) {
	for _, window := range []time.Duration{
		1, time.Millisecond, time.Second, time.Minute, 90 * time.Second, time.Hour, 1<<63 - 1,
	} {
		for i := range 200 {
			d := splayOf(fmt.Sprint("job", i), window)
			assert.True(t, 0 <= d && d < window, "%v: %v", window, d)
			assert.Zero(t, d%time.Second)
		}
	}
}

func TestSplaySpreadsNamesEvenly(t *testing.T) {
	const jobs, slots = 6000, 60
	var count [slots]int
	for i := range jobs {
		count[splayOf(fmt.Sprintf("job-%d", i), time.Hour)/time.Minute]++
	}
	for slot, n := range count {
		assert.InDelta(t, jobs/slots, n, 50, "minute %d", slot) // five times the standard deviation
	}
}

func TestTimesWithASplayFollowEachOther(t *testing.T) {
	s := cron.MustParse("*/5 * * * *", cron.Splay("x", time.Hour)) // longer than the time between two
	at := time.Date(2026, 11, 22, 0, 0, 0, 500, time.UTC)
	for range 300 {
		next := s.Next(at)
		assert.True(t, next.After(at) && next.Sub(at) <= 5*time.Minute, "%v: %v", at, next)
		at = next
	}
}

func TestSplayDoesNotConcernEvery(t *testing.T) {
	at := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	s := cron.MustParse("@every 90s", cron.Splay("x", time.Hour))
	assert.Equal(t, at.Add(90*time.Second), s.Next(at))
}
