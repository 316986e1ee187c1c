package cluster

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// The ledger knows each accepted task until it has an outcome, and each series until it ends. It is
// a stream of its own: the queue has lost messages by a fault of the server, see cancel.go, and
// that will not have been its last.
//
//	nothing -> entered    before Submit returns, at the same time as the message is queued
//	entered -> struck     the task has its outcome, and its message is still on the queue
//	struck  -> nothing    after strikeKept
//
// So a task that is entered, and that the queue does not have, has been lost, or its submission has
// failed half-way. Either way it is queued again, see sweep.go. An entry has the payload and the
// time of its task. Only an outcome ends it.
//
// The entry of a series is a copy of the newest message of its place, with the sequence that this
// has on the queue, and a tombstone is a strike:
//
//	nothing, or an older message -> a newer one    by its author; late copies are dropped
//
// A declaration is accepted when its entry is there. The entry of a later link, and the strike of
// a tombstone, come before what they follow is acknowledged.

// strikeKept is how long a strike stays, so that an entry which comes after it is refused: the two
// messages of a submission do not wait for each other.
const strikeKept = 10 * time.Second

// enter makes the ledger know a task.
func (p *Pool) enter(ctx context.Context, at place, due time.Time, payload []byte) error {
	m := nats.NewMsg(p.on.todo(at))
	m.Data = payload
	if !due.IsZero() {
		m.Header.Set(headerDue, due.UTC().Format(time.RFC3339Nano))
	}
	expect(m, m.Subject, 0)
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	if err := p.entries.publish(ctx, m); !conflict(err) {
		return err
	}
	return nil // entered already, or even struck
}

// strike tells the ledger that a task has its outcome.
func (p *Pool) strike(ctx context.Context, at place) error {
	m := nats.NewMsg(p.on.todo(at))
	m.Header.Set(headerEnd, "1")
	m.Header.Set(jetstream.MsgTTLHeader, strikeKept.String())
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	return p.entries.publish(ctx, m)
}

// accept queues a task and enters it.
func (p *Pool) accept(
	ctx context.Context, at place, id string, due time.Time, payload []byte,
) error {
	m := p.message(at, due)
	m.Data = payload
	m.Header.Set(jetstream.MsgIDHeader, id)
	entered := make(chan error, 1)
	go func() { entered <- p.enter(ctx, at, due, payload) }()
	err := p.submissions.publish(ctx, m)
	entering := <-entered
	switch {
	case err == nil:
		return entering
	case entering == nil && !uncertain(err):
		// If this fails as well the task is queued after all, which the error does not rule out.
		_ = p.strike(ctx, at)
	}
	return err
}

// headerAt is, in the entry of a series, the sequence of its message on the queue.
const headerAt = "Punctual-At"

// seriesStruck is for how long the strike of a series refuses what comes late.
const seriesStruck = 24 * time.Hour

// note copies the newest message of a series to the ledger, unless that has a newer one. If it is
// the last of the series it makes a strike of it.
func (p *Pool) note(ctx context.Context, m *nats.Msg, sequence uint64, last bool) error {
	at := p.on.placeOfAny(m.Subject)
	for {
		was, err := p.entry(ctx, at)
		if err != nil || sequenceAt(was) > sequence {
			return err
		}
		entry := nats.NewMsg(p.on.todo(at))
		if last || isTombstone(m.Header) {
			entry.Header.Set(headerEnd, "1")
			entry.Header.Set(jetstream.MsgTTLHeader, seriesStruck.String())
		} else {
			copyLink(entry, m)
		}
		entry.Header.Set(headerAt, strconv.FormatUint(sequence, 10))
		entry.Header.Set(jetstream.MsgIDHeader, nuid.Next())
		expect(entry, entry.Subject, sequenceOf(was))
		if err := p.entries.publish(ctx, entry); !conflict(err) {
			return err
		}
	}
}

// copyLink copies what a message says of a series, but not what it says to the server.
func copyLink(to, from *nats.Msg) {
	to.Data = from.Data
	for name, values := range from.Header {
		if strings.HasPrefix(name, "Punctual-") && name != headerAt {
			to.Header[name] = values
		}
	}
}

// entry returns the ledger's last message of a place, nil if there is none.
func (p *Pool) entry(ctx context.Context, at place) (m *jetstream.RawStreamMsg, err error) {
	err = p.persist(ctx, "reading the ledger", func(ctx context.Context) (err error) {
		m, err = p.ledger.GetLastMsgForSubject(ctx, p.on.todo(at))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}

// sequenceAt is which message of the queue an entry is of.
func sequenceAt(entry *jetstream.RawStreamMsg) uint64 {
	if entry == nil {
		return 0
	}
	n, _ := strconv.ParseUint(entry.Header.Get(headerAt), 10, 64) // none: older than all
	return n
}
