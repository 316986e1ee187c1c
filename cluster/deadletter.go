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
	m.Header.Set("Punctual-Why", headerText(why, 1000))
	if instance := instanceOf(h.before); instance != "" {
		m.Header.Set("Punctual-Instance", headerText(instance, 1000))
	}
	_, err := w.pool.publish(ctx, m)
	return err
}

// longestText bounds the text of an error in the header of a task.
const longestText = 400

// headerText is the beginning of a text in the form in which it can stand in a header.
func headerText(s string, most int) string {
	for {
		text := strconv.QuoteToASCII(s[:min(len(s), most)])
		if len(text) <= most || s == "" {
			return text
		}
		s = s[:min(len(s), most)*3/4]
	}
}
