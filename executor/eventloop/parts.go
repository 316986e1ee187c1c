package eventloop

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/alarm"
)

// door is the one way into a loop, by its entries, and the plans that are shared by tasks without
// options. These do not change.
type door struct {
	loop      *Loop
	submitted *run.Plan // shared by those with a future
	executed  *run.Plan // shared by those without
	rejected  atomic.Uint64
}

// waiting is where the accepted tasks of a loop wait: on the intake, then on the agenda. The loop's
// lock guards it, but for the submitters' side of the intake, and the cancellers' of the notices.
type waiting struct {
	loop    *Loop
	intake  intake
	notices notices
	agenda  agenda
	order   uint64 // sequence number of the last task put on the agenda
}

// worker is the goroutine of a loop, and the run that it is in.
type worker struct {
	loop      *Loop
	labels    context.Context // pprof labels, except while a named task runs
	goroutine atomic.Uint64   // its identity, 0 while there is none; see package goid

	interrupted atomic.Uint64 // tasks cancelled while running

	// The loop's lock guards these.
	heeds bool          // the end of a run means more than that: the loop is quieting, or short
	exec  run.Execution // of the running task; see there for who may touch what
}

// rest is how a loop sleeps, and how it is woken; see wake.go.
type rest struct {
	loop *Loop
	next atomic.Int64 // when the loop looks again

	// The loop sleeps by the one or the other.
	alarm *alarm.Alarm  // for a sleep until a time; only the loop's goroutine sets it
	call  chan struct{} // ends a sleep that has no time
	slack time.Duration // how late a run may be to share a wake-up
	woke  int64         // when the loop last woke, or long ago; its goroutine's own
}

// life is a loop from its making to its end, and what a shutdown makes of tasks. The loop's lock
// guards stage and calm.
type life struct {
	loop     *Loop
	stage    stage // see the type for its transitions
	calm     calm
	closing  context.Context    // ends when the loop begins to refuse tasks
	announce context.CancelFunc // ends closing, which has AfterShutdown functions called
	gone     chan struct{}      // closed when the loop has terminated
}
