package supervisor

import (
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/wall"
)

// Overview
//
// There are at most two timers: the arm, which starts the next cycle, and the timeout of the
// current run. Nothing waits for a timer or a run that is withdrawn. An event that comes late, from
// an old arm, an old timeout, or the end of an old run, is recognized by identity and ignored: an
// arm by its number, a run by no longer being the current one.
//
// A cycle takes one road: ring begins it, offer submits the run, conclude ends it, and rest decides
// what follows. One lock guards all of that. It is not held while the pool, the task, or a callback
// is called, or a future is cancelled.

// Runner is what a supervisor runs its task on: an [executor.Pool], [executor.ScheduledPool],
// serial.Serial or event loop. Submit runs the task once, or returns an error; an error that
// matches [executor.ErrShutdown] says that the pool will never run a task again. The future is
// settled when the task has ended or was dropped.
//
// A Runner that also has their method AfterShutdown stops the supervisor as soon as it is shut down.
// Of any other the supervisor finds out at its next cycle.
type Runner interface {
	Submit(task executor.Task, opts ...executor.TaskOption) (*future.Future[struct{}], error)
}

// teller is a Runner that announces its shutdown.
type teller interface {
	AfterShutdown(f func()) (stop func() bool)
}

// Supervisor runs a task again and again; see the package comment. It is made by [New], is safe for
// concurrent use, and must not be copied. Its methods may be called from the task and from
// callbacks.
type Supervisor struct {
	settings
	pool    Runner
	task    executor.Task
	options []executor.TaskOption // for every run
	done    chan struct{}         // closed once stopped and no run is in progress

	mu sync.Mutex // guards the fields below

	state state
	held  bool // suspended, or to be suspended after the cycle in progress or at Start
	again bool // the next run starts without delay; cleared when it begins

	shut   bool        // the pool is shut down: no cycle follows the current one
	forget func() bool // takes back the request to be told of the shutdown; nil if there is none

	arm     *time.Timer    // nil except in state waiting
	armed   uint64         // number of the last arm
	due     time.Time      // when it fires
	current *run           // nil except in state running
	bodies  map[uint64]int // number of bodies of this supervisor on each goroutine
	present int            // runs inside Submit or a body: unfinished ones, and the current one

	backoff     backoff
	agenda      agenda
	cycles      uint64
	counts      counts
	lastSuccess time.Time

	calls   []call // callbacks that are due, in order
	calling bool   // a goroutine is making the calls
}

// New returns a supervisor that runs task on a pool or loop. It does nothing before
// [Supervisor.Start]. New panics if on, task or an option is nil, and on a bad option.
func New(on Runner, task executor.Task, opts ...Option) *Supervisor {
	if on == nil {
		panic("supervisor: nil runner")
	}
	if task == nil {
		panic("supervisor: nil task")
	}
	set := newSettings(opts)
	s := &Supervisor{
		settings: set, pool: on, task: task, done: make(chan struct{}), backoff: newBackoff(&set),
		agenda: agenda{wall: wall.New()},
	}
	if name := set.shared.Name; name != "" {
		s.options = []executor.TaskOption{executor.Name(name)}
	}
	return s
}
