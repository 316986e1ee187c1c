package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
)

// Task is the function of a task.
type Task = func(ctx context.Context) error

// Overview: a task takes one road, from one part of the pool to the next.
//
//	Door ─► waiting ─► Crew ─► execution ─┬─► Life: it leaves, or all end
//	 ▲         ▲        loans             │
//	 │         └──────────────────────────┘ its next run, its next attempt
//	Jobs, Lane: rings                  Views, Host: what is seen of it
//
//	parts.go, runs.go   the fields, and who may touch them; no code
//	waiting.go          all homes of a task that waits; ready.go says when it may begin
//	door.go             the one way in
//	crew.go, worker.go  who is called for what is due, and the loop of a worker
//	help.go, waits.go   what runs beside the workers, in the place that a wait has lent
//	execution.go        a run, on the goroutine that has it
//	leave.go            where a task goes after its run
//	lifecycle.go        stages, shutdown, what is dropped, the end
//
// One lock guards that road. Two short cuts avoid it, because for tiny tasks it is most of the cost:
// submissions enter through the inbox, and workers claim bare tasks from a batch. Package runqueue
// has the figures. The settling of a future may call those who wait for it, so it happens without
// the lock as well.
//
// Lock order: the pool's lock, then the lock of its inbox, of a cell's extension, or of the plans by
// name. These are leaves: nothing is locked while one of them is held.

// Pool is a pool of workers behind a door: package executor shows it as its Pool, which is this type
// under another name, and says what it promises. A pool never holds its lock while it waits, or while
// it runs code of its user; the one exception is a queue that the user has supplied.
type Pool struct {
	settings
	clock   clock.Clock
	plain   bool        // the queue knows no times: all that is in it is due
	watched atomic.Bool // bare tasks are to record when they start

	Door    Door
	runs    run.Owner // what pools and event loops have in common
	runners runners   // the goroutines that are running its tasks

	waiting waiting // its first part is that of submitters; what every run writes is in the rest

	mu sync.Mutex // guards the fields below, and maximum among the settings

	// What every run touches comes first, in few cache lines.
	Life   Life
	counts counts
	Crew   Crew

	loans loans
	Views Views
}

// Runs returns what pools and event loops have in common. Its fields are not to be changed.
func (p *Pool) Runs() *run.Owner { return &p.runs }

// Host is a Pool as its cells see it: what futures and contexts ask their executor for.
type Host Pool
