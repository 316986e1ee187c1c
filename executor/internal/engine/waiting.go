package engine

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
)

// waiting is where the accepted tasks of a pool wait: all of it, wherever that is.
//
//	inbox, queue   for a worker, or for a time; what is first in it may begin first
//	batch          small tasks that have left the inbox, and are claimed without the lock
//	deferred       for a time, in a plain pool, whose queue knows none
//	strands        behind another task of a serial executor
//
// The pool's lock guards it, but for the submitters' side of the inbox, and the claims of a batch.
type waiting struct {
	pool   *Pool
	inbox  *runqueue.Inbox // the queue's front for submissions, or nil; see newQueue
	custom Custom          // the queue, if the user supplied it
	order  atomic.Uint64   // of the last task that placeLocked has queued; written with the lock held

	_ [64]byte // keeps what every run writes out of the cache lines above

	queue    runqueue.Queue
	batch    *runqueue.Batch                 // claimed before anything in the queue; may be nil
	spare    *runqueue.Batch                 // the next batch to fill; may be nil
	strands  shrinkingMap[*strand, struct{}] // serial executors with tasks behind the first
	deferred deferred                        // tasks of a plain pool that wait for a time
	heldBack int                             // accepted tasks outside the queue; see heldback.go
}
