package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Cancel ends the series for all. A run under way is told by its context, with the cause
// ErrCancelled, and not waited for. It is no error if there is no such series. A replica that
// declares it afterwards begins it anew.
func (s *Series[R]) Cancel(ctx context.Context) error {
	there, err := s.pool.removeSeries(ctx, s.at)
	if err != nil {
		return fmt.Errorf("cluster: series %q: %w", s.name, err)
	}
	if there {
		s.note(ctx, "cancel")
	}
	return nil
}

// note puts a command of the series into the audit.
func (s *Series[R]) note(ctx context.Context, verb string) {
	_ = s.pool.Note(ctx, AuditEntry{Verb: verb, Task: s.task.name, Series: s.name}) // which logs it
}

// Pause holds the series: no run begins until [Series.Resume]. One that is under way goes on, and
// so does one that is due within the next second, as a worker may have it. It is [ErrNoSeries] if
// there is none.
func (s *Series[R]) Pause(ctx context.Context) error {
	return s.command(ctx, doPause, func(l link) (link, error) {
		if l.do == doPause {
			return l, errUnchanged
		}
		l.do = doPause
		return l, nil
	})
}

// Resume lets a series that is paused go on, on its grid: CatchUp says what becomes of the times
// that have passed. It is [ErrNoSeries] if there is none, and does nothing if it is not paused.
func (s *Series[R]) Resume(ctx context.Context) error {
	return s.command(ctx, doResume, func(l link) (link, error) {
		if l.do != doPause {
			return l, errUnchanged
		}
		l.do = doResume
		return l, nil
	})
}

// Trigger makes the series run once more, as soon as the run under way has ended. The times planned
// stay. It is [ErrNoSeries] if there is none, and ErrInvalid if it is paused.
func (s *Series[R]) Trigger(ctx context.Context) error {
	return s.command(ctx, "trigger", func(l link) (link, error) {
		switch {
		case l.do == doPause:
			return l, fmt.Errorf("%w: it is paused", ErrInvalid)
		case !l.then.IsZero():
			return l, errUnchanged // triggered already, and not begun
		}
		l.do, l.then, l.due, l.missed = doRun, l.due, s.pool.now(), 0
		return l, nil
	})
}

// upcoming is the newest link, or what follows it if that is due or running.
func (s *Series[R]) upcoming(st state) (link, error) {
	if !st.underWay() {
		return st.link, nil
	}
	calendar, err := s.pool.calendars.of(s.at, st.link)
	known := err == nil
	if !known {
		calendar = st.link.upcoming
	}
	next, more := st.link.after(calendar, s.pool.now())
	switch {
	case !more && !known && !st.link.upcoming.all:
		return link{}, fmt.Errorf("%w: %w", ErrInvalid, err) // the callers name the series
	case !more:
		return link{}, ErrNoSeries
	case !known:
		next.calendar = st.link.calendar
		next.upcoming = st.link.upcoming.after(next.due)
	}
	next.follows = st.newest.Sequence
	return next, nil
}

// command changes the newest link.
func (s *Series[R]) command(
	ctx context.Context, verb string, change func(l link) (link, error),
) error {
	unchanged := false
	err := s.retry(ctx, func(st state) (*nats.Msg, error) {
		if !st.exists {
			return nil, ErrNoSeries
		}
		// If the newest is due or running, what is said now is about what follows it.
		l, err := s.upcoming(st)
		if err != nil {
			return nil, err
		}
		changed, err := change(l)
		if unchanged = errors.Is(err, errUnchanged); unchanged {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return s.append(changed, st.payload), nil
	})
	if err != nil {
		return fmt.Errorf("cluster: series %q: %w", s.name, err)
	}
	if !unchanged {
		s.note(ctx, verb)
	}
	return nil
}

var errUnchanged = errors.New("cluster: nothing to change")

// append is the message that appends a link to the series' queue.
func (s *Series[R]) append(l link, payload []byte) *nats.Msg {
	m := s.pool.command(s.at)
	m.Data = payload
	l.write(m.Header)
	return m
}

// command is a message for the queue of a series that takes out a schedule which waits, in the
// entry that stores it.
func (p *Pool) command(at place) *nats.Msg {
	m := nats.NewMsg(p.on.run(at))
	m.Header.Set(headerScheduler, p.on.arm(at))
	m.Header.Set(headerNext, "purge")
	return m
}

// retry publishes what make makes of the series' state. A nil message means that nothing is to do.
func (s *Series[R]) retry(ctx context.Context, make func(state) (*nats.Msg, error)) error {
	return s.pool.change(ctx, s.at, func(newest *jetstream.RawStreamMsg) (*nats.Msg, error) {
		st, err := s.pool.read(s.at, newest)
		if err != nil {
			return nil, err
		}
		return make(st)
	})
}

// change publishes what make makes of the newest message of a series, until nothing came in
// between.
func (p *Pool) change(
	ctx context.Context, at place, make func(*jetstream.RawStreamMsg) (*nats.Msg, error),
) error {
	for {
		newest, err := p.last(ctx, p.on.any(at))
		if err != nil {
			return err
		}
		m, err := make(newest)
		if m == nil || err != nil {
			return err
		}
		expect(m, p.on.any(at), sequenceOf(newest))
		if _, err := p.publish(ctx, m); !conflict(err) {
			return err
		}
		if sleep(ctx, 2*time.Millisecond); ctx.Err() != nil {
			return fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
		}
	}
}
