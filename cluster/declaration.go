package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/punctual-go/punctual/executor"
)

func declare[P, R any](
	ctx context.Context, p *Pool, name string, initial time.Duration, c cadence, calendar Calendar,
	t Task[P, R], in P, opts []SeriesOption,
) (*Series[R], error) {
	s, err := AttachSeries(p, t, name)
	if err != nil {
		return nil, err
	}
	set := seriesSettings{catchUp: executor.Skip}
	for _, opt := range opts {
		if opt != nil {
			opt(&set)
		}
	}
	c.catchUp = set.catchUp
	if err := c.check(name, initial); err != nil {
		return nil, err
	}
	payload, err := s.task.codec.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("%w: the payload of series %q: %w", ErrInvalid, name, err)
	}
	if err := p.fits(s.task.name, payload); err != nil {
		return nil, err
	}
	l := link{do: doRun, name: name, number: 1, cadence: c, hash: c.hash(calendar, payload),
		calendar: calendarDigest(calendar), generation: set.generation, first: true}
	if l.due = p.now().Add(initial); calendar != nil {
		if l.due = calendar.Next(p.now()); l.due.IsZero() {
			return nil, fmt.Errorf("%w: the calendar of series %q has no time to come",
				ErrInvalid, name)
		}
		p.calendars.set(s.at, calendar)
		l.upcoming = upcomingOf(calendar, l.due)
	}
	if err := p.fitsAsLink(s.at, l, payload); err != nil {
		return nil, err
	}
	if err := s.declare(ctx, l, calendar, payload); err != nil {
		return nil, fmt.Errorf("cluster: series %q: %w", name, err)
	}
	p.note(s.task.name)
	return s, nil
}

func (c cadence) check(name string, initial time.Duration) error {
	switch {
	case catchUpNames[c.catchUp] == "":
		return fmt.Errorf("%w: series %q: CatchUp may be Skip, Coalesce or Burst", ErrInvalid, name)
	case initial < 0:
		return fmt.Errorf("%w: series %q begins %v from now", ErrInvalid, name, initial)
	case c.kind == atRate && c.every < time.Millisecond:
		return fmt.Errorf("%w: series %q has a period of %v", ErrInvalid, name, c.every)
	case c.kind == withDelay && c.every <= 0:
		return fmt.Errorf("%w: series %q has a delay of %v", ErrInvalid, name, c.every)
	}
	return nil
}

// state is what is stored of a series.
type state struct {
	newest  *jetstream.RawStreamMsg // nil for none
	queued  bool                    // it is due, or running, or a command: not a schedule that waits
	link    link
	payload []byte
	exists  bool
}

// read reads what the newest message of a series says.
func (p *Pool) read(at place, newest *jetstream.RawStreamMsg) (st state, err error) {
	st.newest = newest
	if newest == nil || isTombstone(newest.Header) {
		return st, nil
	}
	st.queued = newest.Subject == p.on.run(at)
	st.link, err = readLink(newest.Header)
	st.payload, st.exists = newest.Data, err == nil
	return st, err
}

// underWay tells that the newest link is a run that is due, or running.
func (st state) underWay() bool { return st.queued && st.link.do == doRun }

func sequenceOf(m *jetstream.RawStreamMsg) uint64 {
	if m == nil {
		return 0
	}
	return m.Sequence
}

// declare makes the series, or replaces it, or finds it as it should be.
func (s *Series[R]) declare(
	ctx context.Context, want link, calendar Calendar, payload []byte,
) error {
	return s.retry(ctx, func(st state) (*nats.Msg, error) {
		has := st.link
		switch {
		case !st.exists:
			// By way of the queue, as everything: two who declare meet there, whatever their times.
			made := want
			made.do = doArm
			return s.append(made, payload), nil
		case has.generation > want.generation:
			s.pool.logger.Info("declaration of a series ignored, as one of a later generation holds",
				"pool", s.pool.settings.name, "series", s.name, "generation", want.generation,
				"later", has.generation)
			return nil, nil
		case has.hash != want.hash, st.misplanned(calendar, s.pool.now()):
			next := st.replacedBy(want, calendar)
			if next.due.IsZero() {
				return nil, nil // the run under way is the last of the calendar
			}
			return s.append(next, payload), nil
		case has.generation == want.generation:
			return nil, nil
		}
		return s.raise(st, want.generation)
	})
}

// replacedBy is the command that has the series go on as declared anew. A number is used up by a
// run that is under way only, and so is a time of a calendar: that run may be with a worker before
// its time. Its due time is zero if no time follows.
func (st state) replacedBy(want link, calendar Calendar) link {
	want.do, want.number, want.follows = doArm, st.link.number, st.link.follows
	if st.underWay() {
		want.number, want.follows = st.link.number+1, st.newest.Sequence
	}
	switch planned := st.link.due; {
	case calendar == nil || want.due.After(planned):
	case st.underWay():
		want.due = calendar.Next(planned)
	case st.queued && want.calendar == st.link.calendar:
		want.due = planned // a command for after the run under way, which is not followed yet
	}
	if st.link.do == doPause {
		want.do = doPause // a series that is paused stays so
	}
	want.upcoming = upcomingOf(calendar, want.due)
	return want
}

// misplanned reports whether the series waits for a time that its cadence does not have: a worker
// of an earlier version has planned it, which had another calendar, or the clock was set back. The
// time after the next of a calendar is right as well, as the clock may be behind the worker's.
func (st state) misplanned(calendar Calendar, now time.Time) bool {
	if !st.queued && st.link.outOfReach(now) {
		return true
	}
	planned := st.link.due
	if !st.link.then.IsZero() {
		planned = st.link.then
	}
	if calendar == nil || st.queued || st.link.do != doRun || !planned.After(now) {
		return false
	}
	next := calendar.Next(now)
	return !planned.Equal(next) && !planned.Equal(calendar.Next(next))
}

// raise gives a series another generation, and leaves its times as they are.
func (s *Series[R]) raise(st state, generation uint64) (*nats.Msg, error) {
	l, err := s.upcoming(st)
	if err != nil {
		return nil, err
	}
	if l.generation = generation; l.do == doRun {
		l.do = doArm
	}
	return s.append(l, st.payload), nil
}
