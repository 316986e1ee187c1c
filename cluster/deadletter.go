package cluster

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bury keeps the payload of a run that is given up.
func (w *worker) bury(ctx context.Context, h *held, id, why string) error {
	w.pool.logger.Error("run abandoned", h.attr(), "why", why)
	m := nats.NewMsg(w.pool.on.dead(h.task.name, id))
	m.Data = h.msg.Data()
	m.Header.Set(jetstream.MsgIDHeader, fmt.Sprint(id, "@", h.sequence))
	m.Header.Set("Punctual-Task", h.task.name)
	m.Header.Set("Punctual-Why", headerText(why))
	if instance := instanceOf(h.before); instance != "" {
		m.Header.Set("Punctual-Instance", headerText(instance))
	}
	_, err := w.pool.publish(ctx, m)
	return err
}

// headerText is text that can stand in a header.
func headerText(s string) string { return strconv.QuoteToASCII(s[:min(len(s), 1000)]) }
