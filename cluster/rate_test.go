package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// paced is a run of a fleet that is played through by the rules of pacing, in planned times.
type paced struct {
	due   time.Time
	came  time.Time // when a worker gets it next
	was   string
	first time.Time // that it was given first
	begun time.Time
}

// play has all runs begin, and returns when. Nobody is there during an outage: what comes then comes
// at its end. late is by how much a run may begin after its time, as its worker is busy.
func (r *rate) play(runs []*paced, from, to time.Time, late func() time.Duration) (begun []time.Time) {
	var record pacing
	back := func(t time.Time) time.Time {
		if t.After(from) && t.Before(to) {
			return to
		}
		return t
	}
	for len(runs) > 0 {
		slices.SortStableFunc(runs, func(a, b *paced) int { return a.came.Compare(b.came) })
		run := runs[0]
		now := back(run.came)
		at := run.due
		if run.was != isReserved || now.After(run.due) {
			var planned bool
			record, at, planned = r.grant(record, run.due, now, run.was)
			if run.first.IsZero() {
				run.first = at
			}
			if at.Sub(now) > headStart {
				run.due, run.was, run.came = at, isReserved, at.Add(-headStart)
				if planned {
					run.was = isPlanned
				}
				continue
			}
		}
		start := later(at, now).Add(late())
		if r.tooLate(at, start) || back(start) != start {
			run.came = back(start) // it goes back, and comes again as it is stored
			continue
		}
		run.begun = start
		begun = append(begun, start)
		runs = runs[1:]
	}
	slices.SortFunc(begun, time.Time.Compare)
	return begun
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// In no span do more runs begin than the burst, what the key earns in it, and what comes as late as
// is allowed; whatever comes when, whoever is busy, and after an outage as well.
func TestNoMoreBeginThanTheRateAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &rate{n: rapid.IntRange(1, 8).Draw(t, "n"),
			per: time.Duration(rapid.IntRange(20, 10_000).Draw(t, "per")) * time.Millisecond}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var runs []*paced
		for range rapid.IntRange(1, 60).Draw(t, "runs") {
			due := noon.Add(time.Duration(random.Int64N(int64(2 * r.per))))
			came := due.Add(-time.Duration(random.Int64N(int64(headStart))))
			runs = append(runs, &paced{due: due, came: came})
		}
		from := noon.Add(time.Duration(random.Int64N(int64(4 * r.per))))
		to := from.Add(time.Duration(random.Int64N(int64(10 * r.per))))
		busy := rapid.Bool().Draw(t, "busy")
		late := func() time.Duration {
			if busy {
				return time.Duration(random.Int64N(int64(200 * time.Millisecond)))
			}
			return time.Duration(random.Int64N(int64(5 * time.Millisecond)))
		}
		count := len(runs)
		begun := r.play(runs, from, to, late)
		require.Len(t, begun, count)
		allowed := max(r.gap(), 50*time.Millisecond) + 5*time.Millisecond
		for i, first := range begun {
			for j := i; j < len(begun); j++ {
				span := begun[j].Sub(first)
				most := r.n + int((span+allowed)/r.gap())
				require.LessOrEqual(t, j-i+1, most, "%d of %v, in %v from %v", r.n, r.per, span, first)
			}
		}
	})
}

// What comes together begins as fast as the rate allows: a burst, and then one after the other.
func TestARateIsUsed(t *testing.T) {
	r := &rate{n: 3, per: 3 * time.Second}
	var runs []*paced
	for range 10 {
		runs = append(runs, &paced{due: noon, came: noon})
	}
	var after []string
	for _, at := range r.play(runs, time.Time{}, time.Time{}, func() time.Duration { return 0 }) {
		after = append(after, at.Sub(noon).String())
	}
	require.Equal(t, []string{"0s", "0s", "0s", "1s", "2s", "3s", "4s", "5s", "6s", "7s"}, after)
}

// A run that is late by a moment does not go behind all that are planned; nor do those whose times
// have passed in an outage all begin at its end.
func TestALateRunWaitsBehindThoseThatAreLate(t *testing.T) {
	r := &rate{n: 1, per: time.Second}
	var runs []*paced
	for range 1000 {
		runs = append(runs, &paced{due: noon, came: noon})
	}
	all := slices.Clone(runs)
	begun := r.play(runs, noon.Add(90*time.Second), noon.Add(100*time.Second),
		func() time.Duration { return 0 })
	require.Len(t, begun, 1000)
	for i := 1; i < len(begun); i++ {
		require.GreaterOrEqual(t, begun[i].Sub(begun[i-1]), r.gap())
	}
	for _, run := range all {
		require.Less(t, run.begun.Sub(run.first), 25*time.Second, "the outage, and as much for those in it")
	}
}

func TestARecordOfARate(t *testing.T) {
	p := pacing{noon.Add(time.Nanosecond), noon.Add(time.Hour)}
	require.Equal(t, p, readPacing([]byte(p.String())))
	for _, text := range []string{"", "x", "2026-01-01T12:00:00Z", fmt.Sprint(noon)} {
		require.True(t, readPacing([]byte(text)).admitted.IsZero(), text)
	}
}
