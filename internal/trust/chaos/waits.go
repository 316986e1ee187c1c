package chaos

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

// waitChaos is chaos by tasks that submit others to their pool and wait for them: by every method,
// with whatever contexts they find, on their own goroutines and on others. A wait that might be for
// the place of the waiter itself, and that no pool can see, is limited.
type waitChaos struct {
	*round
	pool      *executor.Pool
	size      int  // bodies that may be active; 0 if callers run some, too
	strict    bool // every wait gives up a place for certain, and goes on until its task has ended
	exclusive bool
	foreign   []context.Context // of runs elsewhere

	active    atomic.Int64
	abandoned atomic.Int64 // waits that have ended before their tasks
	inside    int          // of a single pool: written by who is active, without a lock
	detached  sync.WaitGroup

	contexts []context.Context // of runs; the round's lock guards it
}

func waitsRound(r *round) {
	w := &waitChaos{round: r, strict: r.rng.IntN(2) == 0}
	w.open()
	state := w.pool.String
	r.state.Store(&state)
	release := w.elsewhere()
	handedBack := 0
	r.run(12, w.step, func(rng *rand.Rand) {
		if rng.IntN(2) == 0 {
			w.pool.Shutdown()
		} else {
			handedBack = len(w.pool.ShutdownNow())
		}
	})
	<-w.pool.Terminated()
	w.detached.Wait()
	release()
	for _, ctx := range w.contexts {
		r.demand(ctx.Err() != nil, "the context of a run does not end with it")
	}
	r.auditPool(w.pool.Stats(), handedBack)
}

func (w *waitChaos) open() {
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	n := []int{1, 2, 4}[w.rng.IntN(3)]
	switch w.size = n; w.rng.IntN(7) {
	case 0:
		w.pool, w.size, w.exclusive = executor.NewPool(1, executor.Confined(), quiet), 1, true
	case 1:
		w.pool, w.size, w.exclusive = &executor.NewScheduledPool(1, executor.Confined(), quiet).Pool, 1, true
	case 2:
		w.pool = executor.NewPool(n, quiet, executor.Queue(queue.Priority()))
	case 3:
		w.pool = &executor.NewScheduledPool(n, quiet).Pool
	case 4:
		w.size = 0
		w.pool = executor.NewPool(n, quiet, executor.Queue(queue.HandOff()),
			executor.OnRejection(rejection.CallerRuns))
	case 5:
		w.size = 0
		w.pool = executor.NewPool(n, quiet, executor.Queue(queue.Bounded(w.rng.IntN(4))),
			executor.OnRejection(rejection.CallerRuns))
	default:
		w.pool = executor.NewPool(n, quiet)
	}
}

// elsewhere begins runs of another pool and by hand, which go on until release is called, and one
// that is over.
func (w *waitChaos) elsewhere() (release func()) {
	hold, ctxs := make(chan struct{}), make(chan context.Context)
	other := executor.NewPool(2)
	run := func(ctx context.Context) (int, error) { ctxs <- ctx; <-hold; return 0, nil }
	_, _ = executor.Submit(other, run)
	w.foreign = append(w.foreign, <-ctxs)
	var done sync.WaitGroup
	done.Go(func() { future.NewTask(run).Run(context.Background()) })
	w.foreign = append(w.foreign, <-ctxs)
	_ = other.Execute(func(ctx context.Context) error { ctxs <- ctx; return nil })
	w.foreign = append(w.foreign, context.WithoutCancel(<-ctxs))
	return func() { close(hold); done.Wait(); _ = other.Close() }
}

// step is one random operation of a participant.
func (w *waitChaos) step(rng *rand.Rand) {
	if !w.strict && !w.exclusive && w.size > 0 && rng.IntN(8) == 0 {
		_ = w.pool.SetCoreSize(1 + rng.IntN(w.size))
	}
	rec, task := w.task(rng.Uint64(), 3, nil)
	f, err := w.pool.Submit(task)
	if w.record(rec, f, err); err == nil && rng.IntN(2) == 0 {
		_, _ = f.GetTimeout(micros(rng, 300))
	}
}

