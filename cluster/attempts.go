package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// checkTask decides what becomes of a task that was delivered before: its first worker may have
// ended it, died in it, or never begun it.
func (w *worker) checkTask(h *held) {
	if err := h.check(); err != nil {
		h.leave(err)
		return
	}
	if err := w.countBegun(h.ctx, h); err != nil {
		h.leave(err)
		return
	}
	if h.lost() >= h.task.attempts {
		w.finishTask(h.ctx, h, outcome{abandoned, []byte(h.whyAbandoned())})
		return
	}
	if w.pace(h) && w.quarantine(h) {
		h.admit()
	}
}

// whyAbandoned says why a run is given up whose attempts are used up.
func (h *held) whyAbandoned() string {
	why := fmt.Sprintf("none of %d attempts came to an end", h.lost())
	if instance := instanceOf(h.before); instance != "" {
		why += ", the last one on " + instance
	}
	return why
}

// lost is how many attempts did not come to an end: the others have failed.
func (h *held) lost() int { return h.attempt - 1 - h.failed.number }

// attempts is how often a task was begun. The record of them is of one message: the attempts under
// those before it are in its header.
type attempts struct {
	number int
	worker string // the id of that of the last attempt; empty if it is not known
}

const noWorker = "-"

func (a attempts) String() string {
	if a.worker == "" {
		return fmt.Sprint(a.number, " ", noWorker)
	}
	return fmt.Sprint(a.number, " ", a.worker)
}

// readAttempts reads the text of attempts, and in that of a record the message that it is of: 0 if
// it does not say, as an earlier version has written it.
func readAttempts(text string) (a attempts, sequence uint64, err error) {
	if n, err := fmt.Sscan(text, &a.number, &a.worker, &sequence); n == 0 {
		return a, 0, fmt.Errorf("cluster: attempts that cannot be read: %q: %w", text, err)
	}
	if a.worker == noWorker {
		a.worker = ""
	}
	return a, sequence, nil
}

// headerAttempts has the attempts of what was stored anew.
const headerAttempts = "Punctual-Attempts"

func (a attempts) write(h nats.Header) {
	if a.number > 0 {
		h.Set(headerAttempts, a.String())
	}
}

func carriedAttempts(h nats.Header) (a attempts) {
	if text := h.Get(headerAttempts); text != "" {
		a, _, _ = readAttempts(text) // none are as good as those that cannot be read
	}
	return a
}

// countBegun tells a run how often its task was begun, if it was delivered before. Deliveries would
// not do: a worker that dies takes with it what it held but had not begun, and a task must not be
// given up because it was always in bad company. So an attempt is written down as it begins, but
// for that of the first delivery. This one is taken for granted, unless there is a record: then the
// run was given back.
func (w *worker) countBegun(ctx context.Context, h *held) error {
	begun, err := w.pool.recordedAttempts(ctx, h.at.id(), h.sequence)
	if err != nil {
		return err
	}
	if begun == nil {
		begun = &attempts{number: h.carried.number + 1}
	}
	h.attempt, h.before = begun.number+1, begun.worker
	return nil
}

// recordedAttempts reads the record of a message of a task, nil if there is none.
func (p *Pool) recordedAttempts(
	ctx context.Context, id string, sequence uint64,
) (found *attempts, err error) {
	err = p.persist(ctx, "reading the attempts of a task", func(ctx context.Context) error {
		entry, err := p.bucket.Get(ctx, attemptsKey(id))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		a, of, err := readAttempts(string(entry.Value()))
		if err == nil && (of == sequence || of == 0) {
			found = &a
		}
		return err
	})
	return found, err
}

// noteUnbegun writes down that the first delivery of a message was not begun, unless the message
// has a record: another may have begun it meanwhile.
func (p *Pool) noteUnbegun(ctx context.Context, id string, before attempts, sequence uint64) error {
	text := []byte(before.record(sequence))
	entry, err := p.bucket.Get(ctx, attemptsKey(id))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		_, err = p.bucket.Create(ctx, attemptsKey(id), text)
		return err
	case err != nil:
		return err
	}
	if _, of, err := readAttempts(string(entry.Value())); err != nil || of == sequence || of == 0 {
		return err
	}
	_, err = p.bucket.Update(ctx, attemptsKey(id), text, entry.Revision())
	return err
}

func attemptsKey(id string) string { return "try." + id }

// record is the text of the record of a message.
func (a attempts) record(sequence uint64) string { return fmt.Sprint(a, " ", sequence) }

func (w *worker) countAttempts(ctx context.Context, h *held, a attempts) error {
	return w.pool.persist(ctx, "storing the attempts of a task", func(ctx context.Context) error {
		_, err := w.pool.bucket.PutString(ctx, attemptsKey(h.at.id()), a.record(h.sequence))
		return err
	})
}
