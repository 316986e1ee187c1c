package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

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
