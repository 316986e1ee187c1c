package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
	"github.com/punctual-go/punctual/internal/series"
	"github.com/punctual-go/punctual/internal/wall"
)

// Task is the function of a task.
type Task = func(ctx context.Context) error

// Overview: a task takes one road. accept puts it into the queue; a worker takes it out once it is
// due, runs it, and settles its future or queues its next run. One lock guards that road. Two short
// cuts avoid the lock, because for tiny tasks it is most of the cost: submissions enter through the
// inbox, and workers claim bare tasks from a batch. Package runqueue has the figures.
//
// The settling of a future may call those who wait for it, so it happens without the lock as well.
//
// Lock order: the pool's lock, then the lock of its inbox or of a cell's extension. These two are
// leaves: nothing is locked while one of them is held.

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
	jobs  jobs
	Views Views
}

// Init makes p ready for its first task. A plain pool knows no times. The settings go together: that
// has been checked. Init starts no goroutine.
func (p *Pool) Init(core int, plain bool, s Settings) {
	p.plain = plain
	p.settings.init(s)
	// Above 0: in Started that stands for a start which nobody has timed, see unread.
	p.clock = clock.New(1)
	p.runs = run.Owner{
		Reporter:    run.Reporter{Settings: p.Shared, Kind: "pool"},
		Host:        (*Host)(p),
		Lock:        &p.mu,
		Clock:       p.clock,
		Wall:        wall.New(),
		Unnamed:     run.Labelled(p.Shared.Base, p.Shared.Name, ""),
		ErrShutdown: ErrShutdown,
		Counts:      &p.counts.Counts,
		Settled:     p.Life.settled,
		Requeue:     p.requeueLocked,
		MayRepeat:   p.Life.mayRepeatLocked,
		SetAside:    p.loans.setAsideLocked,
	}
	p.Crew.core, p.Crew.maximum = core, s.Maximum
	p.jobs.pool, p.loans.pool, p.waiting.pool, p.Crew.pool = p, p, p, p
	p.Life.pool, p.Views.pool, p.Door.pool = p, p, p
	p.runs.Size = p.Crew.sizeAsMade()
	sight.Open(&p.runs, (*crewView)(p), p.Before != nil || p.After != nil)
	p.Door.special = len(p.Decorate) > 0 || p.Shared.Defaults != nil
	p.Door.submitted, p.Door.executed = p.newPlan(series.Options{}), p.newPlan(series.Options{})
	p.Door.submitted.shared, p.Door.executed.shared = true, true
	p.Door.executed.Reports = true
	p.watched.Store(p.runs.OnError != nil || p.runs.Watched)
	p.waiting.queue = p.waiting.newQueue()
	p.Crew.lot = parking.New(&p.mu, p.clock)
	p.Crew.lot.OnGuard(func() { p.Crew.notifyLocked(unread) })
	if !p.plain {
		p.Crew.slack = int64(p.Shared.SlackOr(p.Crew.lot.Virtual()))
	}
	p.Life.closing, p.Life.announce = context.WithCancel(context.Background())
	p.Life.done = make(chan struct{})
	p.Crew.workers = make(map[*worker]struct{})
}

// Runs returns what pools and event loops have in common. Its fields are not to be changed.
func (p *Pool) Runs() *run.Owner { return &p.runs }

// newQueue returns the queue that the options ask for. It also sets the inbox through which
// submissions reach the queue without the pool's lock. There is none under a [PendingLimit],
// because the inbox cannot see what waits elsewhere, nor for a plain pool whose queue is bounded or
// ordered.
func (ws *waiting) newQueue() runqueue.Queue {
	var order *atomic.Uint64
	if !ws.pool.plain {
		order = &ws.order
	}
	front := runqueue.NewInbox(ws.pool.Door.executed.Cells(), order)
	if ws.pool.PendingLimit == 0 && (!ws.pool.plain || ws.pool.Simple) {
		ws.inbox = front
	}
	if !ws.pool.plain {
		q := runqueue.NewDelayed(front)
		q.ReadyAt = ws.readyAt
		return q
	}
	if ws.inbox != nil {
		return ws.inbox
	}
	q := ws.pool.MakeQueue()
	ws.custom, _ = q.(Custom)
	return q
}

// Custom is a queue that the user supplied. The place of a task there is its own business, so it is
// asked which tasks it has.
type Custom interface {
	runqueue.Queue
	Holds(c *cell.Cell) bool
}
