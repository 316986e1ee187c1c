package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A worker that stops gives back what it holds, and the server delivers that to others at once. If
// the server is in the same process, it stops as well: it has forgotten by its next start that
// something was given back, and waits for the lease of a worker that is gone. So there what is held
// is queued again, as a message that has never been delivered, and the old one is removed:
//
//	held -> queued again    only if it still is the newest of its place
//	     -> removed         and only then
//
// A process that dies in between leaves both. For a series the second replaces the first, as any
// newer message does; a task may be executed twice, as after any death.
func (h *held) queueAgain(ctx context.Context) error {
	p := h.worker.pool
	m, err := h.again()
	if err != nil {
		return err
	}
	if begun := (attempts{h.attempt - 1, h.before}); begun.number > h.carried.number {
		begun.write(m.Header)
	}
	expect(m, p.on.any(h.at), h.sequence)
	if _, err := p.publish(ctx, m); err != nil {
		return err
	}
	_, err = p.takeOut(ctx, h.sequence)
	return err
}

// again is a message that says what the run's own says.
func (h *held) again() (*nats.Msg, error) {
	p := h.worker.pool
	if h.at.series() {
		return p.again(h.at, &jetstream.RawStreamMsg{Header: h.msg.Headers(), Data: h.msg.Data()})
	}
	return p.anew(h.at, h.due, h.msg.Headers(), h.msg.Data(), h.stored()), nil
}

// takeAllBack is takeBack for all tasks. What fails waits for its lease.
func (w *worker) takeAllBack(tasks []*definition) {
	ctx, cancel := context.WithTimeout(w.life, 2*time.Second)
	defer cancel()
	for _, t := range tasks {
		if err := w.takeBack(ctx, t); err != nil {
			w.pool.logger.Debug("runs not queued again", "pool", w.pool.settings.name, "task",
				t.name, "why", err)
		}
	}
}

// takeBack queues again what was given back before, as no worker came free for it, and what nobody
// has taken up since. It comes before all that was never delivered.
func (w *worker) takeBack(ctx context.Context, t *definition) error {
	consumer, err := w.pool.stream.Consumer(ctx, token(t.name))
	if err != nil {
		return err
	}
	for left := consumer.CachedInfo().NumAckPending; left > 0; {
		batch, err := consumer.FetchNoWait(min(left, 256))
		if err != nil {
			return err
		}
		came, again := 0, true
		for m := range batch.Messages() {
			came++
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			h := w.heldOf(t, m, meta)
			if !h.at.series() && meta.NumDelivered > 1 {
				if err := w.countBegun(ctx, h); err != nil {
					return err
				}
			}
			if err := h.queueAgain(ctx); err != nil {
				return err
			}
			again = again && meta.NumDelivered > 1
		}
		if came == 0 || !again {
			return batch.Error()
		}
		left -= came
	}
	return nil
}

// stopsWithServer tells whether the server is in this process, and so ends with it.
func (p *Pool) stopsWithServer() bool { return p.nc.Opts.InProcessServer != nil }

// passOn has another take a run that this process gives back as it stops.
func (h *held) passOn(ctx context.Context) {
	if h.worker.pool.stopsWithServer() {
		err := h.queueAgain(ctx)
		if err == nil || errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return
		}
		h.worker.pool.logger.Debug("run not queued again", h.attr(), "why", err)
	}
	_ = h.msg.Nak() // if it is lost the lease runs out
}
