package alerts

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// line is what is sent to one place about one task, in order. The alerter's lock guards it.
//
//	idle -> busy   pushLocked
//	busy -> busy   the first message has ended, and there are others
//	busy -> idle   it was the last
type line struct {
	about   string // for the log: what, not where to
	to      string // a secret
	waiting []message
	busy    bool      // the first of waiting is with the workers
	well    time.Time // of a heartbeat: when the task last succeeded
}

// pushLocked takes a message, or counts it as dropped.
func (a *Alerter) pushLocked(l *line, m message) {
	n := len(l.waiting)
	switch {
	case a.closed:
		a.dropLocked(l, m, errClosed)
	case n > 1 && m.kind != kindAlert && l.waiting[n-1].kind == m.kind:
		l.waiting[n-1] = m // not the first, which is under way
	case n >= a.config.Pending:
		a.dropLocked(l, m, errFull)
	default:
		a.pending++
		l.waiting = append(l.waiting, m)
		if !l.busy {
			l.busy = true
			a.starts = append(a.starts, start{l, m})
		}
	}
}

// start is the first message of a line, which is to be sent now.
type start struct {
	line    *line
	message message
}

// begin has a worker send a message. The lock is not held: the message may have ended before the
// caller goes on.
func (a *Alerter) begin(s start) {
	f, err := a.pool.Submit(
		func(ctx context.Context) error { return a.send(ctx, s.line.to, s.message) },
		executor.Name(s.line.about), executor.Timeout(a.config.Timeout),
		executor.Retry(a.config.Attempts, retry.Backoff{
			Base: time.Second, Max: time.Minute, Spread: retry.EqualSpread,
		}))
	if err != nil {
		a.end(s, err)
		return
	}
	future.AfterSettled(f, func(r future.Result[struct{}]) { a.end(s, r.Err) })
}

// end ends the first message of a line, and begins with the next.
func (a *Alerter) end(s start, err error) {
	a.mu.Lock()
	defer a.unlock()
	l := s.line
	m := l.waiting[0]
	l.waiting[0] = message{}
	l.waiting = l.waiting[1:]
	a.pending--
	if err != nil {
		a.dropLocked(l, m, err)
	} else {
		a.sent++
		m.tell(true)
	}
	if len(l.waiting) > 0 {
		a.starts = append(a.starts, start{l, l.waiting[0]})
		return
	}
	l.busy, l.waiting = false, nil
	if a.pending == 0 && a.idle != nil {
		close(a.idle)
		a.idle = nil
	}
}

// dropLocked counts a message that will not be sent, and has it logged. Of those that are dropped
// for lack of room, or because of Close, the first, second, fourth, eighth … are logged.
func (a *Alerter) dropLocked(l *line, m message, err error) {
	a.dropped++
	refused := err == errFull || err == errClosed || errors.Is(err, executor.ErrShutdown)
	if refused {
		a.refused++
	}
	if !refused || a.refused&(a.refused-1) == 0 {
		a.logs = append(a.logs, []slog.Attr{slog.String("about", l.about),
			slog.String("kind", m.kind), slog.Any("error", err), slog.Uint64("dropped", a.dropped)})
	}
	m.tell(false)
}

// unlock unlocks the alerter, and does what it must not do before: the handler of the log is the
// user's, and what is submitted may end at once.
func (a *Alerter) unlock() {
	starts, logs := a.starts, a.logs
	a.starts, a.logs = nil, nil
	a.mu.Unlock()
	for _, attrs := range logs {
		a.log("alerts: message dropped", attrs...)
	}
	for _, s := range starts {
		a.begin(s)
	}
}

// log writes an error. How the handler fails is dropped.
func (a *Alerter) log(text string, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	a.config.Logger.LogAttrs(context.Background(), slog.LevelError, text, attrs...)
}
