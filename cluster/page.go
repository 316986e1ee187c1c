package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A list reads what is stored, and changes nothing. It goes through the queue in the order in which
// the server has stored that, by a consumer of its own, which acknowledges nothing and is forgotten
// when nobody asks it any more.
//
// The server makes a consumer of everything at once, whatever there is. One of some subjects it
// makes by looking at each subject that matches: 15 ms for 50,000, 300 ms for a million, and as
// much again for the first message. So what is common is looked for among all, and only what is
// rare by its subject.

// glance is how long a list's consumer stays when nobody asks it.
const glance = 5 * time.Second

// view is a list's look at the messages of a stream from a sequence on.
type view struct {
	consumer jetstream.Consumer
	pending  uint64 // how many match that were not read
	number   uint64 // how many were
}

// open begins to look at the messages of some subjects, all of them for none.
func openView(
	ctx context.Context, stream jetstream.Stream, from uint64, headers bool, subjects ...string,
) (*view, error) {
	consumer, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		// Not FilterSubject: processes of earlier versions take a consumer with one for that of a task.
		FilterSubjects:    subjects,
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       max(from, 1),
		AckPolicy:         jetstream.AckNonePolicy,
		HeadersOnly:       headers,
		InactiveThreshold: glance,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return nil, err
	}
	return &view{consumer: consumer, pending: consumer.CachedInfo().NumPending}, nil
}

// next returns up to n messages more, none at the end. What is removed meanwhile does not come.
func (v *view) next(ctx context.Context, n int) (list []seen, err error) {
	for v.pending > 0 && len(list) == 0 && ctx.Err() == nil {
		want := int(min(uint64(n), v.pending))
		if list, err = v.fetch(want); len(list) == want || err != nil {
			return list, err
		}
		// It has less than it has said, or a busy server takes long.
		info, err := v.consumer.Info(ctx)
		if err != nil {
			return nil, err
		}
		if v.pending = info.NumPending; info.Delivered.Consumer != v.number {
			return nil, fmt.Errorf("%w: %w", errUndecided, errMissed)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return list, nil
}

func (v *view) fetch(n int) (list []seen, err error) {
	batch, err := v.consumer.FetchNoWait(n)
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		meta, err := m.Metadata()
		if err != nil {
			return nil, err
		}
		if v.number++; meta.Sequence.Consumer != v.number {
			return nil, fmt.Errorf("%w: %w", errUndecided, errMissed)
		}
		v.pending = meta.NumPending
		list = append(list, seen{m.Subject(), m.Headers(), m.Data(), meta.Sequence.Stream, meta.Timestamp})
	}
	return list, batch.Error()
}

// seen is a message as a list sees it.
type seen struct {
	subject  string
	header   nats.Header
	data     []byte // none of a view of headers
	sequence uint64
	stored   time.Time
}

const (
	// rare is how many messages the server looks for in some milliseconds.
	rare = 20_000
	// mostScanned is how many messages a list goes through in search of those that match, before
	// it has the server look for them.
	mostScanned = 8192
	// worthOne is how many the server looks for in the time in which one is gone through, and more.
	worthOne = 32
	// mostRead is how many it goes through that match, for one page.
	mostRead = 16384
	// scanned is how many of them it asks for at a time.
	scanned = 1024
)

// scan calls take with the messages of the queue from a sequence on that match a subject, in their
// order, until it wants no more. expected is how many match, about. next is where to go on; 0 at the
// end.
func (p *Pool) scan(
	ctx context.Context, subject string, from, expected uint64, take func(seen) (more bool),
) (next uint64, err error) {
	if expected > rare {
		next, over, err := p.scanAll(ctx, subject, from, expected, take)
		if over || err != nil {
			return next, err
		}
		from = next
	}
	v, err := openView(ctx, p.stream, from, true, subject)
	if err != nil {
		return 0, err
	}
	for read, n := 0, firstRead; v.pending > 0; n = scanned {
		list, err := v.next(ctx, n)
		if err != nil {
			return 0, err
		}
		for _, m := range list {
			if !take(m) {
				return m.sequence + 1, nil
			}
		}
		if read += len(list); read >= mostRead {
			return list[len(list)-1].sequence + 1, nil
		}
	}
	return 0, nil
}

// firstRead is how many messages a list asks for first: a page, as a rule, and what tells whether
// another follows.
const firstRead = 128

// scanAll is scan among all messages. over tells that it is through, or has enough.
func (p *Pool) scanAll(
	ctx context.Context, subject string, from, expected uint64, take func(seen) bool,
) (next uint64, over bool, err error) {
	v, err := openView(ctx, p.stream, from, true)
	if err != nil {
		return 0, false, err
	}
	next = from
	most := max(mostScanned, int(expected/worthOne))
	for read, n := 0, firstRead; read < most && v.pending > 0; n = scanned {
		list, err := v.next(ctx, n)
		if err != nil {
			return 0, false, err
		}
		for _, m := range list {
			next = m.sequence + 1
			if matches(subject, m.subject) && !take(m) {
				return next, true, nil
			}
		}
		read += len(list)
	}
	if v.pending == 0 {
		return 0, true, nil
	}
	return next, false, nil
}

// list is persist for a list: step begins it, and begins it anew if the server that has had its
// consumer is gone.
func (p *Pool) list(ctx context.Context, what string, step func(context.Context) error) error {
	err := p.part.open()
	if err == nil {
		err = p.persist(ctx, "listing "+what, func(ctx context.Context) error {
			err := step(ctx)
			if errors.Is(err, jetstream.ErrConsumerNotFound) ||
				errors.Is(err, jetstream.ErrConsumerDeleted) {
				err = fmt.Errorf("%w: %w", errUndecided, err)
			}
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("cluster: pool %q: listing %s: %w", p.settings.name, what, err)
	}
	return nil
}