// task returns one that calls others, so deep, and knows the contexts of those above.
func (w *waitChaos) task(seed uint64, depth int, outer []context.Context) (*taskRecord,
	executor.Task) {
	return w.track(0, func(ctx context.Context) error {
		w.begin()
		defer w.end()
		w.mu.Lock()
		w.contexts = append(w.contexts, ctx)
		w.mu.Unlock()
		rng := rand.New(rand.NewPCG(seed, 0))
		for range rng.IntN(4) * min(depth, 1) {
			w.call(rng, depth-1, append(outer[:len(outer):len(outer)], ctx))
		}
		return nil
	})
}

// begin and end are those of a body, and of what it does between two waits.
func (w *waitChaos) begin() {
	if w.exclusive {
		if w.inside++; w.inside != 1 {
			w.fault(&w.duplicate, "two bodies at once on a pool of one")
		}
	}
	n := w.active.Add(1)
	most := int64(w.size)
	if !w.strict && !w.exclusive {
		most += most + w.abandoned.Load()
	}
	if w.size > 0 && n > most {
		w.fault(&w.duplicate, "%d bodies are active, of at most %d", n, most)
	}
}

func (w *waitChaos) end() {
	w.active.Add(-1)
	if w.exclusive {
		w.inside--
	}
}

// call submits a task and waits for it, from somewhere.
func (w *waitChaos) call(rng *rand.Rand, depth int, runs []context.Context) {
	rec, task := w.task(rng.Uint64(), depth, runs)
	f, err := w.pool.Submit(task)
	w.record(rec, f, err)
	if err != nil {
		return
	}
	ctx := w.context(rng, runs)
	way, limit := rng.IntN(5), 1+micros(rng, 200)
	waits := func() { w.wait(f, ctx, way, limit) }
	where := rng.IntN(8)
	if w.strict {
		where = 0
	}
	switch where {
	case 0, 1, 2, 3:
		if w.strict || where < 2 {
			limit, ctx = 0, context.WithoutCancel(orBackground(ctx))
		}
		w.end()
		waits()
		w.begin()
	case 4:
		var joined sync.WaitGroup
		joined.Go(waits)
		joined.Wait()
	case 5:
		w.detached.Go(waits)
	case 6:
		next, stop := iter.Pull(func(yield func(int) bool) { waits(); yield(1) })
		next()
		stop()
	case 7:
		w.detached.Add(1)
		context.AfterFunc(runs[len(runs)-1], func() { defer w.detached.Done(); waits() })
	}
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// context returns one that somebody may come by who is in the last of these runs.
func (w *waitChaos) context(rng *rand.Rand, runs []context.Context) (ctx context.Context) {
	switch rng.IntN(8) {
	case 0:
		return nil
	case 1:
		ctx = context.Background()
	case 2, 3:
		ctx = runs[len(runs)-1]
	case 4:
		ctx = runs[rng.IntN(len(runs))]
	case 5:
		ctx = w.foreign[rng.IntN(len(w.foreign))]
	default:
		w.mu.Lock()
		ctx = w.contexts[rng.IntN(len(w.contexts))]
		w.mu.Unlock()
	}
	if rng.IntN(4) == 0 {
		ctx = context.WithoutCancel(ctx)
	}
	return ctx
}

// wait waits for f, for a limited time unless the limit is 0.
func (w *waitChaos) wait(f *future.Future[struct{}], ctx context.Context, way int,
	limit time.Duration) {
	if limit > 0 {
		limited, release := context.WithTimeout(orBackground(ctx), limit)
		defer release()
		ctx = limited
	}
	var err error
	switch way {
	case 0:
		_, err = future.All(ctx, f)
	case 1:
		_, err = future.Any(ctx, f)
	case 2:
		for _, r := range future.Completed(ctx, f) {
			err = r.Err
		}
	case 3:
		if limit == 0 {
			limit = time.Hour
		}
		_, err = f.GetTimeout(limit)
	default:
		_, err = f.Get(ctx)
	}
	if errors.Is(err, future.ErrSelfWait) {
		w.fault(nil, "somebody is told that he waits for himself")
	}
	if !f.State().Settled() {
		w.abandoned.Add(1)
	}
}
