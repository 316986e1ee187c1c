package history

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/shardcount"
)

// poolWorkload is what the clients of one pool share.
type poolWorkload struct {
	*recorder
	kind     string
	pool     *executor.Pool
	timed    *executor.ScheduledPool // the same, if it has times
	workers  int
	capacity int
	counts   poolCounts // what the pool should have counted

	mu    sync.Mutex
	tasks []*poolTask // by number
}

type poolCounts struct{ accepted, rejected, cancelled, returned atomic.Uint64 }

// recordPool has some clients use a new pool, and shuts it down, if they have not.
func recordPool(kind string, seed uint64) History {
	const clients, operations = 3, 8
	w := &poolWorkload{recorder: newRecorder(), kind: kind}
	all := w.clients(clients, seed)
	rng := all[0].rng
	w.open(rng)
	end, ends := PoolOp(""), 0
	switch rng.IntN(4) {
	case 0:
		end, ends = PoolShutdown, rng.IntN(operations)
	case 1:
		end, ends = PoolShutdownNow, rng.IntN(operations)
	}
	filled := rng.IntN(3) == 0
	w.run(all, operations, func(c *client, i int) {
		if c.id == 0 && i == ends && end != "" {
			w.shutDown(c, end)
			return
		}
		w.step(c)
	})
	if end == "" {
		if filled && w.capacity >= 0 {
			w.fill(all[0])
		}
		w.shutDown(all[0], PoolShutdown)
	}
	do(all[0], PoolInput{Op: PoolAwait}, func() PoolOutput {
		_ = w.pool.AwaitTermination(context.Background())
		return PoolOutput{}
	})
	notes := append(notesOf(all), w.bodies(clients)...)
	w.audit()
	return History{
		Kind: kind, Seed: seed, Workers: w.workers, Capacity: max(w.capacity,
			0), Faults: w.faults, Notes: notes,
	}
}

// open makes the pool.
func (w *poolWorkload) open(rng *rand.Rand) {
	w.workers, w.capacity = 1+rng.IntN(2), -1
	core := w.workers
	switch w.kind {
	case FIFO:
		w.pool = executor.NewPool(core)
	case Bounded:
		w.capacity = 1 + rng.IntN(3)
		if rng.IntN(2) == 0 {
			core = 1
		}
		w.pool = executor.NewPool(core, executor.MaximumSize(w.workers),
			executor.Queue(queue.Bounded(w.capacity)))
	case HandOff:
		w.capacity = 0
		w.pool = executor.NewPool(rng.IntN(core+1), executor.MaximumSize(w.workers),
			executor.Queue(queue.HandOff()))
	case Scheduled:
		shardcount.Draw(rng.IntN)
		w.timed = executor.NewScheduledPool(core)
		w.pool = &w.timed.Pool
	}
}

func (w *poolWorkload) step(c *client) {
	switch k := c.rng.IntN(20); {
	case k < 7:
		w.submit(c, PoolExecute)
		// A pool passes many plain tasks in a row to a worker in one piece.
		if w.kind == FIFO && c.rng.IntN(3) == 0 {
			for range 2 + c.rng.IntN(4) {
				w.submit(c, PoolExecute)
			}
		}
	case k < 10:
		w.submit(c, PoolSubmit)
	case k < 13:
		switch {
		case w.timed != nil && c.rng.IntN(2) == 0:
			w.submit(c, PoolSchedule)
		case w.timed != nil:
			w.submit(c, PoolScheduleAt)
		case w.capacity >= 0:
			w.submit(c, PoolSubmitContext)
		default:
			w.submit(c, PoolSubmit)
		}
	case k < 14:
		w.cancel(c)
	case k < 15:
		if c.rng.IntN(2) == 0 {
			w.pause(c)
			return
		}
		w.command(c)
	case k < 16:
		w.get(c)
	case k < 18:
		w.stats(c)
	default:
		do(c, PoolInput{Op: PoolQueued}, w.queued)
	}
}

func (w *poolWorkload) submit(c *client, op PoolOp) {
	in := PoolInput{Op: op}
	switch op {
	case PoolSchedule:
		in.Delay = time.Duration(max(0, c.rng.IntN(20)-8)) * time.Microsecond
	case PoolScheduleAt:
		in.At = w.soon(c)
	}
	w.submitTask(c, in, w.newTask(c))
}

func (w *poolWorkload) submitTask(c *client, in PoolInput, t *poolTask) {
	in.Task = t.number
	body := w.body(t)
	ctx, name := context.Background(), executor.Name(strconv.Itoa(t.number))
	if in.Op == PoolSubmitContext {
		ctx = w.contextFor(20 + c.rng.IntN(200))
	}
	var f *future.Future[struct{}]
	var timed *executor.ScheduledFuture[struct{}]
	do(c, in, func() PoolOutput {
		var err error
		switch in.Op {
		case PoolExecute:
			err = w.pool.Execute(body)
		case PoolSubmit:
			f, err = w.pool.Submit(body, name)
		case PoolSubmitContext:
			f, err = w.pool.SubmitContext(ctx, body, name)
		case PoolSchedule, PoolScheduleAt:
			var s *executor.ScheduledFuture[struct{}]
			if in.Op == PoolSchedule {
				s, err = w.timed.Schedule(in.Delay, body, name)
			} else {
				s, err = w.timed.ScheduleAt(w.start.Add(in.At), body, name)
			}
			if err == nil {
				f, timed = s.Future, s
			}
		}
		return PoolOutput{Answer: w.answer(err)}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	t.future, t.timed = f, timed
}

// answer tells what has become of a submission, and counts it.
func (w *poolWorkload) answer(err error) Answer {
	if err == nil {
		w.counts.accepted.Add(1)
		return Accepted
	}
	w.counts.rejected.Add(1)
	switch {
	case errors.Is(err, executor.ErrShutdown):
		return IsShutdown
	case errors.Is(err, executor.ErrSaturated) && errors.Is(err, context.Canceled):
		return GaveUp
	case errors.Is(err, executor.ErrSaturated):
		return Saturated
	case !errors.Is(err, executor.ErrRejected), !errors.Is(err, context.Canceled):
		w.fault("unexpected error of a submission: %v", err)
	}
	return CameLate
}

// fill finds out how many tasks a pool at rest holds: as many as it should, and none more.
func (w *poolWorkload) fill(c *client) {
	for s := w.pool.Stats(); s.Busy+s.Queued > 0; s = w.pool.Stats() {
		runtime.Gosched()
	}
	w.stats(c)
	gate := make(chan struct{})
	defer close(gate)
	for i := range w.workers + w.capacity + 1 {
		t := w.newTask(c)
		t.gate = gate
		op := PoolExecute
		if i%2 == 1 {
			op = PoolSubmit
		}
		w.submitTask(c, PoolInput{Op: op}, t)
	}
}
