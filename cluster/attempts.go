package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	begun, err := w.attemptsBegun(h.ctx, h.at.id())
	if err != nil {
		h.leave(err)
		return
	}
	h.attempt, h.before = begun.number+1, begun.worker
	if h.attempt > h.task.attempts {
		w.finishTask(h.ctx, h, outcome{abandoned, []byte(h.whyAbandoned())})
		return
	}
	if w.quarantine(h) {
		h.admit()
	}
}

// whyAbandoned says why a run is given up whose attempts are used up.
func (h *held) whyAbandoned() string {
	why := fmt.Sprintf("none of %d attempts came to an end", h.attempt-1)
	if instance := instanceOf(h.before); instance != "" {
		why += ", the last one on " + instance
	}
	return why
}

// attempts is the record of how often a task was begun.
type attempts struct {
	number int
	worker string // the id of that of the last attempt; empty if it is not known
}

func (a attempts) String() string { return strings.TrimSpace(fmt.Sprint(a.number, " ", a.worker)) }

func readAttempts(text string) (a attempts, err error) {
	if n, err := fmt.Sscan(text, &a.number, &a.worker); n == 0 {
		return a, fmt.Errorf("cluster: attempts that cannot be read: %q: %w", text, err)
	}
	return a, nil
}

// headerAttempts has the attempts of a run of a series that was stored anew.
const headerAttempts = "Punctual-Attempts"

func (a attempts) write(h nats.Header) {
	if a.number > 0 {
		h.Set(headerAttempts, a.String())
	}
}

func carriedAttempts(h nats.Header) (a attempts) {
	if text := h.Get(headerAttempts); text != "" {
		a, _ = readAttempts(text) // none are as good as those that cannot be read
	}
	return a
}

// attemptsBegun tells how often a task was begun that was delivered before. Deliveries would not
// do: a worker that dies takes with it what it held but had not begun, and a task must not be given
// up because it was always in bad company. So an attempt is written down as it begins, but for that
// of the first delivery. This one is taken for granted, unless there is a record: then the run was
// given back.
func (w *worker) attemptsBegun(ctx context.Context, id string) (a attempts, err error) {
	err = w.pool.persist(ctx, "reading the attempts of a task", func(ctx context.Context) error {
		entry, err := w.pool.bucket.Get(ctx, attemptsKey(id))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			a.number = 1
			return nil
		}
		if err == nil {
			a, err = readAttempts(string(entry.Value()))
		}
		return err
	})
	return a, err
}

func attemptsKey(id string) string { return "try." + id }

func (w *worker) countAttempts(ctx context.Context, h *held, a attempts) error {
	return w.pool.persist(ctx, "storing the attempts of a task", func(ctx context.Context) error {
		_, err := w.pool.bucket.PutString(ctx, attemptsKey(h.at.id()), a.String())
		return err
	})
}
