package move

import (
	"maps"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// The metadata of a pool's streams. Package cluster refuses a pool with one of the first two.
const (
	movedKey    = "punctual.moved"    // at the source: where the pool is instead
	arrivingKey = "punctual.arriving" // at the destination: where it comes from, until it is open

	originKey   = "punctual.origin" // at the destination, for good: which pool it was, see move.id
	subjectsKey = "punctual.moved.subjects"
	formerKey   = "punctual.moved.protocol"

	// A package that knows neither of the marks refuses a protocol that is no number.
	protocolKey = "punctual.protocol"
)

// A stream that is moved is the same at both sides but for this:
//
//	source       open -> frozen        it takes nothing, and is marked
//	             frozen -> open        if the move is taken back
//	destination  nothing -> arriving   as its snapshot is restored, marked
//	             arriving -> open      in the end, the queue last
//
// A queue that is frozen goes on to make runs of what is due, which needs none of its subjects, so
// it loses nothing.

// frozen is a stream's configuration with subjects that nobody uses.
func frozen(c jetstream.StreamConfig, to string) jetstream.StreamConfig {
	c = held(c, movedKey, to)
	if _, already := c.Metadata[subjectsKey]; !already {
		c.Metadata[subjectsKey] = strings.Join(c.Subjects, " ")
		c.Subjects = []string{"punctual-moved." + c.Name}
	}
	return c
}

// arriving is the configuration of a stream as it is restored.
func arriving(c jetstream.StreamConfig, from, id string, replicas int) jetstream.StreamConfig {
	c = held(released(c), arrivingKey, from)
	c.Metadata[originKey] = id
	c.Placement = nil // it names what is at the source
	c.Replicas = replicas
	return c
}

func held(c jetstream.StreamConfig, mark, text string) jetstream.StreamConfig {
	c.Metadata = stored(c.Metadata)
	if _, already := c.Metadata[formerKey]; !already {
		c.Metadata[formerKey] = c.Metadata[protocolKey]
		c.Metadata[protocolKey] = strings.TrimPrefix(mark, "punctual.")
	}
	c.Metadata[mark] = text
	return c
}

// released is the configuration of a stream that is frozen or arriving as it was before, or as it
// is to be; and any other as it is.
func released(c jetstream.StreamConfig) jetstream.StreamConfig {
	c.Metadata = stored(c.Metadata)
	if subjects, ok := c.Metadata[subjectsKey]; ok {
		c.Subjects = strings.Fields(subjects)
	}
	if former, ok := c.Metadata[formerKey]; ok {
		delete(c.Metadata, protocolKey)
		if former != "" {
			c.Metadata[protocolKey] = former
		}
	}
	for _, key := range []string{movedKey, arrivingKey, subjectsKey, formerKey} {
		delete(c.Metadata, key)
	}
	return c
}

// stored is a copy of metadata without what the server adds of its own.
func stored(metadata map[string]string) map[string]string {
	c := map[string]string{}
	maps.Copy(c, metadata)
	maps.DeleteFunc(c, func(key, _ string) bool { return strings.HasPrefix(key, "_nats.") })
	return c
}
