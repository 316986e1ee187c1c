package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// undoing is how long undoing may take, if the context of the move has ended.
const undoing = time.Minute

// undo takes a move back that has failed. It returns why that was, and what is left to do.
func (m *move) undo(ctx context.Context, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoing)
	defer cancel()
	why = fmt.Errorf("pool %q was not moved: %w", m.pool, why)
	if err := m.takeBack(ctx); err != nil {
		return errors.Join(why, err)
	}
	return fmt.Errorf("%w\nThe pool goes on at %s, and nothing is left at %s", why, m.from.name,
		m.to.name)
}

// back takes back a move that was broken off.
func (m *move) back(ctx context.Context) error {
	if _, err := m.source(ctx); err != nil {
		return err
	}
	there, err := m.to.streams(ctx, m.pool)
	if err != nil {
		return err
	}
	if m.isOpen(there) {
		return fmt.Errorf("pool %q is open at %s, and what was done there would be lost: it "+
			"cannot be taken back. Remove the old streams, and move it from there", m.pool,
			m.to.name)
	}
	if err := m.takeBack(ctx); err != nil {
		return err
	}
	m.say("pool %q goes on at %s", m.pool, m.from.name)
	return nil
}

// takeBack removes what the destination has, and opens the source again: also if the first fails,
// as nobody can join what has not been opened.
func (m *move) takeBack(ctx context.Context) error {
	return errors.Join(m.leave(ctx), m.reopen(ctx))
}

func (m *move) leave(ctx context.Context) error {
	there, err := m.to.streams(ctx, m.pool)
	if err == nil {
		err = m.remove(ctx, m.left(there))
	}
	if err != nil {
		return fmt.Errorf("what has arrived at %s could not be removed, and nobody can join it: "+
			"the next move of the pool there removes it, or remove the streams PUNCTUAL_%s… and "+
			"KV_PUNCTUAL_%s by hand: %w", m.to.name, m.pool, m.pool, err)
	}
	return nil
}

// remove removes streams at the destination, the queue last, as it keeps everybody out.
func (m *move) remove(ctx context.Context, streams []*jetstream.StreamInfo) error {
	for i := len(streams) - 1; i >= 0; i-- {
		name := streams[i].Config.Name
		err := m.to.js.DeleteStream(ctx, name)
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %s of %s cannot be removed: %w", name, m.to.name, err)
		}
	}
	return nil
}

// reopen takes the marks off the source, the queue's last.
func (m *move) reopen(ctx context.Context) error {
	source, err := m.from.streams(ctx, m.pool)
	for i := len(source) - 1; i >= 0 && err == nil; i-- {
		err = m.from.update(ctx, released(source[i].Config))
	}
	if err != nil {
		return fmt.Errorf("the pool is still frozen at %s. Run the same command with --back, so "+
			"that it goes on there, or without, to move it: %w", m.from.name, err)
	}
	return nil
}

// stillMoved adds to an error that the source is frozen, by a run before.
func (m *move) stillMoved(source []*jetstream.StreamInfo, err error) error {
	for _, s := range source {
		if _, ok := s.Config.Metadata[movedKey]; ok {
			return fmt.Errorf("%w\nThe pool is frozen at %s by a run before: run this again, or "+
				"with --back, so that the pool goes on there", err, m.from.name)
		}
	}
	return err
}
