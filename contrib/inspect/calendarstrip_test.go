package inspect_test

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// strip returns the one that a page shows.
func strip(t *testing.T, page http.Handler) stripJSON {
	t.Helper()
	var v poolJSON
	require.NoError(t, json.Unmarshal(get(t, page, "/pool/-1/?format=json").Body.Bytes(), &v))
	return v.Strip
}

// planned returns how many runs of a calendar there are in each bin ahead, from the next on.
func planned(c executor.Calendar, next time.Time, s stripJSON) (bins [2*present + 1]uint64) {
	end := s.From.Add((2*present + 1) * 5 * time.Second)
	for at := next; !at.IsZero() && at.Before(end); at = c.Next(at) {
		bins[at.Sub(s.From)/(5*time.Second)]++
	}
	return bins
}

// The plan is what asking each calendar from run to run tells, at any time: also when the viewer
// comes again and again, or after a while.
func TestThePlanOfCalendarsIsThatOfAModel(t *testing.T) {
	calendars := []executor.Calendar{
		cron.MustParse("* * * * *"),
		cron.MustParse("*/7 * * * *"),
		cron.MustParse("30 2 * * *", cron.Zone(berlin(t))),
		cron.MustParse("@every 90s"),
		calendar.Every(25*time.Second, time.Now()),
		calendar.Within(cron.MustParse("* * * * *"), calendar.Between(calendar.At(0, 5), calendar.At(0, 8))),
		minutes{},
	}
	seconds, err := cron.ParseSeconds("*/5 * * * * *")
	require.NoError(t, err)
	calendars = append(calendars, seconds)
	for _, c := range calendars {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(1)
			defer p.Close()
			f, err := p.On(c, sleep(0))
			require.NoError(t, err)
			page := inspect.Handler(p)
			for _, pass := range []time.Duration{ms, time.Second, 7 * time.Second, 4 * time.Minute, hour, 0} {
				time.Sleep(pass)
				synctest.Wait()
				page.Forget()
				s := strip(t, page)
				next := c.Next(time.Now())
				if c == cron.MustParse("@every 90s") { // it counts from the last run
					next, _ = f.Next()
				}
				for i, n := range planned(c, next, s) {
					assert.Equal(t, n, s.Bins[i].Planned, "%v: bin %d after %v", c, i, pass)
				}
				assert.Zero(t, s.Cut)
			}
		})
	}
}

func TestThePlanOfACalendarHasTheBoundsOfTheSeries(t *testing.T) {
	count := func(opts ...executor.TaskOption) (n uint64) {
		v := shown(t, 1, func(p *executor.ScheduledPool) {
			_, err := p.On(cron.MustParse("* * * * *"), sleep(0), opts...)
			require.NoError(t, err)
		})
		_, _, n = sum(v.Strip.Bins)
		return n
	}
	assert.EqualValues(t, 10, count())
	assert.EqualValues(t, 3, count(executor.MaxRuns(3)))
	assert.EqualValues(t, 1, count(executor.MaxRuns(1)))
	begun := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when it is in a bubble
	assert.EqualValues(t, 2, count(executor.Until(begun.Add(3*time.Minute))))
}

// However dense calendars are, so many times are asked for, once each; and of the others it is said
// that they are not all.
func TestThePlanOfDenseCalendarsIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		p.Pause()
		var calls atomic.Int64
		counting := users{func(after time.Time) time.Time {
			calls.Add(1)
			return after.Add(time.Second)
		}, func() string { return "each second" }}
		for i := range 50 {
			_, err := p.On(counting, sleep(0), executor.Name(numbered("task", i)))
			require.NoError(t, err)
		}
		calls.Store(0)
		page := inspect.Handler(p)
		s := strip(t, page)
		_, _, n := sum(s.Bins)
		assert.EqualValues(t, 20_000+50, n, "these, and the next of each")
		asked := int64(20_000 + 33 + 12)
		assert.Equal(t, asked, calls.Load(), "one beyond the end of each that is whole, and the zones "+
			"of the twelve that are due next")
		assert.Equal(t, 17, s.Cut, "33 have all of their 605")
		assert.Contains(t, get(t, page, "/pool/-1/").Body.String(), ", not all of 17 tasks on a calendar")
		page.Forget()
		strip(t, page)
		assert.Equal(t, asked, calls.Load(), "what is known is not asked for again")
	})
	v := shown(t, 1, func(p *executor.ScheduledPool) {
		dense := users{func(after time.Time) time.Time { return after.Add(ms) }, func() string { return "dense" }}
		_, err := p.On(dense, sleep(0))
		require.NoError(t, err)
		p.Pause()
	})
	_, _, n := sum(v.Strip.Bins)
	assert.EqualValues(t, 1+1000, n, "so many of one")
	assert.Equal(t, 1, v.Strip.Cut)
	assert.False(t, v.Strip.Together.After(v.Strip.From.Add((present+1)*5*time.Second)),
		"nor is known what starts at the same moment")
}
