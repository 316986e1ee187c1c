package rejection

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/engine"
)

// Task is a task for which a pool has no room. Once one of its methods has placed or discarded
// the task, further calls do nothing and return nil. It must not be used after its policy has
// returned, nor by several goroutines at once.
type Task engine.Rejection

func (t *Task) engine() *engine.Rejection { return (*engine.Rejection)(t) }

// Name returns the name of the task, or "" if it has none.
func (t *Task) Name() string { return t.engine().Name() }

// Run runs the task on the calling goroutine, with its own context, hooks and counts, and returns
// when it has ended. If the pool is shut down, it returns executor.ErrShutdown instead. A task that
// calls runtime.Goexit ends the caller.
//
// If the caller is itself a task of this pool, the new task runs inside it, to a depth of 1,000
// tasks. Below that depth it returns executor.ErrSaturated: so a task that goes on submitting
// itself does not exhaust the stack.
func (t *Task) Run() error { return t.engine().Run() }

// Wait waits for room and queues the task. If ctx ends first, it returns an error that matches
// executor.ErrSaturated and the error of ctx; if the pool is shut down, executor.ErrShutdown. A nil
// ctx never ends.
//
// If the caller is itself a task of this pool, Wait does not wait but does what [Task.Run]
// does. A goroutine started by such a task does wait; if ctx is the context of that task, room is
// made for it after 10 ms, by running queued tasks in excess of the pool's size.
func (t *Task) Wait(ctx context.Context) error { return t.engine().Wait(ctx) }

// Retry queues the task if there is room now. If not, it returns executor.ErrSaturated or
// executor.ErrShutdown.
func (t *Task) Retry() error { return t.engine().Retry() }

// Discard drops the task. It counts as accepted and returned, and its future is cancelled, with
// executor.ErrSaturated as the reason.
func (t *Task) Discard() { t.engine().Discard() }

// ReplaceOldest queues the task in the room of the one that would run next. That one is dropped:
// its future is cancelled, with executor.ErrSaturated as the reason. If room has been found in the
// meantime, nothing is dropped. ReplaceOldest returns executor.ErrSaturated if no task waits in the
// queue, and on a scheduled pool that still has no room; it returns executor.ErrShutdown if the
// pool is shut down.
func (t *Task) ReplaceOldest() error { return t.engine().ReplaceOldest() }
