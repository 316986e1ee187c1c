package simulate

import (
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/trust/lifo"
)

// open makes the hosts of a program: a pool of any kind, a serial executor over it, another pool,
// and a loop.
func (e *generator) open() {
	h := &host{program: e.program, name: "pool"}
	h.base = h
	e.drawPool(h)
	h.submitter = h.pool
	s := &host{program: e.program, name: "serial", base: h, pool: h.pool, serialized: true,
		exclusive: h.exclusive, bounded: h.bounded}
	s.submitter = serial.New(h.pool)
	if e.queuePanics {
		s.submitter, s.serialized = h.pool, false
	}
	q := &host{program: e.program, name: "other", index: 1, core: 1 + e.rng.IntN(2)}
	q.base, q.size, q.maxSize = q, q.core, q.core
	q.pool = executor.NewPool(q.core, executor.Logger(silent))
	q.submitter = q.pool
	l := &host{program: e.program, name: "loop", index: 2, serialized: true, core: 1, size: 1,
		maxSize: 1}
	l.base, l.loop = l, eventloop.New(executor.Logger(silent))
	e.hosts = []*host{h, s, q, l}
}

// drawPool draws the kind of the first pool.
func (e *generator) drawPool(h *host) {
	h.core = []int{1, 1, 2, 4}[e.rng.IntN(4)]
	opts := e.callbacks.drawCallbacks(h)
	kind := e.rng.IntN(9)
	switch kind {
	case 0, 1, 2: // the default queue
	case 3:
		opts = append(opts, executor.Queue(queue.Priority()))
	case 4:
		h.bounded = true
		opts = append(opts, executor.Queue(queue.Bounded(e.rng.IntN(4))))
	case 5:
		h.bounded = true
		opts = append(opts, executor.Queue(queue.Priority().Bounded(1+e.rng.IntN(3))))
	case 6:
		h.bounded = true
		opts = append(opts, executor.Queue(queue.HandOff()))
	case 7:
		newQueue := func() queue.WorkQueue { return new(lifo.Queue) }
		if e.callbacks.misbehaves { // then there are no serial tasks, as workers push these
			e.queuePanics = true
			newQueue = func() queue.WorkQueue { return new(panickingQueue) }
		}
		opts = append(opts, executor.Queue(queue.Custom(newQueue)))
	case 8:
		h.core, h.exclusive = 1, true
	}
	h.size = h.core
	if h.bounded && e.oneIn(3) {
		h.size += 1 + e.rng.IntN(2)
		opts = append(opts, executor.MaximumSize(h.size))
	}
	h.maxSize, h.callerRuns = h.size, h.bounded // SubmitContext has a run do it itself
	if h.bounded {
		opts = append(opts, e.drawRejection(h))
	}
	switch timed := kind <= 2 && e.oneIn(2) || kind == 8 && e.oneIn(2); {
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
	e.resizable = kind <= 3 && e.oneIn(3)
}

// drawRejection draws what becomes of tasks for which there is no room.
func (e *generator) drawRejection(h *host) executor.Option {
	switch e.rng.IntN(5) {
	case 0, 1:
		return executor.OnRejection(rejection.CallerRuns)
	case 2:
		h.blocks = true
		return executor.OnRejection(rejection.Block)
	case 3:
		return executor.OnRejection(e.player.callThenDecide)
	}
	return executor.OnRejection(rejection.Abort)
}
