package runqueue

import (
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/shardcount"
)

// choice chooses a shard for a task. Which it is makes no difference but for the price, so it keeps
// each processor to a shard, as far as that can be known: what is put into a pool of package sync
// is kept by processor, and the same token comes back there.
type choice struct {
	tokens sync.Pool
	made   atomic.Uint32
	inTurn bool // where a test has said how many shards there are
}

type token struct{ number uint32 }

// next returns any number, of which the low bits count.
func (ch *choice) next() uint32 {
	if ch.inTurn {
		return shardcount.Turn()
	}
	t, _ := ch.tokens.Get().(*token)
	if t == nil {
		t = &token{ch.made.Add(1)}
	}
	chosen := t.number
	ch.tokens.Put(t)
	return chosen
}
