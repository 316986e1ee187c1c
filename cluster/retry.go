package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// A task that is given [Retry] goes on after an attempt that has failed:
//
//	running    -> failed        its function has returned an error, or panicked
//	failed     -> in back-off   an attempt is left: stored anew for that, see restore.go
//	failed     -> over          none is left, or its error is permanent: see failed.go
//	in back-off -> running      at its time, on any worker
//	in back-off -> over         cancelled
//
// What is to know about the attempts before is in the headers of its message. So no process has to
// live through a back-off, however long that is.

// Retry makes a task that has failed be tried again, until so many attempts have failed. Between
// two attempts the task waits in the server, for days if need be, and occupies no worker; any
// process may run the next one. All attempts have the same [Run.ID], and [Run.Attempt] tells them
// apart. The future has the outcome of the last one.
//
// An error is tried again, an exceeded executor.Timeout and a panic too, but not executor.ErrSkipped
// or a payload that cannot be decoded. retry.Permanent and retry.After let the function decide, and
// Backoff.Within counts from when the first attempt that has failed began. Attempts whose worker
// died or was lost come at once, and count for [Attempts] instead. executor.Retry, given by [With],
// tries again within one attempt, in one process; both may be given.
//
// Runs of a series are not tried again, as the next one comes anyway.
func Retry(attempts int, b retry.Backoff) TaskOption {
	return func(t *definition) { t.tries, t.backoff = attempts, b }
}

// storedAnew tells whether the task is one that may be stored anew.
func (t *definition) storedAnew() bool { return t.tries > 1 || t.rate != nil }

func (t *definition) checkRetry() error {
	if t.tries < 1 {
		return fmt.Errorf("%w: task %q: Retry with %d attempts, which is below 1",
			ErrInvalid, t.name, t.tries)
	}
	if err := t.backoff.Validate(); err != nil {
		return fmt.Errorf("%w: task %q: Retry: %w", ErrInvalid, t.name, err)
	}
	return nil
}

// failures are the attempts of a task that have failed.
type failures struct {
	number int
	first  time.Time     // when the first of them began
	wait   time.Duration // the last one
}

// Headers of a task that has failed before.
const (
	headerFailed = "Punctual-Failed" // the failures, as three words
	headerError  = "Punctual-Error"  // the text of the last error
)

func (f failures) String() string {
	return fmt.Sprintf("%d %s %d", f.number, f.first.UTC().Format(time.RFC3339Nano), f.wait)
}

func failuresOf(h nats.Header) (f failures) {
	words := strings.Fields(h.Get(headerFailed))
	if len(words) != 3 {
		return f // none are as good as those that cannot be read
	}
	f.number, _ = strconv.Atoi(words[0])
	f.first, _ = time.Parse(time.RFC3339Nano, words[1])
	ns, _ := strconv.ParseInt(words[2], 10, 64)
	f.wait = time.Duration(ns)
	return f
}

// next tells when the next attempt is due after one that has failed, and the failures by then.
func (h *held) next(err error, now time.Time) (f failures, due time.Time, more bool) {
	f = h.failed
	if f.number++; f.number == 1 {
		if f.first = h.beganAt(); f.first.IsZero() { // it has not begun in time
			f.first = now
		}
	}
	if f.number >= h.task.tries || errors.Is(err, executor.ErrSkipped) {
		return f, due, false
	}
	if f.wait, more = h.task.backoff.Next(f.number, f.wait, err); !more {
		return f, due, false
	}
	due = now.Add(f.wait)
	within := h.task.backoff.Within
	return f, due, due.Before(never) && (within == 0 || due.Sub(f.first) < within)
}

// tryAgain stores a task for its next attempt, if there is one after an attempt that has failed. It
// is false if that was the last.
func (w *worker) tryAgain(ctx context.Context, h *held, failure error) bool {
	f, due, more := h.next(failure, w.pool.now())
	if !more {
		return false
	}
	w.pool.logger.Info("attempt failed, another follows", h.attr(), "attempt", h.attempt,
		"due", due, "error", w.pool.shownError(h.task.name, failure))
	headers := nats.Header{}
	headers.Set(headerFailed, f.String())
	headers.Set(headerError, headerText(string(outcomeOf(nil, failure).data), longestText))
	err := h.storeAnew(ctx, due, attempts{h.attempt, h.worker.id}, headers)
	if errors.Is(err, ErrInvalid) { // with its names and times it is too long for the server
		headers.Del(headerError)
		err = h.storeAnew(ctx, due, attempts{h.attempt, ""}, headers)
	}
	switch {
	case errors.Is(err, ErrInvalid):
		w.pool.logger.Warn("no attempt follows, as the task cannot be stored anew", h.attr(),
			"why", err)
		return false
	case err != nil:
		h.leave(err)
	}
	return true
}
