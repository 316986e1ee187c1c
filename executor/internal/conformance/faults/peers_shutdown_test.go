package faults_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
	"github.com/punctual-go/punctual/internal/probe"
)

// pbStops are the ways to end a pool. Each returns at once, wherever it is called.
var pbStops = map[string]func(p *executor.Pool){
	"Shutdown":    func(p *executor.Pool) { p.Shutdown() },
	"ShutdownNow": func(p *executor.Pool) { p.ShutdownNow() },
	"Close":       func(p *executor.Pool) { go p.Close() },
}

// pbWork is what several parties do to a pool, and what they know of it.
type pbWork struct {
	pool  *executor.Pool
	gauge pbGauge
	begun atomic.Uint64

	mu       sync.Mutex
	accepted uint64
	futures  []*future.Future[struct{}]
	errs     []error
}

func (w *pbWork) body(end executor.Task) executor.Task {
	return w.gauge.around(func(ctx context.Context) error {
		w.begun.Add(1)
		return end(ctx)
	})
}

// submit gives the pool a task with a future, or two without, and cancels some.
func (w *pbWork) submit(i int, end executor.Task) {
	f, err := w.pool.SubmitContext(context.Background(), w.body(end))
	w.note(f, err)
	w.note(nil, w.pool.Execute(w.body(pooltest.Nothing)))
	w.note(nil, w.pool.Execute(w.body(pooltest.Nothing)))
	if err == nil && i%3 == 0 {
		f.Cancel()
	}
}

func (w *pbWork) note(f *future.Future[struct{}], err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.errs = append(w.errs, err)
		return
	}
	w.accepted++
	if f != nil {
		w.futures = append(w.futures, f)
	}
}

// run has four parties work at once.
func (w *pbWork) run() {
	var parties sync.WaitGroup
	for _, end := range pbEnds {
		parties.Go(func() {
			for i := range 5 {
				w.submit(i, end)
			}
		})
	}
	parties.Wait()
}

// audit compares what the parties know with what the pool says, which has terminated.
func (w *pbWork) audit(t *testing.T) {
	t.Helper()
	for _, err := range w.errs {
		assert.Equal(t, executor.ErrShutdown, err)
	}
	for _, f := range w.futures {
		r, settled := f.Poll()
		assert.True(t, settled)
		assert.False(t, errors.Is(r.Err, executor.ErrSaturated))
	}
	s := w.pool.Stats()
	assert.Equal(t, w.accepted, s.Accepted)
	assert.EqualValues(t, len(w.errs), s.Rejected)
	assert.Equal(t, w.begun.Load(), s.Runs, "a run is a body that has ended")
	assert.Zero(t, w.gauge.now.Load(), "bodies that run")
	pooltest.NothingLost(t, s)
}

// Submissions, cancellations and runs are held up at one point after the other, and there the pool
// is shut down: between any two steps of a hand-over, everything accepted has one end, and the pool
// comes to its own.
func TestB16_B39_AShutdownMayComeBetweenAnyTwoSteps(t *testing.T) {
	var passed [delay.Points]atomic.Bool
	for kind, newPool := range pooltest.Kinds {
		for name, stop := range pbStops {
			t.Run(kind+", "+name, func(t *testing.T) {
				for point := range delay.Points {
					if point.Locked() {
						continue
					}
					synctest.Test(t, func(t *testing.T) {
						w := &pbWork{pool: newPool(t, 2, executor.KeepAlive(1))}
						var stopped atomic.Bool
						unset := delay.Set(func(p delay.Point) {
							if p == point && stopped.CompareAndSwap(false, true) {
								passed[p].Store(true)
								stop(w.pool)
							}
						})
						defer unset()
						w.run()
						w.pool.Shutdown()
						require.NoError(t, w.pool.AwaitTermination(t.Context()))
						w.audit(t)
					})
				}
			})
		}
	}
	for _, p := range []delay.Point{
		delay.FollowerLeft, delay.FollowerWoken, delay.WorkerStarted, delay.TaskPosted, delay.TaskClaimed, delay.RunReturned,
		delay.RunConcluded, delay.WorkerRetired, delay.CancelledQueued, delay.CellBegun, delay.CellSettled, delay.CellCancelled,
	} {
		assert.True(t, passed[p].Load(), "nobody has passed point %d", p)
	}
}

// An idle worker has been called for a task that nobody may queue, and is on its way, when the pool
// is shut down.
func TestB39_ATaskThatIsHandedOverDuringAShutdownHasOneEnd(t *testing.T) {
	for name, stop := range pbStops {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
				p.PrestartWorker()
				synctest.Wait()
				unset := delaytest.Once(t, delay.FollowerWoken, func() { stop(p) })
				ran := false
				f, err := p.Submit(func(context.Context) error { ran = true; return nil })
				require.NoError(t, err)
				require.NoError(t, p.AwaitTermination(t.Context()))
				unset()
				err = pooltest.Outcome(t, f)
				assert.Equal(t, name != "ShutdownNow", ran)
				assert.Equal(t, !ran, errors.Is(err, executor.ErrShutdown))
				pooltest.NothingLost(t, p.Stats())
			})
		})
	}
}

