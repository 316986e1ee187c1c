package run

import "github.com/punctual-go/punctual/internal/cell"

// News is what has become of a task beside the steps of its runs.
type News struct {
	What string
	Task *cell.Cell
	Plan *Plan
	Run  Info  // as it was admitted, if it is rejected; the one in progress, if it overran
	Err  error // what the submitter gets, if it is rejected; of its future, if it is dropped
}

// What News tell, by the names that observers and recordings have for it.
const (
	TaskRejected  = "rejected"  // it is not accepted after all
	TaskCancelled = "cancelled" // by its future, or the context within which it was to run
	TaskDropped   = "dropped"   // handed back or discarded
	TaskPaused    = "paused"    // from outside, or by itself after failures
	TaskResumed   = "resumed"   // from outside
	TaskOverran   = "overran"   // a run exceeds its timeout, and the body may go on
	TaskOver      = "over"      // it has ended after its last run, which Ended could not know
	TaskFailed    = "failed"    // a failure has ended it; this may come twice, and in a run
)
