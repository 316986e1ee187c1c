package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Sight is told of the tasks of an owner beside their runs, of which a [Tap] is told, and of the
// owner itself. It is always there, as the health of an owner is found out whether or not its tasks
// are watched: it is told of each task of which something is expected; and of each pause,
// resumption, overrun and failure. Methods that end in Locked are called with the lock of the owner
// held, and the others, unless they say so, without it.
type Sight interface {
	// Admitted comes before the task can begin. In is when it is to run first, counted from now.
	// First has the Name, Scheduled and Periodic of that run, if the owner is Observed.
	Admitted(c *cell.Cell, pl *Plan, in time.Duration, first Info)
	// Told comes after what it tells.
	Told(n News)

	// LeftLocked is called when a series of which it has Kept something has left the owner.
	LeftLocked(pl *Plan)
	// CancelledLocked is called when the owner has found that a task was cancelled, once the ends of
	// runs are heeded.
	CancelledLocked(pl *Plan)
	// Dismiss is called when a task is cancelled that a failure has ended.
	Dismiss(pl *Plan)

	// HoldLocked is called when nothing is to start any more, and when all may again.
	HoldLocked(held bool)
	// HeldUntilLocked tells that nothing is to start between two moments.
	HeldUntilLocked(from, to int64)

	// BusyLocked is called when no worker is free, unless the owner is Watching.
	BusyLocked()
	// RecheckShortageLocked is called when the owner is Short, and that may be over.
	RecheckShortageLocked()
	// EndShortageLocked is called when the owner begins to refuse tasks.
	EndShortageLocked()

	// EndHealthLocked is called when the owner has ended.
	EndHealthLocked()
	// CloseRecording is called after that, once.
	CloseRecording()
}
