package cluster

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// healTask queues a task again that was lost. forgotten is the sequence of its message, if that is
// stored.
func (p *Pool) healTask(ctx context.Context, at place, forgotten uint64) error {
	entry, err := p.entry(ctx, at)
	if err != nil || entry == nil || isTombstone(entry.Header) {
		return err // it has ended meanwhile
	}
	m := p.message(at, dueOf(entry.Header))
	m.Data = entry.Data
	expect(m, p.on.any(at), forgotten)
	if _, err := p.publish(ctx, m); err != nil {
		return unlessConflict(err)
	}
	return p.healed(ctx, at, forgotten)
}

// healSeries stores again what has been forgotten of a series, or if nothing is left of it the
// newest message that the ledger has. What is forgotten and has others behind it is just removed:
// they say how the series goes on.
func (p *Pool) healSeries(
	ctx context.Context, at place, first, newest *jetstream.RawStreamMsg,
) error {
	if sequenceOf(first) != sequenceOf(newest) {
		return p.healed(ctx, at, first.Sequence)
	}
	entry, err := p.entry(ctx, at)
	if err != nil || entry == nil || isTombstone(entry.Header) {
		return err // it has ended meanwhile
	}
	if first != nil {
		entry = first
	}
	m, err := p.again(at, entry)
	if err != nil {
		return err
	}
	expect(m, p.on.any(at), sequenceOf(newest))
	sequence, err := p.publish(ctx, m)
	if err != nil {
		return unlessConflict(err)
	}
	if err := p.note(ctx, m, sequence, false); err != nil {
		return err
	}
	return p.healed(ctx, at, sequenceOf(newest))
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
		return p.linkMessage(at, l, was.Data), nil
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

// healed tells and counts what was healed, and removes the message that was forgotten, if any.
func (p *Pool) healed(ctx context.Context, at place, forgotten uint64) error {
	p.logger.Error("an accepted task was not on the queue any more, and is queued again",
		"pool", p.settings.name, "task", nameOf(at.task()), "id", at.id(), "forgotten", forgotten)
	if forgotten != 0 {
		if _, err := p.takeOut(ctx, forgotten); err != nil {
			return err
		}
	}
	return p.countHealed(ctx)
}

func (p *Pool) countHealed(ctx context.Context) error {
	for {
		stored, healed, err := p.figure(ctx, p.on.healed())
		if err != nil {
			return err
		}
		if _, err = p.setFigure(ctx, p.on.healed(), healed+1, stored.Sequence); !conflict(err) {
			return err
		}
	}
}
