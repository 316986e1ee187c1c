package cluster

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// heal has what a forgotten message says be done after all.
func (p *Pool) heal(ctx context.Context, m *jetstream.RawStreamMsg) error {
	at := p.on.placeOf(m.Subject)
	if at.series() {
		return p.healSeries(ctx, at, m)
	}
	switch _, ended, err := p.results.recorded(ctx, at.id()); {
	case err != nil:
		return err
	case ended:
		_, err := p.takeOut(ctx, m.Sequence)
		return err
	}
	begun, err := p.recordedAttempts(ctx, at.id(), m.Sequence)
	if err != nil {
		return err
	}
	again := p.anew(at, dueOf(m.Header), m.Header, m.Data, m.Time)
	if begun != nil {
		begun.write(again.Header)
	}
	return p.replace(ctx, at, m.Sequence, again)
}

// healSeries stores a link again, unless others are behind it.
func (p *Pool) healSeries(ctx context.Context, at place, m *jetstream.RawStreamMsg) error {
	newest, err := p.last(ctx, p.on.any(at))
	if err != nil || newest == nil {
		return err
	}
	if newest.Sequence != m.Sequence {
		return p.healed(ctx, at, m.Sequence)
	}
	again, err := p.again(at, m)
	if err != nil {
		return err
	}
	return p.replace(ctx, at, m.Sequence, again)
}

// replace stores a message in place of a forgotten one. If there is a newer one already, that is
// what goes on.
func (p *Pool) replace(ctx context.Context, at place, forgotten uint64, again *nats.Msg) error {
	expect(again, p.on.any(at), forgotten)
	switch _, err := p.publish(ctx, again); {
	case conflict(err):
		_, err := p.takeOut(ctx, forgotten)
		return err
	case err != nil:
		return err
	}
	return p.healed(ctx, at, forgotten)
}

// again is a message that says what a message of a series said.
func (p *Pool) again(at place, was *jetstream.RawStreamMsg) (*nats.Msg, error) {
	m := p.command(at)
	if isTombstone(was.Header) {
		m.Header.Set(headerEnd, "1")
		return m, nil
	}
	l, err := readLink(was.Header)
	if err != nil {
		return nil, err
	}
	l.follows = 0
	if l.do == doRun {
		m = p.linkMessage(at, l, was.Data)
		carriedAttempts(was.Header).write(m.Header)
		return m, nil
	}
	m.Data = was.Data
	l.write(m.Header)
	return m, nil
}

// unlessConflict is nil if another process was first.
func unlessConflict(err error) error {
	if conflict(err) {
		return nil
	}
	return err
}

// healed removes a message that was forgotten, once what it says goes on, and tells and counts
// that.
func (p *Pool) healed(ctx context.Context, at place, forgotten uint64) error {
	p.logger.Error("the server had forgotten a message; what it says goes on", "pool",
		p.settings.name, "task", nameOf(at.task()), "id", at.id(), "sequence", forgotten)
	if _, err := p.takeOut(ctx, forgotten); err != nil {
		return err
	}
	return p.countHealed(ctx)
}

func (p *Pool) countHealed(ctx context.Context) error {
	for {
		stored, healed, err := p.figure(ctx, figureHealed)
		if err != nil {
			return err
		}
		if err := p.setFigure(ctx, figureHealed, healed+1, stored.Sequence); !conflict(err) {
			return err
		}
	}
}
