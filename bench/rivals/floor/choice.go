package floor

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/goid"
)

// Choice chooses a shard for a task. Its number is any; what is above that of the shards is cut off.
type Choice func() uint32

// ByProcessor chooses the shard of the processor, as far as that can be known: a pool of package
// sync keeps what is put into it by processor, so that the same token comes back there. Who
// schedules rarely meets others.
func ByProcessor() Choice {
	var made atomic.Uint32
	tokens := sync.Pool{New: func() any { return &token{made.Add(1)} }}
	return func() uint32 {
		t := tokens.Get().(*token)
		shard := t.shard
		tokens.Put(t)
		return shard
	}
}

type token struct{ shard uint32 }

// ByGoroutine chooses by who the calling goroutine is, which is hardly a cost: a goroutine keeps to
// its shard for as long as it lives. It may share it with others.
func ByGoroutine() Choice {
	return func() uint32 { return uint32(goid.Current() * 0x9e3779b97f4a7c15 >> 32) }
}

// ByChance chooses any shard. Two are rarely in each other's way if there are many, and what they
// touch has been touched by another processor before.
func ByChance() Choice { return rand.Uint32 }
