package run

import (
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Env is what the parts of an owner share. The owner fills in the fields of the first group before
// its first task; they do not change afterwards, nor do those of the second, which Open sets.
type Env struct {
	Reporter
	Clocks
	Host   Host
	Lock   *sync.Mutex
	Counts *Counts
	Size   int // how many tasks may run at a time, as made

	Sight         // is told of the owner itself; never nil
	Observed bool // it is told of tasks beside their runs, too
	Recorded bool // CloseRecording may have to wait

	Supply Supply // guarded by the lock
}

// Host is a pool or a loop, as seen by the runs of its tasks. Methods that end in Locked are called
// with the lock held, the others without it.
type Host interface {
	cell.Host

	// PlanOf leads from a cell to its plan.
	PlanOf(c *cell.Cell) *Plan

	// Waiting returns the tasks that wait, and maybe others.
	Waiting() []*cell.Cell

	// NextLocked returns when the next run of c is due, or false if c does not wait for one.
	NextLocked(c *cell.Cell) (at time.Time, planned bool)

	// RequeueLocked moves a waiting task to another time. It reports false if the task does not
	// wait, or may not be moved there any more. It returns what is to be called without the lock, or
	// nil.
	RequeueLocked(c *cell.Cell, when, now int64) (moved bool, then func())

	// SetAsideLocked takes a waiting task out of the queue, begins a run of it for which Aside is
	// set, and returns what takes that through its states without the lock; nil if the task does not
	// wait.
	SetAsideLocked(c *cell.Cell, why Skip) (finish func())

	// MayRepeatLocked reports whether a task with this plan may wait for another run or attempt.
	MayRepeatLocked(pl *Plan) bool

	// Settled is called when a settling is over, as that may be the end of the host.
	Settled()
}

// Counts holds the counters of runs. The owner's lock guards them.
type Counts struct {
	Runs      uint64 // bodies that have ended
	Completed uint64 // tasks ended by their run
	Failures  uint64 // failed runs
	Skipped   uint64 // runs that have left their work out
	Retries   uint64 // failed attempts that another is to follow
	TimedOut  uint64 // runs that have exceeded their timeout
	Expired   uint64 // runs that came too late and did not begin
}

// Supply is whether there are workers for what is due, as the sight of an owner finds out. The lock
// of the owner guards it, and the sight alone sets it.
type Supply uint8

// The states of the supply; package sight says what leads from one to another.
const (
	Calm     Supply = iota // nothing is known to lack a worker
	Watching               // all workers are busy; in a while it is looked whether they still are
	Lacking                // something that is due has lacked a worker for long
)

// Watching reports whether the supply is looked at already. The lock is held.
func (e *Env) Watching() bool { return e.Supply == Watching }

// Short reports whether the owner is short of workers. The lock is held.
func (e *Env) Short() bool { return e.Supply == Lacking }

// RecheckShortageLocked ends a shortage that is over. It is called when that may be so. The lock is
// held.
func (e *Env) RecheckShortageLocked() {
	if e.Supply == Lacking { // so much is inlined
		e.Sight.RecheckShortageLocked()
	}
}

// locked calls f with the lock held and, without it, what f returns, unless that is nil.
func (e *Env) locked(f func() (then func())) {
	then := func() func() {
		e.Lock.Lock()
		defer e.Lock.Unlock() // even if a user's WorkQueue panics
		return f()
	}()
	if then != nil {
		then()
	}
}

// dropped tells the tap that a task has been dropped, with the error of its future.
func (e *Env) dropped(c *cell.Cell, pl *Plan, err error) {
	if e.Observed {
		e.Told(News{What: TaskDropped, Task: c, Plan: pl, Err: err})
	}
}

// over tells the tap that a task has ended after what seemed not to be its last run.
func (e *Env) over(c *cell.Cell, pl *Plan) {
	if e.Observed {
		e.Told(News{What: TaskOver, Task: c, Plan: pl})
	}
}
