package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// The sweep compares the ledger with the queue, and queues again what has been lost. One process at
// a time does so, a piece of the ledger each sweepEvery: what is pending is passed once in a while,
// at a cost that does not grow with it.
//
//	entered, young, or its time has just come   -> left
//	entered, and on the queue                   -> left
//	entered, not on the queue, with an outcome  -> struck: a process died in between
//	entered, not on the queue, without outcome  -> healed: queued again, told and counted
//
// With one server a message that the queue has lost can stay stored: it is below what the consumer
// takes for acknowledged, and is not delivered again. That is not on the queue, either; it is
// removed once its successor is stored.
//
// All is asked of the leaders, and in this order: what is acknowledged up to where, the queue, the
// outcomes. A task leaves the queue after its outcome is stored and its entry is struck, so what
// runs, or has just ended, is never taken for lost. A server that is cut off and still believes
// to lead may answer wrongly. That does no harm: the new message is refused by any newer one of its
// task, and a worker asks for the outcome before it begins.
const (
	sweepEvery = 10 * time.Second
	// elections is for how long what is due is left alone beyond its lease.
	elections = 10 * time.Second
	mostSwept = 5_000 // entries in a piece
	mostAsked = 500   // questions about them
)

// sweeper sweeps a pool's ledger.
type sweeper struct {
	pool      *Pool
	consumers map[string]consumed // of the queue, by the token of the task; for one piece
	asked     int
}

// consumed is what a consumer has done.
type consumed struct {
	lease time.Duration
	floor uint64 // what is up to here counts as acknowledged
}

// sweep sweeps the ledger until ctx ends.
func (p *Pool) sweep(ctx context.Context) {
	for sleep(ctx, sweepEvery); ctx.Err() == nil; sleep(ctx, sweepEvery) {
		s := &sweeper{pool: p, consumers: map[string]consumed{}}
		if err := s.piece(ctx); err != nil && ctx.Err() == nil {
			p.logger.Warn("the ledger could not be swept", "pool", p.settings.name, "error", err)
		}
	}
}

// piece sweeps the next piece, if it is this process's turn. The record of the turn says where that
// begins, and changes by compare-and-set.
func (s *sweeper) piece(ctx context.Context) error {
	turn, from, err := s.pool.figure(ctx, s.pool.on.sweep())
	if err != nil || s.pool.now().Sub(turn.Time) < sweepEvery {
		return err
	}
	taken, err := s.pool.setFigure(ctx, s.pool.on.sweep(), from, turn.Sequence)
	if conflict(err) {
		return nil // another process's turn
	}
	if err != nil {
		return err
	}
	next, err := s.pass(ctx, from)
	if err != nil {
		return err
	}
	_, err = s.pool.setFigure(ctx, s.pool.on.sweep(), next, taken)
	return err
}

// pass looks at the entries from a sequence on, and returns where to go on; 0 is the beginning.
func (s *sweeper) pass(ctx context.Context, from uint64) (next uint64, err error) {
	consumer, err := s.pool.ledger.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject:     s.pool.on.allTodo(),
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       max(from, 1),
		AckPolicy:         jetstream.AckNonePolicy,
		HeadersOnly:       true,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: 30 * time.Second,
	})
	if err != nil {
		return from, err
	}
	defer func() { // if it fails the consumer ends by itself
		_ = s.pool.ledger.DeleteConsumer(ctx, consumer.CachedInfo().Name)
	}()
	pending := consumer.CachedInfo().NumPending
	if pending == 0 {
		return 0, nil
	}
	some := int(min(pending, mostSwept))
	batch, err := consumer.Fetch(some, jetstream.FetchMaxWait(5*time.Second))
	if err != nil {
		return from, err
	}
	next = from
	for m := range batch.Messages() {
		meta, err := m.Metadata()
		if err != nil {
			return next, err
		}
		if !isTombstone(m.Headers()) {
			at := s.pool.on.placeOfTodo(m.Subject())
			if err := s.look(ctx, at, meta.Timestamp, dueOf(m.Headers())); ctx.Err() != nil {
				return next, err
			} else if err != nil { // it must not keep the others from being looked at
				s.pool.logger.Warn("an entry of the ledger could not be looked at", "pool",
					s.pool.settings.name, "task", nameOf(at.task()), "id", at.id(), "error", err)
			}
		}
		next = meta.Sequence.Stream + 1
		if s.asked >= mostAsked {
			return next, nil
		}
	}
	if pending > mostSwept {
		return next, batch.Error()
	}
	return 0, batch.Error()
}

// look looks at one entry.
func (s *sweeper) look(ctx context.Context, at place, entered, due time.Time) error {
	if due.Before(entered) {
		due = entered
	}
	now := s.pool.now()
	if now.Sub(due) < elections {
		return nil
	}
	of, err := s.consumer(ctx, at.task())
	if err != nil || now.Sub(due) < elections+of.lease {
		return err
	}
	s.asked++
	if at.series() {
		return s.lookAtSeries(ctx, at, of)
	}
	queued, err := s.pool.last(ctx, s.pool.on.any(at))
	if err != nil || queued != nil && !s.forgotten(queued, of) {
		return err
	}
	switch _, ended, err := s.pool.results.recorded(ctx, at.id()); {
	case err != nil:
		return err
	case ended:
		return s.pool.strike(ctx, at)
	}
	return s.pool.healTask(ctx, at, sequenceOf(queued))
}