// When the end of a pool is known, no body of it runs any more, and its futures have stopped.
func TestB38_AtTheEndOfAPoolNoBodyRuns(t *testing.T) {
	for name, stop := range pbStops {
		t.Run(name, func(t *testing.T) {
			pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
				w := &pbWork{pool: newPool(t, 3)}
				defer pbSlow()()
				var waiting sync.WaitGroup
				for range 3 {
					waiting.Go(func() {
						assert.NoError(t, w.pool.AwaitTermination(context.Background()))
						assert.Zero(t, w.gauge.now.Load())
					})
				}
				time.AfterFunc(5, func() { stop(w.pool) })
				w.run()
				waiting.Wait()
				for _, f := range w.futures {
					assert.True(t, probe.IsClosed(f.Stopped()))
				}
				w.audit(t)
				probe.Elapse(time.Second) // for whoever is held up
			})
		})
	}
}

// A task that ends its goroutine neither leaves anybody waiting for it, nor the pool short of a
// worker, nor the shutdown without an end.
func TestB34_AGoexitHangsNeitherWhoWaitsNorTheShutdown(t *testing.T) {
	for name, stop := range pbStops {
		t.Run(name, func(t *testing.T) {
			pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, 2)
				g := pooltest.NewGate(t)
				var fs []*future.Future[int]
				for range 2 {
					fs = append(fs, pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
						_ = g.Hold(ctx)
						runtime.Goexit()
						return 0, nil
					}))
				}
				synctest.Wait()
				g.Open()
				for _, f := range fs {
					_, err := f.Get(t.Context())
					assert.Equal(t, future.ErrGoexit, err)
				}
				v, err := pooltest.SubmitFunc(t, p, pooltest.Seven).Get(t.Context())
				assert.NoError(t, err)
				assert.Equal(t, 7, v)
				last := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
					stop(p)
					runtime.Goexit()
					return 0, nil
				})
				assert.NoError(t, p.AwaitTermination(t.Context()))
				_, err = pooltest.Settled(t, last)
				assert.Error(t, err)
				pooltest.NothingLost(t, p.Stats())
			})
		})
	}
}

// pbPools are the constructors, each with something that takes tasks and the pool that runs them.
var pbPools = map[string]func() (executor.Submitter, *executor.Pool){
	"NewPool":            pbPlain(func() *executor.Pool { return executor.NewPool(2) }),
	"cached":             pbPlain(func() *executor.Pool { return pooltest.NewCached() }),
	"confined":           pbPlain(func() *executor.Pool { return executor.NewPool(1, executor.Confined()) }),
	"NewScheduledPool":   pbPlain(func() *executor.Pool { return &executor.NewScheduledPool(2).Pool }),
	"confined scheduled": pbPlain(func() *executor.Pool { return &executor.NewScheduledPool(1, executor.Confined()).Pool }),
	"serial.New": func() (executor.Submitter, *executor.Pool) {
		p := executor.NewPool(1, executor.Queue(queue.Bounded(100)))
		return serial.New(p), p
	},
	"serial.NewKeyed": func() (executor.Submitter, *executor.Pool) {
		p := executor.NewPool(1, executor.Queue(queue.Priority()))
		return serial.NewKeyed[int](p).For(7), p
	},
}

func pbPlain(newPool func() *executor.Pool) func() (executor.Submitter, *executor.Pool) {
	return func() (executor.Submitter, *executor.Pool) { p := newPool(); return p, p }
}

// pbUse submits tasks that end in all ways, waits for them in all ways, and gives up on one.
func pbUse(t *testing.T, s executor.Submitter) {
	t.Helper()
	for _, end := range pbEnds {
		f, err := executor.Submit(s, func(ctx context.Context) (int, error) { return 0, end(ctx) }, executor.Timeout(time.Hour))
		require.NoError(t, err)
		<-f.Stopped()
	}
	_, err := executor.InvokeAll(t.Context(), s, pooltest.Seven, pooltest.Seven)
	require.NoError(t, err)
	_, err = executor.InvokeAny(t.Context(), s, pooltest.Seven, pooltest.Seven)
	require.NoError(t, err)
	g := bulk.NewGroup(t.Context(), s)
	require.NoError(t, g.Go(pooltest.Nothing))
	require.NoError(t, g.Wait())
	begun := make(chan struct{})
	late, err := executor.Submit(s, func(ctx context.Context) (int, error) { close(begun); <-ctx.Done(); return 0, nil })
	require.NoError(t, err)
	_, err = late.GetTimeout(time.Microsecond)
	require.ErrorIs(t, err, future.ErrTimeout)
	<-begun
	late.Cancel()
	<-late.Stopped()
}

func TestB26_NothingOutlivesAPoolThatIsClosed(t *testing.T) {
	for name, newPool := range pbPools {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			_, unused := newPool()
			s, used := newPool()
			pbUse(t, s)
			require.NoError(t, unused.Close())
			require.NoError(t, used.Close())
		})
	}
}

// A worker comes back from its task when the pool is being closed. The pool is garbage all the
// same.
func TestB27_APoolThatIsClosedAsAWorkerReturnsIsCollected(t *testing.T) {
	defer pbSlow()()
	var pools []weak.Pointer[executor.Pool]
	for range 20 {
		pools = append(pools, func() weak.Pointer[executor.Pool] {
			p := executor.NewPool(2)
			for range 2 {
				require.NoError(t, p.Execute(func(context.Context) error { runtime.Gosched(); return nil }))
			}
			require.NoError(t, p.Close())
			return weak.Make(p)
		}())
	}
	for _, p := range pools { // a worker may still be on its way out
		for p.Value() != nil {
			runtime.GC()
			runtime.Gosched()
		}
	}
}
