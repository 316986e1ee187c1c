package cluster

import (
	"context"
	"fmt"
	"time"

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
// A second is a good shortest period: each run costs the server three synced writes, and four with
// a lease of less than five seconds; and one that it does not wait for, of its history. A period below a millisecond is ErrInvalid.
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
// not travel, but for its text and next five times, which lists show: each process that serves the task has to declare the series before. One that has not,
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

// Name returns the name of the series.
func (s *Series[R]) Name() string { return s.name }

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
