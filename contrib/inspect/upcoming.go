package inspect

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// upcoming is the next runs of a task.
type upcoming struct {
	times   []time.Time
	ends    bool // no other comes after these
	trouble said
}

// follower returns the run after another, or the zero time. It may be the user's.
type follower func(time.Time) time.Time

// upcomingOf returns the next runs of a task. The first is the planned one; a task that is paused
// has none, so that is the first that would be.
func upcomingOf(st executor.TaskStatus, now time.Time, after follower) (u upcoming) {
	t := st.Next
	switch {
	case st.Paused && st.Calendar != nil:
		t = u.follow(now, after)
	case st.Paused, t.IsZero():
		return u
	}
	for n := uint64(1); !t.IsZero() && writable(t) && before(t, st.Until); n++ {
		u.times = append(u.times, t)
		switch {
		case n == st.Left:
			u.ends = true
			return u
		case n == shownTimes:
			return u
		}
		// What is overdue runs now, and once.
		t = u.follow(later(t, now), after)
	}
	u.ends = u.trouble == ""
	return u
}

// before reports whether a series has not ended by then, if it has an end.
func before(t, end time.Time) bool { return end.IsZero() || t.Before(end) }

// follow returns the run after a time. One that does not go on is refused, as the pool does.
func (u *upcoming) follow(t time.Time, after follower) time.Time {
	next := after(t)
	if !next.IsZero() && !next.After(t) {
		u.trouble = "its Next answers a time that is not after its argument"
		return time.Time{}
	}
	return next
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// periods returns what follows on a run of a task with a period: at a fixed rate the next of the
// grid; with a fixed delay, as if each run took as long as the last.
func periods(st executor.TaskStatus, now time.Time) follower {
	step := st.Period
	if st.Kind == executor.FixedDelay && st.Last != nil {
		step = max(step+st.Last.Took, step)
	}
	first := st.Next
	return func(t time.Time) time.Time {
		if step <= 0 {
			return time.Time{}
		}
		if st.Kind == executor.FixedRate && t.Equal(now) && first.Before(now) {
			return onGrid(first, step, now)
		}
		return t.Add(step)
	}
}

// onGrid returns the first time of a grid that is later than now, given an earlier one.
func onGrid(first time.Time, step time.Duration, now time.Time) time.Time {
	return first.Add((now.Sub(first)/step + 1) * step)
}

// previous returns the times before now that a calendar tells, in order. Each is one that Next
// tells, too: a line such as "@every 90s" has no times of its own, and a type around a calendar may
// have that one's Prev, but another Next.
func previous(c executor.Calendar, now time.Time) (times []time.Time) {
	p, ok := c.(interface {
		Prev(before time.Time) time.Time
	})
	if !ok {
		return nil
	}
	at := now
	for range 2 * shownTimes {
		t := p.Prev(at)
		if t.IsZero() || !t.Before(at) || !writable(t) || len(times) == shownTimes {
			break
		}
		if at = t; c.Next(t.Add(-1)).Equal(t) {
			times = append([]time.Time{t}, times...)
		}
	}
	return times
}

// following returns when a task runs next. With a fixed delay that is decided at the end of the run
// in progress: a delay after now at the earliest.
func following(st executor.TaskStatus, now time.Time) time.Time {
	if st.Next.IsZero() && st.State == future.Running && st.Kind == executor.FixedDelay {
		return now.Add(st.Period)
	}
	return st.Next
}
