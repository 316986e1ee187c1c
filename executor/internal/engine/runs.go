package engine

import (
	"container/list"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// execution runs one task after another on the goroutine of its owner: a worker, a caller that runs
// what the pool has no room for, or a helper that runs what another run waits for. Package run has
// the states of a run.
//
// A bare task has no future, name, or hooks, and is usually tiny. It has a short cut here, which
// leaves out whatever nobody can observe.
type execution struct {
	run.Execution
	pool *Pool

	// See runners; the owner's own.
	goroutine uint64
	outer     *execution // what its goroutine was running when this began; may be nil
	depth     int        // number of executions outside this one

	waits *await // of the run, if that waits for other tasks; guarded by the pool's lock

	// About the task; the owner's own.
	spent  bool // the own cell has ended for good and must be replaced
	labels bool // the goroutine is the pool's own, and carries its labels
	bare   bool // the task has no future: the worker's own cell serves for it
}

// worker runs the tasks of its pool, one at a time, on a goroutine of its own. If a task or a hook
// ends that goroutine by Goexit, another takes its place under the same worker, so the pool keeps
// its size.
//
//	started -> taking    its goroutine runs
//	started -> running   its goroutine runs, and it was started with a task
//	taking  -> parked    nothing is due
//	parked  -> taking    it is called, or the head is due
//	taking  -> taking    something is due in an instant: it spins
//	taking  -> running   a task is due
//	running -> taking    the task is settled, or about to be queued for its next run
//	running -> running   it has claimed the next task of a batch
//	taking  -> gone      it is idle above the core size, or the pool is at its end
type worker struct {
	execution
	place *parking.Waiter // where it parks
	limit *time.Timer     // the keep-alive; made on first use
	own   *cell.Cell      // serves bare tasks, one after another; nil before the first

	arrived  bool // the lot no longer expects it; guarded by the pool's lock
	begun    bool // started with a task, which it has not run yet
	gone     bool // its goroutine is to end, not by Goexit; its own
	watching bool // it has promised to be back, see handOverLocked; guarded by the pool's lock
	watch    parking.Watch

	awake int64 // when it last stopped waiting; 0 before it has waited
	lag   int64 // how much later that was than it had meant to, which is up to the system

	batch *runqueue.Batch // claims from it need no lock; the field is guarded by the pool's lock
	ran   uint64          // claimed tasks that ended and are not in the pool's counts; its own
}

// extraRun runs a task on a goroutine that is not a worker's. Either that is a caller's, under the
// policy [CallerRuns], or it is a helper, which runs the task that another run waits for, see
// await. The pool does not end before its extra runs have.
//
//	begin, helpWithLocked -> serving   its task is started
//	serving -> leaving                 done, or Goexit
//	leaving -> gone                    depart
type extraRun struct {
	execution
	helps bool   // a helper, on a goroutine of the pool
	await *await // of a helper: the wait that it serves; may be nil
}

// extraRuns are the extra runs of a pool. Its lock guards them.
type extraRuns map[*extraRun]struct{}

// await is a wait for tasks of the pool, or for room in its queue.
//
//	waiting -> helped    helpLocked: a helper runs what it waits for
//	waiting -> denied    the pool is overdrawn too far; freedLocked tries again
//	denied  -> helped    a place is free
//	helped  -> waiting   the helper has ended, and the wait has not
//	any     -> over      resume; or returnLocked, a moment before
//
// If it is certain, its run has lent its place, from await on, until one of them gives it back.
type await struct {
	by     *execution    // the run that waits; nil if not certain
	cells  []*cell.Cell  // waited for; the first that is due is helped
	all    bool          // waits for all of cells, not only for the first
	over   bool          // the wait has ended, or is about to
	lent   *list.Element // its place in awaits.lent; nil if its run has not lent its own
	served bool          // a helper runs the only cell that it waits for
	denied *list.Element // its place in awaits.denied, or nil
	timer  *time.Timer   // for the time of what is not due, or for patience
	freed  chan struct{} // closed when its run has its place again; see awaits.resumes

	// Of a wait that is not certain:
	run      cell.Run      // on whose behalf it waits
	patience time.Duration // before the next try
	forRoom  bool          // it waits for room in the queue, not for cells
}

// awaits are what a pool knows about waits. Its lock guards them. See activeLocked for how the
// numbers add up.
type awaits struct {
	lent    list.List        // awaits whose runs have lent their places, first those served
	nested  int              // runs inside others, on the same goroutine
	callers int              // goroutines not of the pool that run a task of it
	helping int              // helpers that are running
	behalf  map[cell.Run]int // of these, those for waits that are not certain, by run
	denied  list.List        // awaits that could not be helped, as the pool was overdrawn
	resumes []*await         // whose waits are over, but whose place is not free yet
}

// blockedSubmitters are the submitters that wait for room, in the order in which they came. The
// pool's lock guards them.
//
// While there is any, there is no room for it: whoever makes room calls admitLocked before
// unlocking, so that no later submission overtakes. A task behind another of its serial executor
// needs room of another kind, as it needs no worker yet; without that it is passed by, and holds up
// nobody.
type blockedSubmitters struct{ list list.List }

// blockedSubmitter is one of them.
//
//	waiting -> admitted   admitLocked, bypassLocked: its task is queued, or runs
//	waiting -> refused    refuseAllLocked: the pool is shut down
//	waiting -> gone       withdraw: its context has ended, or that of its task
type blockedSubmitter struct {
	cell     *cell.Cell
	decided  chan struct{} // closed when it is admitted or refused; the lock is held then
	err      error         // why it was refused
	panicked any           // by the Push of a user's WorkQueue, on another goroutine
}

// runners knows which goroutines run tasks of a pool, and which run is the innermost on each.
// Whether a caller lends its place, runs a task by itself, or would wait for itself depends on who
// it is, so that must be certain. A context is not: tasks pass theirs on, to goroutines, to other
// tasks, to other pools. To look costs some nanoseconds and takes no lock.
//
// A goroutine is entered before it runs its first task, and leaves before it ends: its number may
// be given to another one then.
type runners struct{ innermost sync.Map } // from uint64 to *execution
