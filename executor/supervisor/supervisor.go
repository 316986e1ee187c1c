package supervisor

import (
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// Pool is where a supervisor has its task run: [executor.Pool], [executor.ScheduledPool],
// [executor.Serial], an event loop. Submit runs the task once, or returns an error;
// [executor.ErrShutdown] says that it will never run one again. The future is settled when the task has
// ended, or is dropped.
//
// A pool that also has the method AfterShutdown of those tells at once when it is shut down, and so
// stops the supervisor, which otherwise finds out at its next cycle.
type Pool interface {
	Submit(task executor.Task, opts ...executor.TaskOption) (*future.Future[struct{}], error)
}

// teller is a Pool that tells when it is shut down.
type teller interface {
	AfterShutdown(f func()) (stop func() bool)
}

// Supervisor runs a task again and again; see the package comment. It is made by [New], is safe for
// concurrent use, and must not be copied. Its methods may be called from the task and from callbacks.
//
// # Overview
//
// There are at most two timers: the arm, which starts the next cycle, and the time-out of the current
// run. What comes of an old one, be it an arm, a time-out, or the end of a run, is told by identity: an
// arm by its number, a run by not being the current one any more. So nothing has to be waited for when
// it is withdrawn, and what comes late finds that it is of no interest.
//
// A cycle goes one road: ring begins it, offer submits the run, conclude ends it, and rest decides what
// follows. One lock guards all of that, and is not held while the pool, the task, or a callback is
// called, or a future is cancelled.
type Supervisor struct {
	settings
	pool    Pool
	task    executor.Task
	options []executor.TaskOption // of every run
	done    chan struct{}         // closed once stopped, when no run is in progress

	mu sync.Mutex // guards the fields below

	state state
	held  bool // suspended, now or once the run in progress or the start lets it
	again bool // the next run is to come at once; cleared when it begins

	shut   bool        // the pool is shut down: there is no cycle after this one
	forget func() bool // has the pool forget that it is to tell; once it has been asked

	arm     *time.Timer    // in state waiting
	armed   uint64         // number of the last arm
	due     time.Time      // when it rings
	current *run           // in state running
	bodies  map[uint64]int // on each goroutine
	present int            // runs that are inside of Submit or their body: unfinished ones, and the current

	backoff     backoff
	cycles      uint64
	counts      counts
	lastSuccess time.Time

	calls   []call // callbacks to be made
	calling bool   // by a goroutine that is at it
}

// New returns a supervisor of task on pool. It does nothing before Start. It panics if pool, task or an
// option is nil, and on a bad option.
func New(pool Pool, task executor.Task, opts ...Option) *Supervisor {
	if pool == nil {
		panic("supervisor: nil pool")
	}
	if task == nil {
		panic("supervisor: nil task")
	}
	set := newSettings(opts)
	s := &Supervisor{settings: set, pool: pool, task: task, done: make(chan struct{}), backoff: newBackoff(&set)}
	if name := set.shared.Name; name != "" {
		s.options = []executor.TaskOption{executor.Name(name)}
	}
	return s
}
