package cluster

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
)

var zero = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return zero.Add(time.Duration(seconds * float64(time.Second)))
}

// every is a calendar of all times that are multiples of it.
type every time.Duration

func (e every) Next(after time.Time) time.Time {
	return after.Truncate(time.Duration(e)).Add(time.Duration(e))
}

// The example of executor.CatchUpPolicy: period 10, and a run at 20 that takes until 47.
func TestCatchUpIsThatOfTheExecutor(t *testing.T) {
	for _, test := range []struct {
		policy executor.CatchUpPolicy
		due    float64
		missed uint64
	}{
		{executor.Burst, 30, 0},
		{executor.Coalesce, 40, 1},
		{executor.Skip, 50, 2},
	} {
		for _, c := range []cadence{
			{atRate, 10 * time.Second, test.policy},
			{onCalendar, 0, test.policy},
		} {
			due, missed := c.next(every(10*time.Second), at(20), at(47))
			require.Equal(t, at(test.due), due, c.String())
			require.Equal(t, test.missed, missed, c.String())
			due, missed = c.next(every(10*time.Second), at(20), at(21))
			require.Equal(t, at(30), due, c.String())
			require.Zero(t, missed, c.String())
		}
	}
}

// A run that begins late counts for the latest time that has passed.
func TestALateRunCountsForTheLatestTime(t *testing.T) {
	calendar := every(10 * time.Second)
	for policy, due := range map[executor.CatchUpPolicy]float64{
		executor.Burst: 20, executor.Coalesce: 40, executor.Skip: 40,
	} {
		for _, kind := range []string{atRate, onCalendar} {
			c := cadence{kind, 10 * time.Second, policy}
			got, missed := c.latest(calendar, at(20), at(47))
			require.Equal(t, at(due), got)
			require.EqualValues(t, (due-20)/10, missed)
		}
	}
	got, missed := cadence{withDelay, 10 * time.Second, executor.Skip}.latest(nil, at(20), at(47))
	require.Equal(t, at(20), got)
	require.Zero(t, missed)
}

// Whatever happens: the grid is kept, what is next lies after what was, and each period is either
// run or counted as missed.
func TestCadenceAccountsForEachPeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := time.Duration(rapid.Int64Range(1, 1e12).Draw(t, "period"))
		policy := rapid.SampledFrom([]executor.CatchUpPolicy{
			executor.Burst, executor.Skip, executor.Coalesce}).Draw(t, "policy")
		c := cadence{atRate, period, policy}
		planned := zero
		late := time.Duration(rapid.Int64Range(0, 1e14).Draw(t, "late"))
		due, missed := c.next(nil, planned, planned.Add(late))
		require.True(t, due.After(planned))
		require.Zero(t, due.Sub(planned)%period)
		require.Equal(t, uint64(due.Sub(planned)/period), missed+1)
		switch policy {
		case executor.Skip:
			require.True(t, due.After(planned.Add(late)))
			require.LessOrEqual(t, due.Sub(planned.Add(late)), period)
		case executor.Coalesce:
			require.True(t, due.Add(period).After(planned.Add(late)))
		}
	})
}

func TestLinksTravel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := func(label string) time.Time {
			return time.Unix(0, rapid.Int64Range(1, 1<<62).Draw(t, label)).UTC()
		}
		l := link{
			do:     rapid.SampledFrom([]string{doRun, doArm, doResume, doPause}).Draw(t, "do"),
			name:   rapid.String().Draw(t, "name"),
			number: rapid.Uint64().Draw(t, "number"),
			due:    instant("due"),
			missed: rapid.Uint64().Draw(t, "missed"),
			cadence: cadence{rapid.SampledFrom([]string{atRate, withDelay, onCalendar}).Draw(t, "kind"),
				time.Duration(rapid.Int64Range(1, 1<<60).Draw(t, "every")),
				rapid.SampledFrom([]executor.CatchUpPolicy{
					executor.Burst, executor.Skip, executor.Coalesce}).Draw(t, "policy")},
			hash: "abc", follows: rapid.Uint64().Draw(t, "follows"),
		}
		if rapid.Bool().Draw(t, "triggered") {
			l.then = instant("then")
		}
		h := nats.Header{}
		l.write(h)
		got, err := readLink(h)
		require.NoError(t, err)
		l.id = l.due
		require.Equal(t, l, got)
	})
}

func TestTokensAreTokensAndDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		require.False(t, strings.ContainsAny(token(a), ".*> \t\r\n"))
		require.Equal(t, a == b, token(a) == token(b))
		require.True(t, seriesPlace(a, b).series())
		require.False(t, taskPlace(a, "client.id").series())
		require.Equal(t, "client.id", taskPlace(a, "client.id").id())
		s := subjectsOf("pool")
		require.Equal(t, seriesPlace(a, b), s.placeOf(s.run(seriesPlace(a, b))))
	})
}

func TestFencesGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sequence := rapid.Uint64Range(1, 1<<47).Draw(t, "sequence")
		delivered := rapid.Uint64Range(1, 1<<15).Draw(t, "delivered")
		require.Greater(t, fence(sequence, delivered+1), fence(sequence, delivered))
		require.Greater(t, fence(sequence+1, 1), fence(sequence, delivered))
	})
}

func TestOldServersAreKnown(t *testing.T) {
	for version, ok := range map[string]bool{
		"2.11.9": false, "2.12.0": true, "2.15.2": true, "3.0.0": true, "1.4.1": false,
		"2.12.0-RC.1": true, "": true, "devel": true,
	} {
		require.Equal(t, ok, checkVersion(version) == nil, version)
	}
}
