package cluster

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A clock that was set says nothing of what was stamped before; but that is older than the step.
func TestAgeAcrossASteppedClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock{back: make(chan struct{}, 1)}
		server := func() time.Time { return c.now() }
		set := func(by time.Duration) {
			now := time.Now()
			next := stamp{server().Add(by), now}
			require.Equal(t, by, c.best.Load().until(next))
			c.best.Store(&next)
			c.note(by)
		}
		c.best.Store(&stamp{at(1000), time.Now()})
		stamped := server()
		require.Zero(t, c.age(stamped))
		require.Zero(t, c.age(stamped.Add(time.Hour)), "it is not known yet that the clock was set back")
		time.Sleep(2 * time.Second)
		require.Equal(t, 2*time.Second, c.age(stamped))

		set(time.Hour)
		require.Empty(t, c.back)
		require.Zero(t, c.age(stamped), "its worker may have renewed it a moment ago")
		time.Sleep(time.Second)
		require.Equal(t, time.Second, c.age(stamped))
		stamped = server()
		time.Sleep(time.Second)
		require.Equal(t, time.Second, c.age(stamped))

		set(-time.Hour)
		require.Len(t, c.back, 1)
		require.Zero(t, c.age(stamped))
		time.Sleep(3 * time.Second)
		require.Equal(t, 3*time.Second, c.age(stamped), "of an hour to come, and not renewed since")
		require.Zero(t, c.age(server().Add(time.Millisecond)), "what two processes differ by")
	})
}

// A series waits for a time that its cadence can have planned, by the clock as it is.
func TestInReach(t *testing.T) {
	const period = 10 * time.Second
	now := at(5)
	for name, test := range map[string]struct {
		link link
		due  float64
	}{
		"in reach":         {link{do: doRun, due: at(15), cadence: cadence{kind: atRate, every: period}}, 15},
		"by a little":      {link{do: doRun, due: at(15.9), cadence: cadence{kind: atRate, every: period}}, 15.9},
		"past":             {link{do: doRun, due: at(1), cadence: cadence{kind: atRate, every: period}}, 1},
		"an hour away":     {link{do: doRun, due: at(3610), cadence: cadence{kind: atRate, every: period}}, 15},
		"a delay":          {link{do: doRun, due: at(3610), cadence: cadence{kind: withDelay, every: period}}, 15},
		"of a calendar":    {link{do: doRun, due: at(3610), cadence: cadence{kind: onCalendar}}, 3610},
		"before the first": {link{do: doRun, first: true, due: at(3610), cadence: cadence{kind: atRate, every: period}}, 3610},
		"paused":           {link{do: doPause, due: at(3610), cadence: cadence{kind: atRate, every: period}}, 3610},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, at(test.due), test.link.inReach(now).due)
			require.Equal(t, test.due != seconds(test.link.due),
				state{link: test.link, exists: true}.misplanned(nil, now))
		})
	}
}

func seconds(t time.Time) float64 { return t.Sub(zero).Seconds() }

// What follows a run is in reach, too; and a first run that is still to come keeps its time.
func TestWhatFollowsARunIsInReach(t *testing.T) {
	l := link{do: doRun, number: 1, first: true, due: at(3600),
		cadence: cadence{kind: atRate, every: 10 * time.Second}}
	next, ok := l.after(nil, at(5)) // the clock was set back by an hour during the run
	require.True(t, ok)
	require.Equal(t, at(15), next.due)
	require.False(t, next.first)
	l.then = at(7200) // triggered, long before its first time
	next, ok = l.after(nil, at(5))
	require.True(t, ok)
	require.Equal(t, at(7200), next.due)
	require.True(t, next.first)
}
