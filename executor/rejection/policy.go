package rejection

import "github.com/punctual-go/punctual/executor/internal/engine"

// Policy decides what becomes of a task for which a pool has no room. The policies are [Abort],
// which is the default, [CallerRuns], [Discard], [DiscardOldest] and [Block]; others can be built
// from the methods of [Task]. The option OnRejection of package executor takes it.
//
// The policy is called on the submitter's goroutine, without locks, and may call the pool. If it
// places the task, or discards it, the submission returns nil. Otherwise the submission returns the
// policy's error; a nil error then means that the task is discarded. If the policy panics, the task
// is refused, and the submitter gets the panic.
//
// A pool that is shut down does not ask its policy: it refuses with executor.ErrShutdown. Schedule
// and the methods like it, and a serial.Serial, do not ask either: they refuse with
// executor.ErrSaturated. SubmitContext waits, whatever the policy.
type Policy func(t *Task) error

// Abort refuses the task with executor.ErrSaturated.
func Abort(*Task) error { return engine.ErrSaturated }

// CallerRuns makes the submitter run the task itself, which also keeps it from submitting more in
// the meantime; see [Task.Run].
func CallerRuns(t *Task) error { return t.Run() }

// Discard drops the task. Its future is cancelled, with executor.ErrSaturated as the reason.
func Discard(t *Task) error {
	t.Discard()
	return nil
}

// DiscardOldest drops the task that would run next, and queues the new one. If no task waits, it
// refuses with executor.ErrSaturated; see [Task.ReplaceOldest].
func DiscardOldest(t *Task) error { return t.ReplaceOldest() }

// Block makes the submitter wait for room, however long it takes. The wait ends early with
// executor.ErrShutdown if the pool is shut down, or when the context ends that was given to
// InvokeAll and functions like it. To wait for a limited time, use SubmitContext.
func Block(t *Task) error { return t.engine().Block() }
