package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
)

// Between two looks of a worker that holds the lock, others may claim the rest of the batch.
func TestTheLastOfABatchMayBeClaimedUnderOnesNose(t *testing.T) {
	p := new(Pool)
	p.Init(1, true, Settings{Simple: true, Capacity: Unbounded})
	p.mu.Lock()
	for range 2 {
		_, open := p.waiting.inbox.Put(runqueue.Entry{Slot: runqueue.Slot{Body: func(context.Context) error { return nil }}})
		require.True(t, open)
	}
	_, due := p.waiting.queue.Head()
	require.True(t, due && p.waiting.dealLocked())
	claim := func() runqueue.Body { task, _ := p.waiting.batch.Claim(); return task }
	require.NotNil(t, claim())
	_, due, dealt := p.headLocked()
	require.True(t, due && dealt)
	require.NotNil(t, claim(), "by another")
	w := &worker{execution: execution{pool: p}}
	require.Nil(t, w.popLocked(dealt, due, unread))
	require.Zero(t, p.waiting.queue.Len())
	p.waiting.batch = nil
	p.mu.Unlock()
	p.Life.Shutdown()
	<-p.Life.Terminated()
}
