package cluster

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A task that has to wait again, as its attempt has failed or a limit has no room for it, is stored
// anew for its time, in place of the message that a worker holds:
//
//	held -> stored anew    only if it still is the newest message of its place
//	     -> removed        and only then
//
// While it waits it occupies nothing: no worker, no place in a window, no lease. It is as any task
// that waits for its time, so Cancel, Once, the sweep and a move treat it as such.
//
// A process that dies in between leaves both messages. Then the newest counts: a worker that gets
// the older one drops it, see replaced. If a cancellation comes in between, the new message may stay
// behind, so the worker that has stored it looks at the outcome once more.

// headerPlanned is when a task was to run that was stored anew for another time.
const headerPlanned = "Punctual-Planned"

// ofTask tells whether a header belongs to a task, whichever of its messages has it.
func ofTask(name string) bool {
	return strings.HasPrefix(name, "Punctual-") && name != headerDue
}

// anew is a message that has a task run at a time, with all that another message says of it. That
// one was stored at a time, for which the task counts if it was to run at once.
func (p *Pool) anew(
	at place, due time.Time, was nats.Header, payload []byte, stored time.Time,
) *nats.Msg {
	m := p.message(at, due)
	m.Data = payload
	for name, values := range was {
		if ofTask(name) {
			m.Header[name] = values
		}
	}
	planned := dueOf(was)
	if planned.IsZero() {
		planned = stored
	}
	if was.Get(headerPlanned) == "" && !planned.IsZero() && !planned.Equal(due) {
		m.Header.Set(headerPlanned, planned.UTC().Format(time.RFC3339Nano))
	}
	return m
}

func plannedOf(h nats.Header) time.Time {
	planned, _ := time.Parse(time.RFC3339Nano, h.Get(headerPlanned)) // none: it is the due time
	return planned
}

// storeAnew has a task run at a later time, instead of now, and releases the run. The new message
// says how often the task was begun, and what is in more. If the old one is not the newest any more,
// that one counts, and nothing is stored. If it fails the run is still held.
func (h *held) storeAnew(
	ctx context.Context, due time.Time, begun attempts, more nats.Header,
) error {
	p := h.worker.pool
	m := p.anew(h.at, due, h.msg.Headers(), h.msg.Data(), h.stored())
	m.Header.Del(headerReserved) // which was of the old time
	begun.write(m.Header)
	for name, values := range more {
		m.Header[name] = values
	}
	expect(m, p.on.any(h.at), h.sequence)
	err := h.untilRoom(ctx, func() error {
		_, err := p.publish(ctx, m)
		return err
	})
	switch {
	case conflict(err):
		p.logger.Info("not stored anew, something newer is there", h.attr())
	case err != nil:
		return err
	default:
		p.logger.Debug("stored anew", h.attr(), "attempt", begun.number, "due", due)
		h.takeOutIfOver(ctx)
	}
	h.done()
	return nil
}

// takeOutIfOver takes out what was stored anew for a task that has an outcome by now. If it fails a
// worker drops it at its time.
func (h *held) takeOutIfOver(ctx context.Context) {
	p := h.worker.pool
	_, ended, err := p.results.recorded(ctx, h.at.id())
	if err == nil && ended {
		err = p.takeOutTask(ctx, h.at)
	}
	if err != nil {
		p.logger.Debug("a task that is over may stay until its time", h.attr(), "why", err)
	}
}

// replaced tells that another message is in place of a task's. Only what was delivered before, or
// is stored anew by those who run it, can have left two.
func (h *held) replaced() (bool, error) {
	if h.delivered == 1 && !h.task.storedAnew() {
		return false, nil
	}
	newest, err := h.worker.pool.last(h.ctx, h.worker.pool.on.any(h.at))
	return sequenceOf(newest) > h.sequence, err
}

// stored is when the message of a run was stored.
func (h *held) stored() time.Time {
	meta, err := h.msg.Metadata()
	if err != nil {
		return time.Time{}
	}
	return meta.Timestamp
}

// scheduled is when the run was planned.
func (h *held) scheduled() time.Time {
	switch {
	case !h.planned.IsZero():
		return h.planned
	case !h.due.IsZero():
		return h.due
	}
	return h.stored()
}
