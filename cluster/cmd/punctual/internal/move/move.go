package move

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// move moves one pool.
type move struct {
	pool     string
	replicas int
	from, to *side
	patience time.Duration // for how long both sides may differ when they are compared
	out      io.Writer
	reached  func(step string) // for tests

	// id is which pool it is: when its queue was made. It is the same in each run, so what a run
	// before has left at the destination is known again.
	id string
}

func (m *move) say(format string, args ...any) { fmt.Fprintf(m.out, format+"\n", args...) }

func (m *move) reach(step string) {
	if m.reached != nil {
		m.reached(step)
	}
}

// run moves the pool.
func (m *move) run(ctx context.Context) error {
	begun := time.Now()
	source, err := m.source(ctx)
	if err != nil {
		return err
	}
	done, err := m.ready(ctx, source)
	if err != nil {
		return m.stillMoved(source, err)
	}
	if done {
		m.say("pool %q is at %s already; nothing was done", m.pool, m.to.name)
		return nil
	}
	watch, err := watchRest(m.from, m.pool)
	if err != nil {
		return m.stillMoved(source, err)
	}
	defer watch.end()
	if err := watch.awaitRest(ctx); err != nil {
		return m.stillMoved(source, err)
	}
	report, err := m.transfer(ctx, watch)
	if err != nil {
		return m.undo(ctx, err)
	}
	m.reach("compared")
	if err := m.open(ctx); err != nil {
		return fmt.Errorf("pool %q is complete at %s, but could not be opened there, and is "+
			"frozen at %s. Run the same command again: %w", m.pool, m.to.name, m.from.name, err)
	}
	m.say("pool %q is at %s, after %v:", m.pool, m.to.name,
		time.Since(begun).Round(time.Millisecond))
	for _, line := range report {
		m.say("  %s", line)
	}
	m.say("The streams at %s are frozen. Remove them when the new ones have proved themselves.",
		m.from.name)
	return nil
}

// source finds the pool's streams, and refuses what cannot be moved to this destination.
func (m *move) source(ctx context.Context) ([]*jetstream.StreamInfo, error) {
	streams, err := m.from.streams(ctx, m.pool)
	if err != nil {
		return nil, err
	}
	if !m.hasQueue(streams) {
		return nil, fmt.Errorf("there is no pool %q at %s: stream %s is missing", m.pool,
			m.from.name, queueOf(m.pool))
	}
	m.id = strconv.FormatInt(streams[0].Created.UnixNano(), 10)
	for _, s := range streams {
		if from, ok := s.Config.Metadata[arrivingKey]; ok {
			return nil, fmt.Errorf("pool %q is just arriving at %s, from %s (stream %s): end that "+
				"move before", m.pool, m.from.name, from, s.Config.Name)
		}
		if to, ok := s.Config.Metadata[movedKey]; ok && to != m.to.name {
			return nil, fmt.Errorf("pool %q is moved to %s (stream %s is marked so): go on with "+
				"--to %s, or take it back with --back --to %s", m.pool, to, s.Config.Name, to, to)
		}
	}
	return streams, nil
}

func isMoved(source []*jetstream.StreamInfo) bool {
	for _, s := range source {
		if _, ok := s.Config.Metadata[movedKey]; !ok {
			return false
		}
	}
	return true
}

// transfer does all but open the destination.
func (m *move) transfer(ctx context.Context, watch *restWatch) (report []string, err error) {
	source, err := m.freeze(ctx)
	if err != nil {
		return nil, err
	}
	m.reach("frozen")
	if err := watch.awaitRest(ctx); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "punctual-move-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
	var copied uint64
	for i, s := range source {
		last, err := m.copyStream(ctx, s.Config, dir)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			copied = last
		}
		m.reach("copied " + s.Config.Name)
	}
	if err := m.carry(ctx, copied); err != nil {
		return nil, err
	}
	if report, err = m.compare(ctx, source); err != nil {
		return nil, err
	}
	if err := watch.disturbed(); err != nil {
		return nil, err
	}
	return report, m.stillFrozen(ctx)
}

// freeze makes the source take nothing any more, the queue last: a key of Once is claimed in the
// bucket before its task is stored.
func (m *move) freeze(ctx context.Context) (source []*jetstream.StreamInfo, err error) {
	m.say("freezing pool %q at %s", m.pool, m.from.name)
	source, err = m.from.streams(ctx, m.pool)
	for i := len(source) - 1; i >= 0 && err == nil; i-- {
		err = m.from.update(ctx, frozen(source[i].Config, m.to.name))
	}
	return source, err
}

// stillFrozen makes sure that the source is as this run has left it, and that no other run of the
// command has taken the move back meanwhile.
func (m *move) stillFrozen(ctx context.Context) error {
	source, err := m.from.streams(ctx, m.pool)
	if err == nil && !isMoved(source) {
		err = errors.New("it is not frozen any more, perhaps by another run of this command")
	}
	return err
}

// open opens the destination, the queue last: what is opened before cannot be used without it. An
// interrupt comes too late then.
func (m *move) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoing)
	defer cancel()
	there, err := m.to.streams(ctx, m.pool)
	if err != nil {
		return err
	}
	for i := len(there) - 1; i >= 0; i-- {
		if err := m.to.update(ctx, released(there[i].Config)); err != nil {
			return err
		}
		m.reach("opened " + there[i].Config.Name)
	}
	return nil
}
