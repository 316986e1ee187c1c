package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/punctual-go/punctual/executor"
)

// Series is a task that repeats, by its name: there is one in all processes of a pool. It is safe
// for concurrent use.
//
// Its runs do not overlap, but for a worker that is silent for longer than its lease, see
// [ErrLost]. A run that fails does not end the series, as it would in one process: see [Stop].
//
// Its commands are messages in the series' own queue. They are accepted when they return, and take
// effect in their order, as soon as a worker that serves the task gets to them: after the run
// that is under way.
type Series[R any] struct {
	pool *Pool
	task *definition
	name string
	at   place
}

// SeriesOption is an option of a series.
type SeriesOption func(*seriesSettings)

type seriesSettings struct {
	catchUp    executor.CatchUpPolicy
	generation uint64
}

// CatchUp says what becomes of times that pass while no run can begin: executor.Skip, which is the
// default, executor.Coalesce or executor.Burst. An hour without servers is 3,600 runs of a
// series by the second, so think before you choose the last. A series with a fixed delay misses
// nothing.
func CatchUp(policy executor.CatchUpPolicy) SeriesOption {
	return func(s *seriesSettings) { s.catchUp = policy }
}

// Generation numbers the declarations of a series: one with a lower number than that which holds
// changes nothing. So a replica of an earlier release that starts again during a deploy does not
// bring back what that release had declared. Let it grow with each change. Without it all are 0,
// and the last one holds.
func Generation(n uint64) SeriesOption {
	return func(s *seriesSettings) { s.generation = n }
}

// AtFixedRate declares a series that runs at initial from now, and then each period. All replicas
// may declare it as they start: the first makes it, and the others find it. If it is there with
// another period, policy or payload, then it goes on as declared now, after the run under way,
// unless [Generation] says that this declaration is older.
//
// A second is a good shortest period: each run costs the server three synced writes. A period below
// a millisecond is ErrInvalid.
func AtFixedRate[P, R any](
	ctx context.Context, p *Pool, name string, initial, period time.Duration, t Task[P, R], in P,
	opts ...SeriesOption,
) (*Series[R], error) {
	return declare[P, R](ctx, p, name, initial, cadence{kind: atRate, every: period}, nil, t, in, opts)
}

// WithFixedDelay is [AtFixedRate] for a series whose next run begins delay after the last has
// ended.
func WithFixedDelay[P, R any](
	ctx context.Context, p *Pool, name string, initial, delay time.Duration, t Task[P, R], in P,
	opts ...SeriesOption,
) (*Series[R], error) {
	return declare[P, R](ctx, p, name, initial, cadence{kind: withDelay, every: delay}, nil, t, in, opts)
}

// On declares a series that runs at the times of a calendar, by the server's clock. A calendar does
// not travel: each process that serves the task has to declare the series before. One that has not,
// or has declared it with another calendar than that which holds, leaves its runs to others, and
// says so in the log. Calendars are told apart by their String methods, and those without by their
// types.
func On[P, R any](
	ctx context.Context, p *Pool, name string, c Calendar, t Task[P, R], in P, opts ...SeriesOption,
) (*Series[R], error) {
	if c == nil {
		return nil, fmt.Errorf("%w: series %q has a nil calendar", ErrInvalid, name)
	}
	return declare[P, R](ctx, p, name, 0, cadence{kind: onCalendar}, c, t, in, opts)
}

// AttachSeries makes a handle of a series without declaring it, for a process that only commands
// it.
func AttachSeries[P, R any](p *Pool, t Task[P, R], name string) (*Series[R], error) {
	def, err := usable(t)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, fmt.Errorf("%w: a series of task %q without a name", ErrInvalid, def.name)
	}
	if len(token(name)) > longestName {
		return nil, fmt.Errorf("%w: the name of series %.20q… is too long", ErrInvalid, name)
	}
	return &Series[R]{pool: p, task: def, name: name, at: seriesPlace(def.name, name)}, nil
}

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
		calendar: calendarDigest(calendar), generation: set.generation}
	if l.due = p.now().Add(initial); calendar != nil {
		if l.due = calendar.Next(p.now()); l.due.IsZero() {
			return nil, fmt.Errorf("%w: the calendar of series %q has no time to come",
				ErrInvalid, name)
		}
		p.calendars.set(s.at, calendar)
	}
	if err := s.declare(ctx, l, calendar, payload); err != nil {
		return nil, fmt.Errorf("cluster: series %q: %w", name, err)
	}
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
			return s.append(st.replacedBy(want), payload), nil
		case has.generation == want.generation:
			return nil, nil
		}
		return s.raise(st, want.generation)
	})
}

// replacedBy is the command that has the series go on as declared anew. A number is used up by a
// run that is under way only.
func (st state) replacedBy(want link) link {
	want.do, want.number, want.follows = doArm, st.link.number, st.link.follows
	if st.underWay() {
		want.number, want.follows = st.link.number+1, st.newest.Sequence
	}
	if st.link.do == doPause {
		want.do = doPause // a series that is paused stays so
	}
	return want
}

// misplanned reports whether the series waits for a time that its calendar does not have: a worker
// of an earlier version has planned it, which had another. The time after the next is right as
// well, as the clock may be behind that of the worker.
func (st state) misplanned(calendar Calendar, now time.Time) bool {
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

// upcoming is the newest link, or what follows it if that is due or running.
func (s *Series[R]) upcoming(st state) (link, error) {
	if !st.underWay() {
		return st.link, nil
	}
	calendar, err := s.pool.calendars.of(s.at, st.link)
	if err != nil {
		return link{}, fmt.Errorf("%w: %w", ErrInvalid, err) // the callers name the series
	}
	next, more := st.link.after(calendar, s.pool.now())
	if !more {
		return link{}, ErrNoSeries
	}
	next.follows = st.newest.Sequence
	return next, nil
}

// command changes the newest link.
func (s *Series[R]) command(ctx context.Context, change func(l link) (link, error)) error {
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
		if errors.Is(err, errUnchanged) {
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

// Name returns the name of the series.
func (s *Series[R]) Name() string { return s.name }

// Cancel ends the series for all. A run under way is told by its context, with the cause
// ErrCancelled, and not waited for. It is no error if there is no such series. A replica that
// declares it afterwards begins it anew.
func (s *Series[R]) Cancel(ctx context.Context) error {
	if err := s.pool.removeSeries(ctx, s.at); err != nil {
		return fmt.Errorf("cluster: series %q: %w", s.name, err)
	}
	return nil
}

// Pause holds the series: no run begins until [Series.Resume]. One that is under way goes on, and
// so does one that is due within the next second, as a worker may have it. It is [ErrNoSeries] if
// there is none.
func (s *Series[R]) Pause(ctx context.Context) error {
	return s.command(ctx, func(l link) (link, error) {
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
	return s.command(ctx, func(l link) (link, error) {
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
	return s.command(ctx, func(l link) (link, error) {
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

// Next returns the run that is due next, or that is under way: its number and time. It is
// [ErrNoSeries] if there is none. The time of a series that is paused is zero.
func (s *Series[R]) Next(ctx context.Context) (Run, error) {
	newest, err := s.pool.last(ctx, s.pool.on.any(s.at))
	st := state{}
	if err == nil {
		st, err = s.pool.read(s.at, newest)
	}
	if err == nil && !st.exists {
		err = ErrNoSeries
	}
	if err != nil {
		return Run{}, fmt.Errorf("cluster: series %q: %w", s.name, err)
	}
	var r Run
	st.link.tell(&r)
	if st.link.do == doPause {
		r.Scheduled = time.Time{}
	}
	return r, nil
}
