package move

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A schedule whose time comes while the snapshot is taken becomes a run, which is behind the end of
// the snapshot; and the schedule may have been removed before it was read. Then the snapshot has
// neither. What was on its way when the queue was frozen is behind the end, too. Both are carried
// over one by one: of places that have less at the destination, what is behind the end.

// carry carries over what came after the snapshot of the queue, which ended with a sequence.
func (m *move) carry(ctx context.Context, copied uint64) error {
	here, err := m.from.places(ctx, m.pool)
	if err != nil {
		return err
	}
	there, err := m.to.places(ctx, m.pool)
	if err != nil {
		return err
	}
	carried := uint64(0)
	for at, n := range here {
		if n <= there[at] {
			continue
		}
		if err := m.carryPlace(ctx, at, copied, n-there[at]); err != nil {
			return err
		}
		carried += n - there[at]
	}
	if carried > 0 {
		m.say("carried over %d messages that have come meanwhile", carried)
	}
	return nil
}

// carryPlace carries over what a place has behind a sequence, which is to be n messages.
func (m *move) carryPlace(ctx context.Context, at string, behind, n uint64) error {
	queue, err := m.from.js.Stream(ctx, queueOf(m.pool))
	if err != nil {
		return err
	}
	any := jetstream.WithGetMsgSubject("punctual." + m.pool + ".*." + at)
	for from := behind + 1; ; n-- {
		msg, err := queue.GetMsg(ctx, from, any)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound) && n == 0:
			return nil
		case errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && n == 0:
			return fmt.Errorf("the snapshot of %s lacks other messages of %s than those that have "+
				"come since", queueOf(m.pool), at)
		case err != nil:
			return err
		}
		if _, err := m.to.js.PublishMsg(ctx, carried(msg)); err != nil {
			return fmt.Errorf("a message of %s cannot be stored at %s: %w", msg.Subject, m.to.name,
				err)
		}
		from = msg.Sequence + 1
	}
}

// ofServer tells whether a header was for the server that has stored its message, or is by it.
func ofServer(name string) bool {
	for _, beginning := range []string{
		"Nats-Expected-", "Nats-Batch-", "Nats-Required-", "Nats-Scheduler", "Nats-Schedule-Next",
	} {
		if strings.HasPrefix(name, beginning) {
			return true
		}
	}
	return false
}

// carried is a message without what was said to the server that has stored it.
func carried(msg *jetstream.RawStreamMsg) *nats.Msg {
	m := &nats.Msg{Subject: msg.Subject, Data: msg.Data, Header: nats.Header{}}
	for name, values := range msg.Header {
		if !ofServer(name) {
			m.Header[name] = values
		}
	}
	return m
}
