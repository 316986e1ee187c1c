package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// A series is a chain of which there is one link at a time. Its place has two subjects: arm, where
// a schedule waits, and run, a queue of what is due.
//
//	nothing -> arm        declared
//	arm     -> run        its time has come: the server moves it, in one entry of its log
//	run     -> arm        the run has ended: the next is stored, then the run is removed
//	any     -> run        a command (pause, resume, trigger, a new declaration) is appended
//	any     -> run        a tombstone, in the same way: cancelled, or ended by its function
//	run     -> nothing    the tombstone is removed
//
// Two rules make it safe, whoever dies and whoever comes back:
//
//   - Only the first message of the run queue is executed, by the one that has the claim on it, see
//     claim.go. So runs do not overlap.
//   - Whatever is stored, or taken out by command, is so on the condition that the newest message of
//     the place, on either subject, is the one that its author knows, which the server checks in
//     the entry that stores it. So the chain never forks; who comes late is refused.
//
// And nothing is believed to be gone because it does not show. A worker can have a message before
// the leader, which answers, has it: another replica has delivered it. To remove it then, as if
// something had followed it, would end the chain. Only what came later tells.
//
// A message that is both first and last is the common case. The next link is stored before the run
// is removed, so the chain is never empty: who gets a run again, of a worker that died in between,
// sees that something follows it, and only removes it.

const (
	headerExpect   = "Nats-Expected-Last-Subject-Sequence"
	headerExpectOf = "Nats-Expected-Last-Subject-Sequence-Subject"
)

// never is when a series that is paused would run: a schedule, as all that waits is one, so that
// each command finds it in the same way.
var never = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// expect makes a message be stored only if the last one of a subject, which may have wildcards, has
// a sequence; 0 means none.
func expect(m *nats.Msg, subject string, last uint64) {
	m.Header.Set(headerExpect, strconv.FormatUint(last, 10))
	m.Header.Set(headerExpectOf, subject)
}

// linkMessage is the message of a link that has nothing before it: a schedule, a run that is due
// soon, or the mark of a series that is paused.
func (p *Pool) linkMessage(at place, l link, payload []byte) *nats.Msg {
	when := l.due
	if l.do == doPause {
		when = never
	}
	m := p.message(at, when)
	m.Data = payload
	l.write(m.Header)
	return m
}

// fitsAsLink returns ErrInvalid for a series of which not each link could be stored: one that waits
// for its time is longer than one that is due, and figures grow.
func (p *Pool) fitsAsLink(at place, l link, payload []byte) error {
	l.due = p.now().AddDate(1, 0, 0).Truncate(time.Second).Add(999_999_999) // all digits
	l.number, l.missed, l.follows, l.then = math.MaxUint64, math.MaxUint64, 0, l.due
	l.upcoming, l.last = l.upcoming.longest(l.due), l.last.longest(l.due)
	m := p.linkMessage(at, l, payload)
	expect(m, p.on.any(at), math.MaxUint64)
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	size, most := m.Size()-len(m.Subject), p.longest()
	if most > 0 && int64(size) > most {
		return fmt.Errorf("%w: the payload of series %q has %d bytes, which with its names and "+
			"times is more than the %d that the server takes",
			ErrInvalid, l.name, len(payload), most)
	}
	return nil
}

