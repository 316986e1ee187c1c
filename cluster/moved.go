package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What the streams of a pool have in their metadata while it is moved to other servers, and what
// those at the old place keep. The command punctual move writes it.
const (
	movedKey    = "punctual.moved"    // where the pool is instead
	arrivingKey = "punctual.arriving" // where it comes from, until it is complete
)

// checkMoved returns ErrMoved for a stream that is not to be used here, or not yet.
func checkMoved(config jetstream.StreamConfig) error {
	if to, ok := config.Metadata[movedKey]; ok {
		return fmt.Errorf("%w: it is at %s now", ErrMoved, to)
	}
	if from, ok := config.Metadata[arrivingKey]; ok {
		return fmt.Errorf("%w: it is arriving from %s, and is not complete yet", ErrMoved, from)
	}
	return nil
}

// find finds a stream. With MustExist a queue that is not there is ErrNoPool. A server that has
// just started may not know yet what it has, so then it is asked again.
func (p *Pool) find(ctx context.Context, name string) (jetstream.Stream, error) {
	stream, err := p.js.Stream(ctx, name)
	if !p.existing || name != p.streamName() {
		return stream, err
	}
	for range 2 {
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return stream, err
		}
		sleep(ctx, 500*time.Millisecond)
		stream, err = p.js.Stream(ctx, name)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = fmt.Errorf("%w: there is no stream %s", ErrNoPool, name)
	}
	return stream, err
}
