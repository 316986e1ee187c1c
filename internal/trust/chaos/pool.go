package chaos

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"runtime"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/trust/lifo"
)

// poolChaos is chaos on a Pool of any shape, with all that submits to one.
type poolChaos struct {
	*round
	pool   *executor.Pool
	serial *serial.Serial
	keyed  *serial.Keyed[int]
	finish *bulk.CompletionService[int]
	group  *bulk.Group

	values []*future.Future[int] // the round's lock guards it
}

func poolRound(r *round) {
	p, shape := newPool(r.rng)
	s := &poolChaos{
		round: r, pool: p,
		serial: serial.New(p),
		keyed:  serial.NewKeyed[int](p),
		finish: bulk.NewCompletionService[int](p),
		group:  bulk.NewGroup(context.Background(), p),
	}
	state := func() string { return shape + " " + p.String() }
	r.state.Store(&state)
	handedBack := 0
	r.run(40, s.step, func(rng *rand.Rand) { handedBack = s.end(rng) })
	<-p.Terminated()
	s.audit()
	r.auditPool(p.Stats(), handedBack)
}

// newPool returns a pool of random shape.
func newPool(rng *rand.Rand) (p *executor.Pool, shape string) {
	core := rng.IntN(4)
	opts := []executor.Option{
		executor.Logger(slog.New(slog.DiscardHandler)), executor.Name("chaos"),
		executor.KeepAlive(micros(rng, 200)),
	}
	add := func(opt executor.Option, chance int) {
		if rng.IntN(chance) == 0 {
			opts = append(opts, opt)
		}
	}
	shape = "FIFO"
	switch rng.IntN(6) {
	case 0:
		shape, opts = "bounded", append(opts, executor.Queue(queue.Bounded(rng.IntN(20))))
	case 1:
		shape, opts = "hand-off", append(opts, executor.Queue(queue.HandOff()))
	case 2:
		shape, opts = "priority", append(opts, executor.Queue(queue.Priority()))
	case 3:
		newest := queue.Custom(func() queue.WorkQueue { return new(lifo.Queue) })
		shape, opts = "bounded, the newest first", append(opts, executor.Queue(newest.Bounded(rng.IntN(20))))
	}
	add(executor.MaximumSize(max(core, 1)+rng.IntN(3)), 2)
	add(executor.GrowFirst(), 4)
	add(executor.PendingLimit(1+rng.IntN(20)), 4)
	add(executor.AfterRun(exitsSometimes), 4)
	return executor.NewPool(core, append(opts, executor.OnRejection(somePolicy(rng)))...), shape
}

// exitsSometimes is a hook that ends the goroutine of its run now and then.
func exitsSometimes(context.Context, executor.Run, error) {
	if rand.IntN(20) == 0 {
		runtime.Goexit()
	}
}

// somePolicy does not discard silently: a task of Execute that was discarded would pass for a lost
// one.
func somePolicy(rng *rand.Rand) rejection.Policy {
	return []rejection.Policy{rejection.Abort, rejection.CallerRuns,
		rejection.Block}[rng.IntN(3)]
}

// end ends the pool in one of four ways, and returns how many tasks it has handed back.
func (s *poolChaos) end(rng *rand.Rand) (handedBack int) {
	switch rng.IntN(4) {
	case 0:
		s.pool.Shutdown()
	case 1:
		handedBack = len(s.pool.ShutdownNow())
	case 2:
		s.demand(s.pool.Close() == nil, "Close has failed")
	case 3:
		ctx, cancel := context.WithTimeout(context.Background(), micros(rng, 1000))
		defer cancel()
		report, _ := s.pool.CloseContext(ctx)
		handedBack = len(report.Dropped)
	}
	return handedBack
}

// audit checks what was not submitted task by task.
func (s *poolChaos) audit() {
	_ = s.group.Wait()
	for f := range s.finish.All(context.Background()) {
		s.values = append(s.values, f)
	}
	s.demand(s.finish.Outstanding() == 0, "a completion service waits on")
	s.demand(s.keyed.Keys() == 0, "a key is left")
	for _, f := range s.values {
		if _, settled := f.Poll(); !settled {
			s.fault(&s.lost, "the future of a value outlives its pool")
			continue
		}
		<-f.Stopped()
	}
}

