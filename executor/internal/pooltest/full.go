package pooltest

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// Full is a pool without room: its one worker is busy, and the one place in its queue is taken.
type Full struct {
	*executor.Pool
	Gate    *Gate
	Trace   *Trace
	Waiting *future.Future[struct{}] // of the task in the queue
}

// NewFull returns a full pool. Its gate holds the worker.
func NewFull(t *testing.T, opts ...executor.Option) *Full {
	t.Helper()
	s := &Full{
		Pool:  NewPool(t, 1, append([]executor.Option{executor.Queue(queue.Bounded(1))}, opts...)...),
		Gate:  NewGate(t),
		Trace: NewTrace(),
	}
	require.NoError(t, s.Execute(s.Gate.Hold))
	s.Waiting = Submit(t, s.Pool, s.Trace.Task("queued"), executor.Name("queued"))
	synctest.Wait()
	return s
}

// Finish opens the gate, lets everything run, and shuts the pool down.
func (s *Full) Finish() {
	s.Gate.Open()
	probe.Elapse(time.Hour)
	s.Shutdown()
	<-s.Terminated()
}

// Waiter is a submitter that waits for room. Read its other fields when Returned is true.
type Waiter struct {
	Returned atomic.Bool
	After    time.Duration // when it returned, since the start of the trace
	Future   *future.Future[struct{}]
	Err      error
}

// Waits starts a submitter, which must find no room.
func (s *Full) Waits(t *testing.T, ctx context.Context, name string) *Waiter {
	t.Helper()
	w := new(Waiter)
	go func() {
		w.Future, w.Err = s.SubmitContext(ctx, s.Trace.Task(name))
		w.After = time.Since(s.Trace.Start)
		w.Returned.Store(true)
	}()
	synctest.Wait()
	require.False(t, w.Returned.Load())
	return w
}
