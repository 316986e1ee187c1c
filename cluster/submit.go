package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

// headStart is how long before its time a run leaves the server for a worker, which ends the wait
// with its own timer. The server looks every 250 ms, and a disk that syncs each message needs
// its time when many are due: with half of this, one run in a hundred of 400 a second was late by
// tens of milliseconds.
const headStart = 600 * time.Millisecond

// Headers of messages. Those of the server's own schedules are written here, as the client's option
// for a time cuts fractions of a second, and a run would begin early.
const (
	headerSchedule  = "Nats-Schedule"
	headerTarget    = "Nats-Schedule-Target"
	headerScheduler = "Nats-Scheduler"
	headerNext      = "Nats-Schedule-Next"

	headerDue = "Punctual-Due" // when the run is to begin, by the server's clock
	headerEnd = "Punctual-End" // marks a tombstone
)

// SubmitOption is an option of [Submit], [Schedule] and [ScheduleAt].
type SubmitOption func(*submission)

type submission struct {
	key          string
	unlessFailed bool
}

// Once makes a submission the only one of its task and key: a second one, by whichever process,
// returns a future of the first, and its payload and time are not looked at. A key is taken until
// its task has an outcome, and as long after that as outcomes are kept, see [Keep]. One whose task
// is cancelled is free again: the next submission stores a new task, with an ID of its own. Once
// nothing of a key is kept any more, its tasks have the IDs of the first ones again, so let [Keep]
// be longer than a resource remembers a [Run.ID]. The future is like one of [Attach]: it does not
// look whether its task is gone.
func Once(key string) SubmitOption {
	return func(s *submission) { s.key, s.unlessFailed = key, false }
}

// OnceUnlessFailed is [Once] for a key that is free again, too, when its task has failed, panicked
// or been abandoned.
func OnceUnlessFailed(key string) SubmitOption {
	return func(s *submission) { s.key, s.unlessFailed = key, true }
}

// Submit stores a task that is to run as soon as a worker is free, and returns its future. It
// returns nil only if the server has acknowledged it. While the server cannot be reached it waits,
// until ctx ends.
//
// It returns ErrInvalid for a task or payload that is not allowed, ErrUnavailable, ErrFull,
// ErrPermission or ErrClosed; and ErrShape, ErrProtocol or ErrMoved once this process has lost its
// part in the pool. A task of a name that no replica serves waits until one does.
func Submit[P, R any](
	ctx context.Context, p *Pool, t Task[P, R], in P, opts ...SubmitOption,
) (*Future[R], error) {
	return ScheduleAt(ctx, p, time.Time{}, t, in, opts...)
}

// Schedule is [Submit] for a task that is to run d from now.
func Schedule[P, R any](
	ctx context.Context, p *Pool, d time.Duration, t Task[P, R], in P, opts ...SubmitOption,
) (*Future[R], error) {
	if d <= 0 {
		return Submit(ctx, p, t, in, opts...)
	}
	return ScheduleAt(ctx, p, p.now().Add(d), t, in, opts...)
}

// ScheduleAt is [Submit] for a task that is to run at a time, by the server's clock. It is not
// begun earlier. A time that is past means at once.
func ScheduleAt[P, R any](
	ctx context.Context, p *Pool, due time.Time, t Task[P, R], in P, opts ...SubmitOption,
) (*Future[R], error) {
	def, err := usable(t)
	if err == nil {
		err = p.suits(def)
	}
	if err != nil {
		return nil, err
	}
	if err := p.part.open(); err != nil {
		return nil, fmt.Errorf("cluster: task %q: %w", def.name, err)
	}
	var s submission
	for _, opt := range opts {
		if opt != nil {
			opt(&s)
		}
	}
	payload, err := def.encode(in)
	if err != nil {
		return nil, err
	}
	if err := p.fits(def.name, payload); err != nil {
		return nil, err
	}
	f := &Future[R]{pool: p, task: def}
	if s.key != "" {
		f.id, err = p.submitOnce(ctx, onceKeyOf(def.name, s), due, payload)
	} else {
		f.id = p.client + "." + nuid.Next()
		at := taskPlace(def.name, f.id)
		f.own = p.results.expect(f.id, at)
		if err = p.accept(ctx, at, f.id, due, payload, ""); err != nil {
			p.results.forget(f.id)
		}
		f.own.accepted.Store(true)
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: task %q: %w", def.name, err)
	}
	p.note(def.name)
	return f, nil
}

func (p *Pool) fits(task string, payload []byte) error {
	if most := p.longest() - 1024; most > 0 && int64(len(payload)) > most {
		return fmt.Errorf("%w: the payload of task %q has %d bytes, and the server takes %d",
			ErrInvalid, task, len(payload), most)
	}
	return nil
}

// longest is how long a message may be that the server stores, whatever else it takes: its files
// have no record of more than 32 MiB.
func (p *Pool) longest() int64 { return min(p.nc.MaxPayload(), 32<<20-2048) }

// message is what makes something run at a place at a time: a run, if that is soon, or a schedule.
func (p *Pool) message(at place, due time.Time) *nats.Msg {
	m := nats.NewMsg(p.on.run(at))
	if due.IsZero() {
		return m
	}
	due = due.UTC()
	m.Header.Set(headerDue, due.Format(time.RFC3339Nano))
	if start := due.Add(-headStart); start.After(p.now()) {
		m.Subject = p.on.arm(at)
		m.Header.Set(headerSchedule, "@at "+start.Format(time.RFC3339Nano))
		m.Header.Set(headerTarget, p.on.run(at))
	}
	return m
}

func dueOf(h nats.Header) time.Time {
	due, _ := time.Parse(time.RFC3339Nano, h.Get(headerDue)) // none means at once
	return due
}
