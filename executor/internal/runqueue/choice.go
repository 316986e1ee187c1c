package runqueue

import (
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/shardcount"
)

// choice chooses a shard for a task: any number will do, of which the low bits count. Which it is
// makes no difference but for the price.
type choice func() uint32

// newChoice returns one that keeps each processor to a shard, as far as that can be known: what is
// put into a pool of package sync is kept by processor, so that the same token comes back there.
// Where a test has said how many shards there are, they come in turn.
func newChoice() choice {
	var made atomic.Uint32
	if shardcount.Get() > 0 {
		return func() uint32 { return made.Add(1) }
	}
	tokens := sync.Pool{New: func() any { return &token{made.Add(1)} }}
	return func() uint32 {
		t := tokens.Get().(*token)
		chosen := t.number
		tokens.Put(t)
		return chosen
	}
}

type token struct{ number uint32 }
