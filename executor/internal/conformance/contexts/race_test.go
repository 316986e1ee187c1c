package contexts_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
)

// accounts are those of a pool or a loop at its end.
type accounts struct{ accepted, completed, cancelled, returned uint64 }

// under is what the contexts of tasks race on: a pool or a loop.
type under struct {
	executor.ScheduledSubmitter
	shutdown    func()
	shutdownNow func()
	end         func() // waits for the end
	accounts    func() accounts
}

func racingPool(inTurn bool) func() under {
	return func() under {
		p := executor.NewScheduledPool(2, pooltest.Quiet())
		var s executor.ScheduledSubmitter = p
		if inTurn {
			s = inOrder{p, serial.New(p)}
		}
		return under{s, p.Shutdown, func() { p.ShutdownNow() },
			func() { _ = p.Close() }, func() accounts {
				s := p.Stats()
				return accounts{s.Accepted, s.Completed, s.Cancelled, s.Returned}
			}}
	}
}

func racingLoop() under {
	l := eventloop.New(executor.Logger(nil))
	return under{l, l.Shutdown, func() { l.ShutdownNow() },
		func() { _ = l.Close() }, func() accounts {
			s := l.Stats()
			return accounts{s.Accepted, s.Completed, s.Cancelled, s.Returned}
		}}
}

// inOrder is a scheduled pool whose immediate tasks run one after another.
type inOrder struct {
	*executor.ScheduledPool
	serial *serial.Serial
}

func (s inOrder) Execute(task executor.Task, opts ...executor.TaskOption) error {
	return s.serial.Execute(task, opts...)
}

func (s inOrder) Submit(
	task executor.Task, opts ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	return s.serial.Submit(task, opts...)
}

// submitOne submits a task of a random kind that ends with ctx, if not by itself.
func submitOne(s executor.ScheduledSubmitter, ctx context.Context, n int) (
	f *future.Future[struct{}], err error,
) {
	body := func(ctx context.Context) error {
		switch n % 4 {
		case 0:
			<-ctx.Done()
		case 1:
			runtime.Gosched()
		case 2:
			return pooltest.ErrTask
		}
		return nil
	}
	opt := executor.WithContext(ctx)
	var g *executor.ScheduledFuture[struct{}]
	switch n / 4 % 4 {
	case 0, 1:
		return s.Submit(body, opt)
	case 2:
		g, err = s.Schedule(time.Duration(n%50)*time.Microsecond, body, opt, executor.Timeout(time.Second))
	default:
		// At a shorter period a worker never parks, and has a single processor for itself.
		g, err = s.AtFixedRate(0, 20*time.Microsecond, body, opt)
	}
	if err != nil {
		return nil, err
	}
	return g.Future, nil
}

// A context ends, runs begin and end, futures are cancelled, and the executor is shut down, all at
// the same time. Each task comes to one end and is counted once, by the time at which the executor
// has terminated.
func TestAccountsAddUpHoweverContextsEnd(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for name, start := range map[string]func() under{
		"pool": racingPool(false), "serial": racingPool(true), "loop": racingLoop,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(400) {
				race(t, start(), rand.New(rand.NewPCG(seed, 1)))
				require.False(t, t.Failed(), "seed %d", seed)
			}
		})
	}
}

func race(t *testing.T, u under, random *rand.Rand) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	pause, kinds := random.IntN(200), random.Perm(16)[:8]
	var all sync.WaitGroup
	futures := make(chan *future.Future[struct{}], len(kinds))
	all.Go(func() {
		defer close(futures)
		for _, n := range kinds {
			f, err := submitOne(u, ctx, n)
			if err == nil {
				futures <- f
			} else {
				assert.ErrorIs(t, err, executor.ErrRejected)
			}
		}
	})
	spin := func(n int) {
		for range n {
			runtime.Gosched()
		}
	}
	all.Go(func() { spin(pause); cancel(errLeft) })
	if random.IntN(2) == 0 {
		all.Go(func() {
			if f := <-futures; f != nil {
				f.Cancel()
			}
		})
	}
	shut := []func(){u.shutdown, u.shutdownNow, func() {}}[random.IntN(3)]
	late := random.IntN(200)
	all.Go(func() { spin(late); shut() })
	settle := time.AfterFunc(time.Minute, func() { panic("the race does not end") })
	defer settle.Stop()
	all.Wait()
	u.end()
	a := u.accounts()
	assert.Equal(t, a.accepted, a.completed+a.cancelled+a.returned, "%+v", a)
	for f := range futures {
		assert.True(t, f.State().Settled())
	}
}

// The cancellation for a context is nobody's call that one could wait for, so the executor waits.
func TestAnExecutorDoesNotEndBeforeATaskThatItsContextHasEndedIsCounted(t *testing.T) {
	for name, start := range map[string]func() under{
		"pool": racingPool(false), "serial": racingPool(true), "loop": racingLoop,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := start()
				ctx, cancel := context.WithCancelCause(t.Context())
				gate := pooltest.NewGate(t)
				_, err := u.Submit(gate.Hold, executor.WithContext(ctx))
				require.NoError(t, err)
				synctest.Wait()
				delaytest.Once(t, delay.CellCancelled, func() { time.Sleep(time.Minute) })
				cancel(errLeft)
				synctest.Wait()
				gate.Open()
				u.end()
				assert.Equal(t, accounts{accepted: 1, cancelled: 1}, u.accounts())
			})
		})
	}
}
