package move

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// ready refuses a destination that has the pool, and removes what a run before has left there. done
// says that the move has been made.
func (m *move) ready(ctx context.Context, source []*jetstream.StreamInfo) (done bool, err error) {
	if m.from.minor() >= 15 && m.to.minor() < 15 { // the format of snapshots is another
		return false, fmt.Errorf("nats-server %s at %s cannot restore a snapshot of %s",
			m.to.nc.ConnectedServerVersion(), m.to.name, m.from.nc.ConnectedServerVersion())
	}
	there, err := m.to.streams(ctx, m.pool)
	if err != nil {
		return false, err
	}
	if m.isOpen(there) && isMoved(source) {
		return true, nil
	}
	left := m.left(there)
	if len(there) > len(left) {
		return false, fmt.Errorf("%s has a pool %q already (stream %s); nothing was changed",
			m.to.name, m.pool, there[0].Config.Name)
	}
	if err := m.noOther(ctx, left); err != nil {
		return false, err
	}
	if len(left) > 0 {
		m.say("removing what a run before has left at %s", m.to.name)
	}
	return false, m.remove(ctx, left)
}

// noOther refuses streams at the destination that would take the pool's messages.
func (m *move) noOther(ctx context.Context, left []*jetstream.StreamInfo) error {
	ours := map[string]bool{}
	for _, s := range left {
		ours[s.Config.Name] = true
	}
	for _, subject := range []string{"punctual." + m.pool + ".>", "$KV." + queueOf(m.pool) + ".>"} {
		list := m.to.js.StreamNames(ctx, jetstream.WithStreamListSubject(subject))
		for name := range list.Name() {
			if !ours[name] {
				return fmt.Errorf("stream %s at %s has subjects of pool %q; nothing was changed",
					name, m.to.name, m.pool)
			}
		}
		if err := list.Err(); err != nil {
			return fmt.Errorf("the streams of %s: %w", m.to.name, err)
		}
	}
	return nil
}

// isOpen tells whether this pool is complete at the destination.
func (m *move) isOpen(there []*jetstream.StreamInfo) bool {
	if !m.hasQueue(there) {
		return false
	}
	marks := there[0].Config.Metadata
	return marks[originKey] == m.id && marks[arrivingKey] == "" && marks[movedKey] == ""
}

func (m *move) hasQueue(streams []*jetstream.StreamInfo) bool {
	return len(streams) > 0 && streams[0].Config.Name == queueOf(m.pool)
}

// left returns what a move of this pool that was broken off has left at the destination. Nobody can
// have joined there, as the queue is the first to come and the last that is opened.
func (m *move) left(there []*jetstream.StreamInfo) (left []*jetstream.StreamInfo) {
	if m.hasQueue(there) && there[0].Config.Metadata[arrivingKey] == "" {
		return nil
	}
	for _, s := range there {
		if s.Config.Metadata[originKey] == m.id && s.Config.Metadata[movedKey] == "" {
			left = append(left, s)
		}
	}
	return left
}
