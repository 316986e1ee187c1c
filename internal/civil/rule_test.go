package civil_test

import (
	"testing"
	"time"
	_ "time/tzdata" // some machines have no tables of zones

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/civil"
)

// counted counts how often a set is asked.
type counted struct {
	civil.Times
	asked *int
}

func (c counted) Next(t civil.Time) civil.Time {
	*c.asked++
	return c.Times.Next(t)
}

// pattern completes a pattern of which the rest is every time.
func pattern(p civil.Pattern) civil.Pattern {
	if p.Months == 0 {
		p.Months = 1<<13 - 2
	}
	if p.Days == (civil.Days{}) {
		p.Days = civil.Days{Numbers: civil.AllNumbers, Weekdays: civil.AllWeekdays, Both: true}
	}
	p.Seconds = 1
	return civil.NewPattern(p)
}

// ask returns the answer of a rule, and how often it asked its times.
func ask(t testing.TB, zone string, after string, s civil.Settings) (string, int) {
	asked := 0
	s.Times = counted{s.Times, &asked}
	var err error
	s.Zone, err = time.LoadLocation(zone)
	require.NoError(t, err)
	at, err := time.Parse(time.RFC3339, after)
	require.NoError(t, err)
	r := civil.NewRule(s)
	return r.Next(at).UTC().Format(time.RFC3339), asked
}

const none = "0001-01-01T00:00:00Z"

// In London the clocks go from 01:00 to 02:00 on the last Sunday of March.
func TestASearchEndsIfAllTimesAreInGaps(t *testing.T) {
	london := pattern(civil.Pattern{
		Hours: 1 << 1, Minutes: 1, Months: 1 << 3, Days: civil.Days{Nth: 1},
	})
	next, asked := ask(t, "Europe/London", "2026-01-01T00:00:00Z", civil.Settings{Times: london, Gap: civil.Skip})
	assert.Equal(t, none, next)
	assert.Less(t, asked, 3000)

	next, _ = ask(t, "Europe/London", "2026-01-01T00:00:00Z", civil.Settings{Times: london})
	assert.Equal(t, "2026-03-29T01:00:00Z", next)
}

func TestASearchForATimeFarAwayTakesFewSteps(t *testing.T) {
	newYear := pattern(civil.Pattern{Hours: 1, Minutes: 1, Months: 1 << 1, Days: civil.Days{Numbers: 1 << 1}})
	leapDay := pattern(civil.Pattern{
		Hours: 1, Minutes: 1, Months: 1 << 2,
		Days: civil.Days{Numbers: 1 << 29, Weekdays: 1 << 5, Both: true},
	})
	for _, c := range []struct {
		times civil.Pattern
		next  string
	}{{newYear, "2027-01-01T05:00:00Z"}, {leapDay, "2036-02-29T05:00:00Z"}} {
		next, asked := ask(t, "America/New_York", "2026-01-02T00:00:00Z", civil.Settings{Times: c.times})
		assert.Equal(t, c.next, next)
		assert.LessOrEqual(t, asked, 3)
	}
}

func TestAPatternWithoutATimeIsEmpty(t *testing.T) {
	february31 := pattern(civil.Pattern{Hours: 1, Minutes: 1, Months: 1 << 2, Days: civil.Days{Numbers: 1 << 31}})
	assert.True(t, february31.Empty())
	next, asked := ask(t, "Europe/London", "2026-01-01T00:00:00Z", civil.Settings{Times: february31})
	assert.Equal(t, none, next)
	assert.Equal(t, 1, asked)

	for _, p := range []civil.Pattern{{}, {Seconds: 1, Hours: 1, Minutes: 1}, {Seconds: 1, Hours: 1, Months: 2}} {
		assert.True(t, civil.NewPattern(p).Empty())
		assert.Equal(t, civil.Never, civil.NewPattern(p).Next(0))
	}
}

func TestARuleWithoutTimesNeverComes(t *testing.T) {
	var r civil.Rule
	assert.Zero(t, r.Next(time.Now()))
}
