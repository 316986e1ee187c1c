package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Figures are numbers that the bucket keeps, by their keys. They do not age.
const (
	figureSweeps = "sweeps" // how often the queue was swept, and when that was done last
	figureHealed = "healed" // how many messages were healed
)

// figure reads a number, 0 if there is none yet, and the message that has it.
func (p *Pool) figure(
	ctx context.Context, key string,
) (m jetstream.RawStreamMsg, n uint64, err error) {
	err = p.persist(ctx, "reading a figure", func(ctx context.Context) error {
		stored, err := p.kept.GetLastMsgForSubject(ctx, p.results.subject(key))
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
func (p *Pool) setFigure(ctx context.Context, key string, n, last uint64) error {
	m := nats.NewMsg(p.results.subject(key))
	m.Data = strconv.AppendUint(nil, n, 10)
	m.Header.Set(jetstream.MsgTTLHeader, "never")
	expect(m, m.Subject, last)
	_, err := p.publish(ctx, m)
	return err
}