// forgotten tells that a message is stored which the consumer takes for acknowledged.
func (s *sweeper) forgotten(m *jetstream.RawStreamMsg, of consumed) bool {
	return strings.HasPrefix(m.Subject, s.pool.on.prefix+"run.") && m.Sequence <= of.floor
}

// lookAtSeries looks at the first message of its queue, behind which all others wait, and heals the
// series if that is forgotten or if there is none at all.
func (s *sweeper) lookAtSeries(ctx context.Context, at place, of consumed) error {
	first, err := s.pool.following(ctx, s.pool.on.run(at), 1)
	if err != nil || first != nil && !s.forgotten(first, of) {
		return err
	}
	newest, err := s.pool.last(ctx, s.pool.on.any(at))
	if err != nil || newest != nil && first == nil {
		return err // a schedule
	}
	return s.pool.healSeries(ctx, at, first, newest)
}

// consumer tells what the consumer of a task has done. A task that nobody has served yet has none.
func (s *sweeper) consumer(ctx context.Context, task string) (consumed, error) {
	of, known := s.consumers[task]
	if known {
		return of, nil
	}
	consumer, err := s.pool.stream.Consumer(ctx, task)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
	case err != nil:
		return of, err
	default:
		info := consumer.CachedInfo()
		of = consumed{info.Config.AckWait, info.AckFloor.Stream}
	}
	s.consumers[task] = of
	return of, nil
}

// healTask queues a task again that was lost. forgotten is the sequence of its message, if that is
// stored.
func (p *Pool) healTask(ctx context.Context, at place, forgotten uint64) error {
	entry, err := p.entry(ctx, at)
	if err != nil || entry == nil || isTombstone(entry.Header) {
		return err // it has ended meanwhile
	}
	m := p.message(at, dueOf(entry.Header))
	m.Data = entry.Data
	expect(m, p.on.any(at), forgotten)
	if _, err := p.publish(ctx, m); err != nil {
		return unlessConflict(err)
	}
	return p.healed(ctx, at, forgotten)
}

// healSeries stores again what has been forgotten of a series, or if nothing is left of it the
// newest message that the ledger has. What is forgotten and has others behind it is just removed:
// they say how the series goes on.
func (p *Pool) healSeries(
	ctx context.Context, at place, first, newest *jetstream.RawStreamMsg,
) error {
	if sequenceOf(first) != sequenceOf(newest) {
		return p.healed(ctx, at, first.Sequence)
	}
	entry, err := p.entry(ctx, at)
	if err != nil || entry == nil || isTombstone(entry.Header) {
		return err // it has ended meanwhile
	}
	if first != nil {
		entry = first
	}
	m, err := p.again(at, entry)
	if err != nil {
		return err
	}
	expect(m, p.on.any(at), sequenceOf(newest))
	sequence, err := p.publish(ctx, m)
	if err != nil {
		return unlessConflict(err)
	}
	if err := p.note(ctx, m, sequence, false); err != nil {
		return err
	}
	return p.healed(ctx, at, sequenceOf(newest))
}

// again is a message that says what a message of a series said.
func (p *Pool) again(at place, was *jetstream.RawStreamMsg) (*nats.Msg, error) {
	m := p.command(at)
	if isTombstone(was.Header) {
		m.Header.Set(headerEnd, "1")
		return m, nil
	}
	l, err := readLink(was.Header)
	if err != nil {
		return nil, err
	}
	l.follows = 0
	if l.do == doRun {
		return p.linkMessage(at, l, was.Data), nil
	}
	m.Data = was.Data
	l.write(m.Header)
	return m, nil
}

// unlessConflict is nil if another process was first.
func unlessConflict(err error) error {
	if conflict(err) {
		return nil
	}
	return err
}

// healed tells and counts what was healed, and removes the message that was forgotten, if any.
func (p *Pool) healed(ctx context.Context, at place, forgotten uint64) error {
	p.logger.Error("an accepted task was not on the queue any more, and is queued again",
		"pool", p.settings.name, "task", nameOf(at.task()), "id", at.id(), "forgotten", forgotten)
	if forgotten != 0 {
		if _, err := p.takeOut(ctx, forgotten); err != nil {
			return err
		}
	}
	return p.countHealed(ctx)
}

func (p *Pool) countHealed(ctx context.Context) error {
	for {
		stored, healed, err := p.figure(ctx, p.on.healed())
		if err != nil {
			return err
		}
		if _, err = p.setFigure(ctx, p.on.healed(), healed+1, stored.Sequence); !conflict(err) {
			return err
		}
	}
}

// figure reads a number that the ledger keeps, 0 if there is none yet, and the message that has it.
func (p *Pool) figure(
	ctx context.Context, subject string,
) (m jetstream.RawStreamMsg, n uint64, err error) {
	err = p.persist(ctx, "reading the ledger", func(ctx context.Context) error {
		stored, err := p.ledger.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if m = *stored; m.Data != nil {
			n, err = strconv.ParseUint(string(m.Data), 10, 64)
		}
		if err != nil {
			err = fmt.Errorf("cluster: a figure that cannot be read: %q: %w", m.Data, err)
		}
		return err
	})
	return m, n, err
}

// setFigure stores a number, if it was last stored at a sequence.
func (p *Pool) setFigure(ctx context.Context, subject string, n, last uint64) (uint64, error) {
	m := nats.NewMsg(subject)
	m.Data = strconv.AppendUint(nil, n, 10)
	expect(m, subject, last)
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	return p.publish(ctx, m)
}
