package move

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/nats-io/jsm.go"
	"github.com/nats-io/jsm.go/api"
	"github.com/nats-io/nats.go/jetstream"
)

// copyStream takes a snapshot of a stream and restores it at the destination, where it is arriving.
// It returns the last sequence that the snapshot may have.
func (m *move) copyStream(
	ctx context.Context, c jetstream.StreamConfig, dir string,
) (last uint64, err error) {
	m.say("copying stream %s", c.Name)
	dir = filepath.Join(dir, c.Name)
	stream, err := m.from.manager.LoadStream(c.Name)
	if err == nil {
		err = snapshot(ctx, stream, dir)
	}
	if err == nil {
		last, err = lastOf(dir)
	}
	if err != nil {
		return 0, fmt.Errorf("stream %s of %s: the snapshot failed: %w", c.Name, m.from.name, err)
	}
	m.reach("snapshot of " + c.Name)
	config, err := forManager(arriving(c, m.from.name, m.id, m.replicas))
	if err != nil {
		return 0, err
	}
	_, _, err = m.to.manager.RestoreSnapshotFromDirectory(ctx, c.Name, dir,
		jsm.RestoreConfiguration(config))
	if err != nil {
		return 0, fmt.Errorf("stream %s cannot be restored at %s: %w", c.Name, m.to.name, err)
	}
	return last, nil
}

// lastOf is the last sequence of a stream when its snapshot began.
func lastOf(dir string) (uint64, error) {
	var meta struct {
		State api.StreamState `json:"state"`
	}
	text, err := os.ReadFile(filepath.Join(dir, jsm.SnapshotMetaFile))
	if err == nil {
		err = json.Unmarshal(text, &meta)
	}
	return meta.State.LastSeq, err
}

// snapshot takes a snapshot, and ends when nothing has come for a while: the library waits for ever
// for a server that has gone.
func snapshot(ctx context.Context, stream *jsm.Stream, dir string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stalled := time.AfterFunc(answers, cancel)
	defer stalled.Stop()
	var came atomic.Uint64
	_, err := stream.SnapshotToDirectory(ctx, dir, jsm.SnapshotConsumers(),
		jsm.SnapshotNotify(func(p jsm.SnapshotProgress) {
			if n := p.BytesReceived(); came.Swap(n) != n {
				stalled.Reset(answers)
			}
		}))
	return err
}

// forManager is a configuration in the type of the other library, which writes the same JSON.
func forManager(c jetstream.StreamConfig) (config api.StreamConfig, err error) {
	text, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	return config, err
}
