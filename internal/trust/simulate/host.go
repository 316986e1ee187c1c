package simulate

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// host is an executor of a program, with the model of how busy it is. The lock of the simulation
// guards the counts.
type host struct {
	program *program
	name    string
	index   int   // tasks of the one may wait for those of a later one, whatever the context
	base    *host // whose places its tasks take: itself, or the pool of a serial executor

	pool      *executor.Pool
	scheduler *executor.ScheduledPool // the same, if it knows times
	submitter executor.Submitter      // nil for a loop
	loop      *eventloop.Loop

	serialized bool // its tasks run one after another, and wait for no later one
	exclusive  bool // no two of its tasks are ever active
	bounded    bool // there may be no room
	blocks     bool // a submitter waits for room
	callerRuns bool // a submitter may run its task itself

	core    int // workers that come for whatever waits
	size    int // how many tasks may be active
	maxSize int // the largest size since the host was at rest
	runs    int // and hooks of them
	active  int // bodies that do not wait for others of the host
	busy    int // these, and hooks that do not
	callers int // goroutines that run a body, and are not the host's
	// A wait has ended before its target, or there may be help without certainty.
	uncertain bool
	resumedAt time.Duration // when a wait of a run has ended last,
	resumed   int           // and how many have at that time
	// The runs for which there have been waits without certainty since nothing ran.
	helpedFor      map[*job]bool
	uncertainWaits int  // waits without certainty and limit that may be drawn still
	ended          bool // it has been told to end

	inside int // who is active writes it without a lock, if the host confines its tasks
}

// countsExactly reports whether the host may not have more active bodies than its size. Otherwise
// it may start as many again, and runs whose waits have ended go on beside them.
func (h *host) countsExactly() bool { return h.exclusive || !h.uncertain }

// mayHelp reports whether the host may run one more task for the sake of a wait.
func (h *host) mayHelp(certain bool) bool {
	spare := h.size + h.callers - h.busy
	return spare > 0 && certain || !h.exclusive && spare > -h.size
}

// lifecycleAPI is what ends an executor.
type lifecycleAPI interface {
	Shutdown()
	ShutdownNow() []executor.Pending
	CloseContext(context.Context) (executor.Report, error)
	AwaitTermination(context.Context) error
	Terminated() <-chan struct{}
}

func (h *host) lifecycle() lifecycleAPI {
	if h.loop != nil {
		return h.loop
	}
	return h.pool
}

// stats returns the statistics of the host.
func (h *host) stats() counts {
	if h.loop != nil {
		c := h.loop.Stats()
		return counts{c.Busy, c.Queued, c.Accepted, c.Completed, c.Cancelled, c.Returned, c.Runs}
	}
	return poolStats(h.pool)()
}
