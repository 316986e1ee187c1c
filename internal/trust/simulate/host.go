package simulate

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/trust/lifo"
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

// submit submits the task of j in the way that was drawn for it.
func (h *host) submit(j *job, ctx context.Context) (f *future.Future[int], err error) {
	switch {
	case h.loop != nil && j.bare:
		err = h.loop.Execute(j.run)
	case h.loop != nil:
		f, err = eventloop.Submit(h.loop, j.body, executor.Name(j.name))
	case j.delay > 0:
		timed, err := executor.Schedule(h.scheduler, j.delay, j.body, executor.Name(j.name))
		if err != nil {
			return nil, err
		}
		return timed.Future, nil
	case j.waitsForRoom:
		f, err = executor.SubmitContext(ctx, h.submitter, j.body, executor.Name(j.name))
	case j.bare:
		err = h.execute(j.run)
	case j.unnamed:
		f, err = executor.Submit(h.submitter, j.body)
	default:
		f, err = executor.Submit(h.submitter, j.body, executor.Name(j.name))
	}
	return f, err
}

func (h *host) execute(task executor.Task) error {
	if serial, ok := h.submitter.(*executor.Serial); ok {
		return serial.Execute(task)
	}
	return h.pool.Execute(task)
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

// open makes the hosts of a program: a pool of any kind, a serial executor over it, another pool,
// and a loop.
func (p *program) open() {
	h := &host{program: p, name: "pool"}
	h.base = h
	p.drawPool(h)
	h.submitter = h.pool
	s := &host{program: p, name: "serial", base: h, pool: h.pool, serialized: true,
		exclusive: h.exclusive, bounded: h.bounded}
	s.submitter = executor.NewSerial(h.pool)
	if p.queuePanics {
		s.submitter, s.serialized = h.pool, false
	}
	q := &host{program: p, name: "other", index: 1, core: 1 + p.rng.IntN(2)}
	q.base, q.size, q.maxSize = q, q.core, q.core
	q.pool = executor.NewPool(q.core, executor.Logger(silent))
	q.submitter = q.pool
	l := &host{program: p, name: "loop", index: 2, serialized: true, core: 1, size: 1, maxSize: 1}
	l.base, l.loop = l, eventloop.New(executor.Logger(silent))
	p.hosts = []*host{h, s, q, l}
}

// drawPool draws the kind of the first pool.
func (p *program) drawPool(h *host) {
	h.core = []int{1, 1, 2, 4}[p.rng.IntN(4)]
	opts := p.drawCallbacks(h)
	kind := p.rng.IntN(9)
	switch kind {
	case 0, 1, 2: // the default queue
	case 3:
		opts = append(opts, executor.PriorityFIFO())
	case 4:
		h.bounded = true
		opts = append(opts, executor.BoundedFIFO(p.rng.IntN(4)))
	case 5:
		h.bounded = true
		opts = append(opts, executor.PriorityFIFO().Bounded(1+p.rng.IntN(3)))
	case 6:
		h.bounded = true
		opts = append(opts, executor.HandOff())
	case 7:
		newQueue := func() executor.WorkQueue { return new(lifo.Queue) }
		if p.misbehaves { // then there are no serial tasks, as workers push these
			p.queuePanics = true
			newQueue = func() executor.WorkQueue { return new(panickingQueue) }
		}
		opts = append(opts, executor.CustomQueue(newQueue))
	case 8:
		h.core, h.exclusive = 1, true
	}
	h.size = h.core
	if h.bounded && p.oneIn(3) {
		h.size += 1 + p.rng.IntN(2)
		opts = append(opts, executor.MaximumSize(h.size))
	}
	h.maxSize, h.callerRuns = h.size, h.bounded // SubmitContext has a run do it itself
	if h.bounded {
		opts = append(opts, p.drawRejection(h))
	}
	switch timed := kind <= 2 && p.oneIn(2) || kind == 8 && p.oneIn(2); {
	case h.exclusive && timed:
		h.scheduler = executor.NewScheduledPool(1, append(opts, executor.Confined())...)
		h.pool = &h.scheduler.Pool
	case h.exclusive:
		h.pool = executor.NewPool(1, append(opts, executor.Confined())...)
	case timed:
		h.scheduler = executor.NewScheduledPool(h.core, opts...)
		h.pool = &h.scheduler.Pool
	default:
		h.pool = executor.NewPool(h.core, opts...)
	}
	p.resizable = kind <= 3 && p.oneIn(3)
}

// drawRejection draws what becomes of tasks for which there is no room.
func (p *program) drawRejection(h *host) executor.Option {
	switch p.rng.IntN(5) {
	case 0, 1:
		return executor.OnRejection(executor.CallerRuns)
	case 2:
		h.blocks = true
		return executor.OnRejection(executor.Block)
	case 3:
		return executor.OnRejection(p.callThenDecide)
	}
	return executor.OnRejection(executor.Abort)
}

// callThenDecide is a rejection policy that makes a call of its own before it decides.
func (p *program) callThenDecide(r *executor.Rejection) error {
	p.mu.Lock()
	j := p.byName[r.Name()]
	p.mu.Unlock()
	if j == nil || j.onRejection == nil {
		return r.Run()
	}
	p.makeCall(j.onRejection, j.onRejection.job.scope())
	ctx, cancel := context.WithTimeout(context.Background(), grid)
	defer cancel()
	if j.id%2 == 0 || r.Retry() != nil && r.Wait(ctx) != nil {
		return r.Run()
	}
	return nil
}

// resize changes the size of the first pool.
func (p *program) resize(n int) {
	h := p.hosts[0]
	p.mu.Lock()
	p.advanceLocked()
	smaller := n < h.core
	if smaller {
		h.core, h.size = n, n
	}
	h.maxSize = max(h.maxSize, n)
	p.mu.Unlock()
	err := h.pool.SetCoreSize(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advanceLocked()
	h.core, h.size = n, n
	if err != nil {
		p.faultLocked(&p.report.Lost, "core size %d: %v", n, err)
	}
}
