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
	"github.com/punctual-go/punctual/future"
)

// poolLoad is what the clients of one pool share.
type poolLoad struct {
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
	l := &poolLoad{recorder: newRecorder(), kind: kind}
	all := l.clients(clients, seed)
	rng := all[0].rng
	l.open(rng)
	end, ends := PoolOp(""), 0
	switch rng.IntN(4) {
	case 0:
		end, ends = PoolShutdown, rng.IntN(operations)
	case 1:
		end, ends = PoolShutdownNow, rng.IntN(operations)
	}
	filled := rng.IntN(3) == 0
	l.run(all, operations, func(c *client, i int) {
		if c.id == 0 && i == ends && end != "" {
			l.shut(c, end)
			return
		}
		l.act(c)
	})
	if end == "" {
		if filled && l.capacity >= 0 {
			l.fill(all[0])
		}
		l.shut(all[0], PoolShutdown)
	}
	do(all[0], PoolInput{Op: PoolAwait}, func() PoolOutput {
		_ = l.pool.AwaitTermination(context.Background())
		return PoolOutput{}
	})
	notes := append(notesOf(all), l.bodies(clients)...)
	l.audit()
	return History{
		Kind: kind, Seed: seed, Workers: l.workers, Capacity: max(l.capacity, 0), Faults: l.faults, Notes: notes,
	}
}

// open makes the pool.
func (l *poolLoad) open(rng *rand.Rand) {
	l.workers, l.capacity = 1+rng.IntN(2), -1
	core := l.workers
	switch l.kind {
	case FIFO:
		l.pool = executor.NewPool(core)
	case Bounded:
		l.capacity = 1 + rng.IntN(3)
		if rng.IntN(2) == 0 {
			core = 1
		}
		l.pool = executor.NewPool(core, executor.MaximumSize(l.workers), executor.BoundedFIFO(l.capacity))
	case HandOff:
		l.capacity = 0
		l.pool = executor.NewPool(rng.IntN(core+1), executor.MaximumSize(l.workers), executor.HandOff())
	case Scheduled:
		l.timed = executor.NewScheduledPool(core)
		l.pool = &l.timed.Pool
	}
}

func (l *poolLoad) act(c *client) {
	switch k := c.rng.IntN(20); {
	case k < 7:
		l.submit(c, PoolExecute)
		if l.kind == FIFO && c.rng.IntN(3) == 0 { // many in a row are dealt to the workers as a hand
			for range 2 + c.rng.IntN(4) {
				l.submit(c, PoolExecute)
			}
		}
	case k < 10:
		l.submit(c, PoolSubmit)
	case k < 13:
		switch {
		case l.timed != nil && c.rng.IntN(2) == 0:
			l.submit(c, PoolSchedule)
		case l.timed != nil:
			l.submit(c, PoolScheduleAt)
		case l.capacity >= 0:
			l.submit(c, PoolSubmitContext)
		default:
			l.submit(c, PoolSubmit)
		}
	case k < 15:
		l.cancel(c)
	case k < 16:
		l.get(c)
	case k < 18:
		l.stats(c)
	default:
		do(c, PoolInput{Op: PoolQueued}, l.queued)
	}
}

func (l *poolLoad) submit(c *client, op PoolOp) {
	in := PoolInput{Op: op}
	switch op {
	case PoolSchedule:
		in.Delay = time.Duration(max(0, c.rng.IntN(20)-8)) * time.Microsecond
	case PoolScheduleAt:
		in.At = l.soon(c)
	}
	l.submitTask(c, in, l.newTask(c))
}

func (l *poolLoad) submitTask(c *client, in PoolInput, t *poolTask) {
	in.Task = t.number
	body := l.body(t)
	ctx, name := context.Background(), executor.Name(strconv.Itoa(t.number))
	if in.Op == PoolSubmitContext {
		ctx = l.patience(20 + c.rng.IntN(200))
	}
	var f *future.Future[struct{}]
	do(c, in, func() PoolOutput {
		var err error
		switch in.Op {
		case PoolExecute:
			err = l.pool.Execute(body)
		case PoolSubmit:
			f, err = l.pool.Submit(body, name)
		case PoolSubmitContext:
			f, err = l.pool.SubmitContext(ctx, body, name)
		case PoolSchedule, PoolScheduleAt:
			var s *executor.ScheduledFuture[struct{}]
			if in.Op == PoolSchedule {
				s, err = l.timed.Schedule(in.Delay, body, name)
			} else {
				s, err = l.timed.ScheduleAt(l.start.Add(in.At), body, name)
			}
			if err == nil {
				f = s.Future
			}
		}
		return PoolOutput{Answer: l.answer(err)}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	t.future = f
}

// answer tells what has become of a submission, and counts it.
func (l *poolLoad) answer(err error) Answer {
	if err == nil {
		l.counts.accepted.Add(1)
		return Accepted
	}
	l.counts.rejected.Add(1)
	switch {
	case errors.Is(err, executor.ErrShutdown):
		return IsShutdown
	case errors.Is(err, executor.ErrSaturated) && errors.Is(err, context.Canceled):
		return GaveUp
	case errors.Is(err, executor.ErrSaturated):
		return Saturated
	case !errors.Is(err, executor.ErrRejected), !errors.Is(err, context.Canceled):
		l.fault("unexpected error of a submission: %v", err)
	}
	return CameLate
}

// fill finds out how many tasks a pool at rest holds: as many as it should, and none more.
func (l *poolLoad) fill(c *client) {
	for s := l.pool.Stats(); s.Busy+s.Queued > 0; s = l.pool.Stats() {
		runtime.Gosched()
	}
	l.stats(c)
	gate := make(chan struct{})
	defer close(gate)
	for i := range l.workers + l.capacity + 1 {
		t := l.newTask(c)
		t.gate = gate
		op := PoolExecute
		if i%2 == 1 {
			op = PoolSubmit
		}
		l.submitTask(c, PoolInput{Op: op}, t)
	}
}