// step is one random operation of a participant.
func (s *poolChaos) step(rng *rand.Rand) {
	p := s.pool
	switch rng.IntN(22) {
	case 0, 1, 2:
		s.execute(rng, p.Execute)
	case 3, 4, 5:
		s.submit(rng, func(task executor.Task) (*future.Future[struct{}], error) {
			return p.Submit(task, executor.Priority(rng.IntN(3)),
				executor.Timeout(1+micros(rng, 300)))
		})
	case 6, 7:
		s.submit(rng, func(task executor.Task) (*future.Future[struct{}],
			error) {
			return p.Submit(task)
		})
	case 8:
		s.submit(rng, func(task executor.Task) (*future.Future[struct{}], error) {
			ctx, cancel := impatient(rng)
			defer cancel()
			return p.SubmitContext(ctx, task)
		})
	case 9, 10:
		s.disturb(rng)
	case 11:
		s.resize(rng)
	case 12:
		_ = p.SetRejectionPolicy(somePolicy(rng))
	case 13:
		s.execute(rng, s.serial.Execute)
	case 14:
		s.submit(rng, func(task executor.Task) (*future.Future[struct{}],
			error) {
			return s.serial.Submit(task)
		})
	case 15:
		key := rng.IntN(3)
		s.execute(rng, func(task executor.Task, opts ...executor.TaskOption) error {
			return s.keyed.Execute(key, task, opts...)
		})
	case 16:
		s.submit(rng, func(task executor.Task) (*future.Future[struct{}], error) {
			ctx, cancel := impatient(rng)
			defer cancel()
			return s.keyed.SubmitContext(ctx, rng.IntN(3), task)
		})
	case 17:
		_ = s.group.Go(s.body(rng))
	case 18:
		_, _ = s.finish.Submit(value, executor.Name("value"))
		ctx, cancel := impatient(rng)
		defer cancel()
		_, _ = s.finish.Take(ctx)
	case 19:
		s.bulk(context.Background(), rng.IntN(2) == 0)
	case 20:
		_, _, _ = p.Queued(), p.Running(), p.Stats()
	case 21:
		p.PrestartWorkers()
	}
}

func (s *poolChaos) resize(rng *rand.Rand) {
	switch p := s.pool; rng.IntN(4) {
	case 0:
		_ = p.SetCoreSize(rng.IntN(4))
	case 1:
		_ = p.SetMaximumSize(1 + rng.IntN(4))
	case 2:
		_ = p.SetKeepAlive(micros(rng, 200))
	case 3:
		_ = p.SetCoreTimeout(rng.IntN(2) == 0)
	}
}

func (s *poolChaos) execute(
	rng *rand.Rand, how func(executor.Task, ...executor.TaskOption) error,
) {
	rec, task := s.track(0, s.body(rng))
	s.record(rec, nil, how(task))
}

func (s *poolChaos) submit(rng *rand.Rand,
	how func(executor.Task) (*future.Future[struct{}], error)) {
	rec, task := s.track(0, s.body(rng))
	f, err := how(task)
	s.record(rec, f, err)
}

func impatient(rng *rand.Rand) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), micros(rng, 200))
}

func value(context.Context) (int, error) { return rand.IntN(100), nil }

// bulk runs some functions at once. In a task it gets the context of that.
func (s *poolChaos) bulk(ctx context.Context, any bool) {
	if any {
		_, _ = executor.InvokeAny(ctx, s.pool, value, value)
		return
	}
	fs, _ := executor.InvokeAll(ctx, s.pool, value, value, value)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values = append(s.values, fs...)
}

// body returns a task that does one of the things tasks do.
func (s *poolChaos) body(rng *rand.Rand) executor.Task {
	switch rng.IntN(12) {
	case 0:
		return func(context.Context) error { panic("chaos") }
	case 1:
		return func(context.Context) error { return errors.New("chaos") }
	case 2:
		return waitsBriefly
	case 3:
		return func(context.Context) error {
			s.disturb(rand.New(rand.NewPCG(rand.Uint64(), 0)))
			return nil
		}
	case 4:
		return func(context.Context) error {
			rec, task := s.track(0, nothing)
			s.record(rec, nil, s.pool.Execute(task))
			return nil
		}
	case 5:
		return func(ctx context.Context) error { s.bulk(ctx, rand.IntN(2) == 0); return nil }
	case 6:
		return func(ctx context.Context) error {
			rec, task := s.track(0, nothing)
			f, err := s.pool.Submit(task)
			if s.record(rec, f, err); err == nil {
				_, err = f.Get(ctx)
			}
			return err
		}
	case 7:
		return func(ctx context.Context) error {
			rec, task := s.track(0, nothing)
			f, err := s.pool.SubmitContext(ctx, task)
			s.record(rec, f, err)
			return nil
		}
	default:
		return nothing
	}
}
