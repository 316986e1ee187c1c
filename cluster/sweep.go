package cluster

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
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
