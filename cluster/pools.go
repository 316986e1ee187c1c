package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Pools returns the names of the pools that there are for the account of a connection, in their
// order. It needs the right to list streams, "$JS.API.STREAM.NAMES", which no part in a pool needs.
func Pools(ctx context.Context, nc *nats.Conn) ([]string, error) {
	if nc == nil {
		return nil, fmt.Errorf("%w: a nil connection", ErrInvalid)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, explained(err)
	}
	list := []string{}
	streams := js.StreamNames(ctx, jetstream.WithStreamListSubject(subjects{"punctual.*."}.allRuns()))
	for name := range streams.Name() {
		if pool, ok := strings.CutPrefix(name, streamPrefix); ok {
			list = append(list, pool)
		}
	}
	if err := streams.Err(); err != nil {
		return nil, fmt.Errorf("cluster: listing pools: %w", explained(err))
	}
	slices.Sort(list)
	return list, nil
}