// last returns the last message of a subject, nil if none shows.
func (p *Pool) last(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = p.persist(ctx, "reading the queue of a series", func(ctx context.Context) (err error) {
		m, err = p.stream.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}

// following returns the first message of a subject from a sequence on, nil if none shows.
func (p *Pool) following(
	ctx context.Context, subject string, from uint64,
) (m *jetstream.RawStreamMsg, err error) {
	err = p.persist(ctx, "reading the queue of a series", func(ctx context.Context) (err error) {
		m, err = p.stream.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}

// checkSeries decides what becomes of a link that was delivered.
func (w *worker) checkSeries(h *held) {
	l, err := readLink(h.msg.Headers())
	if err != nil {
		w.pool.logger.Error("a link cannot be read, perhaps it is of a later version", h.attr(), "error", err)
		_ = h.msg.NakWithDelay(time.Second)
		h.release()
		return
	}
	h.link = &l
	if h.calendar, err = w.pool.calendars.of(h.at, l); err != nil {
		level := slog.LevelDebug
		if h.delivered&(h.delivered-1) == 0 { // at the first delivery, the second, the fourth …
			level = slog.LevelWarn
		}
		w.pool.logger.Log(h.ctx, level, "run of a series left to another process", h.attr(), "series",
			l.name, "why", err)
		_ = h.msg.NakWithDelay(time.Second)
		h.release()
		return
	}
	switch mine, err := w.claim(h); {
	case errors.Is(err, errUnclaimed):
		w.pool.logger.Warn("run given back", h.attr(), "why", err)
		h.giveBack(err)
		return
	case err != nil:
		h.leave(err)
		return
	case !mine:
		h.done() // taken out, or ended by another worker
		return
	}
	// Also at the first delivery that the server tells of: it may have forgotten one.
	if err := h.check(); err != nil {
		h.leave(err)
		return
	}
	if l.do != doRun {
		w.follow(h, l)
		return
	}
	if l.then.IsZero() && h.attempt == 1 { // late by periods, as nobody was there
		due, missed := l.cadence.latest(h.calendar, l.due, w.pool.now())
		h.due, l.due, l.missed = due, due, l.missed+missed
	}
	if h.attempt > h.task.attempts {
		w.abandonRun(h)
		return
	}
	if h.taken {
		if taken, err := w.takeOver(h); taken || err != nil {
			if err != nil {
				h.leave(err)
			}
			return
		}
		if err := h.check(); err != nil { // it may have been the end of the run that was behind it
			h.leave(err)
			return
		}
	}
	if w.quarantine(h) {
		h.admit()
	}
}

// patience is how long a link that was delivered may fail to show in its queue.
const patience = 2 * time.Second

var errNotShown = errors.New("cluster: the server that was asked does not have it; it may be cancelled")

// awaitTurn waits until a message is the first of its queue. It is false if something later is in
// its place. A tombstone does not wait for what is before it, but removes it, as the worker of that
// may be dead, or busy for long.
func (w *worker) awaitTurn(h *held) (bool, error) {
	shown := time.Now()
	for wait := time.Millisecond; ; wait = min(2*wait, 250*time.Millisecond) {
		m, err := w.pool.following(h.ctx, w.pool.on.run(h.at), 1)
		if err != nil {
			return false, err
		}
		switch first := sequenceOf(m); {
		case first == h.sequence:
			return true, nil
		case first > h.sequence:
			return false, nil
		case first > 0:
			shown = time.Now()
			if h.tombstone {
				if _, err := w.pool.takeOut(h.ctx, first); err != nil {
					return false, err
				}
				continue
			}
		default:
			if armed, err := w.armedAfter(h); armed || err != nil {
				return false, err
			}
			if time.Since(shown) > patience {
				return false, errNotShown
			}
		}
		if sleep(h.ctx, wait); h.ctx.Err() != nil {
			return false, context.Cause(h.ctx)
		}
	}
}

// superseded tells whether something follows a link already. A command that was given while the
// run was under way does not count, as its worker may have died; but a tombstone behind it does.
//
// One read tells of both subjects. With one for each, what moves from one to the other in between
// shows in neither.
func (w *worker) superseded(h *held) (bool, error) {
	newest, err := w.newest(h)
	if err != nil || newest == h.sequence {
		return false, err
	}
	for from := h.sequence + 1; ; {
		next, err := w.pool.following(h.ctx, w.pool.on.run(h.at), from)
		switch {
		case err != nil:
			return false, err
		case next == nil:
			return from == h.sequence+1, nil // a schedule, or it has moved on
		case isTombstone(next.Header):
			return true, nil
		case from == h.sequence+1:
			command, err := readLink(next.Header)
			if err != nil || command.follows != h.sequence {
				return true, nil //nolint:nilerr // no command for this run
			}
		}
		from = next.Sequence + 1
	}
}

// newest is the sequence of the newest message of a link's place: the link's own, or a later one.
func (w *worker) newest(h *held) (uint64, error) {
	for begun := time.Now(); ; {
		m, err := w.pool.last(h.ctx, w.pool.on.any(h.at))
		if err != nil || sequenceOf(m) >= h.sequence {
			return sequenceOf(m), err
		}
		if time.Since(begun) > patience {
			return 0, errNotShown
		}
		if sleep(h.ctx, 50*time.Millisecond); h.ctx.Err() != nil {
			return 0, context.Cause(h.ctx)
		}
	}
}

// armedAfter tells whether a schedule waits that was stored after a link.
func (w *worker) armedAfter(h *held) (bool, error) {
	armed, err := w.pool.last(h.ctx, w.pool.on.arm(h.at))
	return sequenceOf(armed) > h.sequence, err
}

// abandonRun gives up a run of a series that has killed its workers. The series goes on with the
// next, at its time.
func (w *worker) abandonRun(h *held) {
	why := h.whyAbandoned()
	w.pool.logger.Error("run of a series left out", h.attr(), "why", why)
	if err := w.keepFailed(h.ctx, h, h.at.run(h.link.number), kindAbandoned, why); err != nil {
		h.leave(err)
		return
	}
	w.goOn(h.ctx, h, h.leftOut())
}

// follow stores what a command says.
func (w *worker) follow(h *held, l link) {
	switch l.do {
	case doArm:
		l.do = doRun
	case doResume:
		l.do = doRun
		var missed uint64
		l.due, missed = l.cadence.caughtUp(h.calendar, l.due, w.pool.now())
		if l.missed += missed; l.due.IsZero() {
			h.done()
			return
		}
	}
	if h.calendar != nil { // who has given the command may not have it
		l.upcoming = upcomingOf(h.calendar, l.due)
	}
	w.storeNext(h.ctx, h, l.inReach(w.pool.now()), nil)
}

// finishSeries ends a run of a series.
func (w *worker) finishSeries(ctx context.Context, h *held, err error) {
	var end *stop
	if errors.As(err, &end) {
		w.pool.logger.Info("series ended by its function", h.attr(), "why",
			w.pool.shown(h.task.name, PartError, end.Error()))
		if err := w.stillMine(ctx, h); err != nil {
			h.leave(err)
			return
		}
		err := h.untilRoom(ctx, func() error {
			_, err := w.pool.removeSeries(ctx, h.at)
			return err
		})
		if err != nil {
			h.leave(err)
			return
		}
		w.keepRan(h.at, h.ranAs(end))
		h.done()
		return
	}
	if err != nil {
		w.pool.logger.Warn("run of a series failed", h.attr(), "error",
			w.pool.shownError(h.task.name, err))
	}
	w.goOn(ctx, h, h.ranAs(err))
}

// goOn has a series go on after a run.
func (w *worker) goOn(ctx context.Context, h *held, run RanRow) {
	next, more := h.link.after(h.calendar, w.pool.now())
	if !more {
		w.pool.logger.Info("series ended, its calendar has no more times", h.attr())
		w.keepRan(h.at, run)
		h.done()
		return
	}
	next.last = lastOf(run, w.pool.now())
	w.storeNext(ctx, h, next, &run)
}

// storeNext stores the next link, if the one at hand still is the last, and removes that. A run is
// noted; a command is none.
func (w *worker) storeNext(ctx context.Context, h *held, next link, run *RanRow) {
	next.follows = 0
	m := w.pool.linkMessage(h.at, next, h.msg.Data())
	expect(m, w.pool.on.any(h.at), h.sequence)
	err := h.untilRoom(ctx, func() error {
		_, err := w.pool.publish(ctx, m)
		return err
	})
	switch {
	case err == nil && h.link.do != doRun:
		w.pool.logger.Debug("command followed", h.attr(), "do", h.link.do, "due", next.due)
	case err == nil:
		w.pool.logger.Debug("armed", h.attr(), "number", next.number, "due", next.due)
	case conflict(err):
		w.pool.logger.Info("next run refused, something newer is there", h.attr(),
			"number", next.number)
		if err := w.stillMine(ctx, h); err != nil {
			h.leave(err) // what is there may be in the hands of the one that has taken it over
			return
		}
	default:
		h.leave(err)
		return
	}
	if run != nil {
		w.keepRan(h.at, *run)
	}
	h.done()
}
