package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/engine"
)

// RejectionPolicy decides what becomes of a task for which a pool has no room. The policies are
// [Abort], which is the default, [CallerRuns], [Discard], [DiscardOldest] and [Block]; others can
// be built from the methods of [Rejection].
//
// The policy is called on the submitter's goroutine, without locks, and may call the pool. If it
// places the task, or discards it, the submission returns nil. Otherwise the submission returns the
// policy's error; a nil error then means that the task is discarded. If the policy panics, the task
// is refused, and the submitter gets the panic.
//
// A pool that is shut down does not ask its policy: it refuses with [ErrShutdown]. Schedule and the
// methods like it, and a serial.Serial, do not ask either: they refuse with [ErrSaturated].
// SubmitContext waits, whatever the policy.
type RejectionPolicy func(r *Rejection) error

// OnRejection sets the rejection policy of a pool; the default is [Abort]. It panics if policy is
// nil.
func OnRejection(policy RejectionPolicy) Option {
	if policy == nil {
		panic("executor: nil rejection policy")
	}
	return option(func(s *settings) { s.Policy = policy.engine() })
}

// SetRejectionPolicy changes the policy, from the next rejection on. It fails with [ErrInvalid] if
// policy is nil.
func (p *Pool) SetRejectionPolicy(policy RejectionPolicy) error {
	if policy == nil {
		return invalid("nil rejection policy")
	}
	p.engine().Door.SetPolicy(policy.engine())
	return nil
}

// Abort refuses the task with [ErrSaturated].
func Abort(*Rejection) error { return ErrSaturated }

// CallerRuns makes the submitter run the task itself, which also keeps it from submitting more in
// the meantime; see [Rejection.Run].
func CallerRuns(r *Rejection) error { return r.Run() }

// Discard drops the task. Its future is cancelled, with [ErrSaturated] as the reason.
func Discard(r *Rejection) error {
	r.Discard()
	return nil
}

// DiscardOldest drops the task that would run next, and queues the new one. If no task waits, it
// refuses with [ErrSaturated]; see [Rejection.ReplaceOldest].
func DiscardOldest(r *Rejection) error { return r.ReplaceOldest() }

// Block makes the submitter wait for room, however long it takes. The wait ends early with
// [ErrShutdown] if the pool is shut down, or when the context ends that was given to [InvokeAll]
// and functions like it. To wait for a limited time, use SubmitContext.
func Block(r *Rejection) error { return r.engine().Block() }

// Rejection is a task for which a pool has no room. Once one of its methods has placed or discarded
// the task, further calls do nothing and return nil. It must not be used after its policy has
// returned, nor by several goroutines at once.
type Rejection engine.Rejection

func (r *Rejection) engine() *engine.Rejection { return (*engine.Rejection)(r) }

// engine returns the policy as the engine calls it.
func (policy RejectionPolicy) engine() engine.Policy {
	return func(r *engine.Rejection) error { return policy((*Rejection)(r)) }
}

// Name returns the name of the task, or "" if it has none.
func (r *Rejection) Name() string { return r.engine().Name() }

// Run runs the task on the calling goroutine, with its own context, hooks and counts, and returns
// when it has ended. If the pool is shut down, it returns [ErrShutdown] instead. A task that calls
// runtime.Goexit ends the caller.
//
// If the caller is itself a task of this pool, the new task runs inside it, to a depth of 1,000
// tasks. Below that depth it returns [ErrSaturated]: so a task that goes on submitting itself does
// not exhaust the stack.
func (r *Rejection) Run() error { return r.engine().Run() }

// Wait waits for room and queues the task. If ctx ends first, it returns an error that matches
// [ErrSaturated] and the error of ctx; if the pool is shut down, [ErrShutdown]. A nil ctx never
// ends.
//
// If the caller is itself a task of this pool, Wait does not wait but does what [Rejection.Run]
// does. A goroutine started by such a task does wait; if ctx is the context of that task, room is
// made for it after 10 ms, by running queued tasks in excess of the pool's size.
func (r *Rejection) Wait(ctx context.Context) error { return r.engine().Wait(ctx) }

// Retry queues the task if there is room now. If not, it returns [ErrSaturated] or [ErrShutdown].
func (r *Rejection) Retry() error { return r.engine().Retry() }

// Discard drops the task. It counts as accepted and returned, and its future is cancelled, with
// [ErrSaturated] as the reason.
func (r *Rejection) Discard() { r.engine().Discard() }

// ReplaceOldest queues the task in the room of the one that would run next. That one is dropped:
// its future is cancelled, with [ErrSaturated] as the reason. If room has been found in the
// meantime, nothing is dropped. ReplaceOldest returns [ErrSaturated] if no task waits in the queue,
// and on a [ScheduledPool] that still has no room; it returns [ErrShutdown] if the pool is shut
// down.
func (r *Rejection) ReplaceOldest() error { return r.engine().ReplaceOldest() }
