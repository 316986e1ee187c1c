package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A letter is the message of the failed set that keeps a task, or a run of a series: its payload,
// and in its headers what is to know of its end. Beside those here they say when it was planned, and
// how often and by whom it was tried.
const (
	headerWhy      = "Punctual-Why"
	headerKind     = "Punctual-Kind"
	headerInstance = "Punctual-Instance"
	headerRedriven = "Punctual-Redriven" // the ID of the failed task in whose place it is
)

// Why a task is in the failed set.
const (
	kindError       = "error"
	kindPanic       = "panic"
	kindAbandoned   = "abandoned"
	kindUndecodable = "undecodable"
)

// failure tells whether an outcome is one.
func (o outcome) failure() bool { return o.kind != succeeded && o.kind != cancelled }

// kindOf is why the task of a run has failed for good.
func (h *held) kindOf(o outcome) string {
	switch {
	case o.kind == panicked:
		return kindPanic
	case o.kind == failed:
		return kindError
	case h.body.Load() == begun:
		return kindUndecodable
	}
	return kindAbandoned
}

// last is the attempts of a run that has failed for good. One that is abandoned has not begun.
func (h *held) last(kind string) attempts {
	if kind == kindAbandoned {
		return attempts{h.attempt - 1, h.before}
	}
	return attempts{h.attempt, h.worker.id}
}

// letter is what is kept of a run that has failed for good, with so much of the text as fits.
func (h *held) letter(id, kind, why string, most int) *nats.Msg {
	m := nats.NewMsg(h.worker.pool.on.dead(h.task.name, id))
	m.Data = h.msg.Data()
	for name, values := range h.msg.Headers() {
		if name == headerRedriven {
			m.Header[name] = values
		}
	}
	m.Header.Set(jetstream.MsgIDHeader, fmt.Sprint(id, "@", fence(h.sequence, h.delivered)))
	m.Header.Set(headerKind, kind)
	m.Header.Set(headerWhy, headerText(why, most))
	m.Header.Set(headerPlanned, h.scheduled().UTC().Format(time.RFC3339Nano))
	last := h.last(kind)
	last.write(m.Header)
	if instance := instanceOf(last.worker); instance != "" {
		m.Header.Set(headerInstance, headerText(instance, 1000))
	}
	return m
}

// keepFailed stores a run that has failed for good in the failed set. What cannot be kept there is
// logged, and must not keep the run from its end.
func (w *worker) keepFailed(ctx context.Context, h *held, id, kind, why string) error {
	var err error
	for _, most := range []int{1000, 200, 100, 0} {
		m := h.letter(id, kind, why, most)
		if err = w.storeLetter(ctx, h, m); !errors.Is(err, ErrInvalid) {
			break // otherwise it is too long for the server
		}
	}
	if errors.Is(err, ErrInvalid) || errors.Is(err, ErrPermission) || errors.Is(err, errNoSet) {
		w.pool.logger.Error("a failed task could not be kept", h.attr(), "why", err)
		return nil
	}
	return err
}

var errNoSet = errors.New("cluster: the stream of the failed set is not there")

// storeLetter stores a letter, unless there is no stream for it: one that has been deleted is as
// silent as one without a leader. A task has one letter, so one that another attempt has stored is
// replaced.
func (w *worker) storeLetter(ctx context.Context, h *held, m *nats.Msg) error {
	if !h.at.series() { // whose runs have the same numbers when it is begun anew
		expect(m, m.Subject, 0)
	}
	for {
		attempt, cancel := context.WithTimeout(ctx, elections)
		err := h.untilRoom(attempt, func() error { return w.pool.letters.publish(attempt, m) })
		cancel()
		if conflict(err) {
			if !w.dropLetter(ctx, h) {
				return nil // that one is as good
			}
			continue
		}
		if !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrFull) ||
			ctx.Err() != nil || givenBack(context.Cause(h.ctx)) {
			return err
		}
		_, err = w.pool.js.Stream(ctx, w.pool.deadName())
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return errNoSet
		}
	}
}

// dropLetter removes what an attempt has kept of a task that has not failed for good after all: it
// was begun again, or cancelled, before its outcome was recorded. If that fails it stays in the set
// until it is discarded, or too old.
func (w *worker) dropLetter(ctx context.Context, h *held) (dropped bool) {
	p := w.pool
	if p.mayNotDrop.Load() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	ctx, done := p.whileAllowed(ctx, p.deadName())
	defer done()
	m, err := p.dead.GetLastMsgForSubject(ctx, p.on.dead(h.task.name, h.at.id()))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return true
	}
	if err == nil {
		_, err = p.remove(ctx, p.dead, m.Sequence)
	}
	if err == nil {
		return true
	}
	if errors.Is(context.Cause(ctx), ErrPermission) {
		p.mayNotDrop.Store(true)
	}
	p.logger.Warn("a task may stay in the failed set that does not belong there", h.attr(), "why", err)
	return false
}

// readFailed reads a letter.
func (p *Pool) readFailed(subject string, h nats.Header, payload []byte) Failed {
	task, id, _ := strings.Cut(strings.TrimPrefix(subject, p.on.prefix+"dead."), ".")
	last := carriedAttempts(h)
	f := Failed{Task: nameOf(task), ID: id, Kind: h.Get(headerKind), Error: textOf(h.Get(headerWhy)),
		Attempts: last.number, Instance: textOf(h.Get(headerInstance)), Planned: plannedOf(h),
		RedriveOf: h.Get(headerRedriven), Payload: payload}
	if rest, ok := strings.CutPrefix(id, "s."); ok {
		name, number, _ := strings.Cut(rest, ".")
		f.Series = nameOf(name)
		f.Number, _ = strconv.ParseUint(number, 10, 64)
	}
	if f.Kind == "" { // an earlier version has kept it, which kept no others
		f.Kind = kindAbandoned
	}
	return f
}

// longestText bounds the text of an error in the header of a task.
const longestText = 400

// headerText is the beginning of a text in the form in which it can stand in a header.
func headerText(s string, most int) string {
	for {
		s = s[:min(len(s), most)]
		text := strconv.QuoteToASCII(s)
		if len(text) <= most || s == "" {
			return text
		}
		s = s[:len(s)*3/4]
	}
}

// textOf is the text of a header.
func textOf(header string) string {
	text, err := strconv.Unquote(header)
	if err != nil {
		return header
	}
	return text
}
