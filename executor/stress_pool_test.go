package executor_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// TestStressPool is TestStress for plain pools of all shapes, with all that submits to them. It goes on
// for a second, or for the duration in the environment variable PUNCTUAL_STRESS.
func TestStressPool(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	length := time.Second
	if d, err := time.ParseDuration(os.Getenv("PUNCTUAL_STRESS")); err == nil {
		length = d
	}
	rounds := 0
	for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); rounds++ {
		stressPoolRound(t)
	}
	t.Logf("%d rounds", rounds)
}

// poolStress is a pool under stress, and what it owes.
type poolStress struct {
	pool   *executor.Pool
	shape  string
	serial *executor.Serial
	keyed  *executor.KeyedSerial[int]
	finish *executor.CompletionService[int]
	group  *executor.Group

	owed atomic.Int64 // tasks of Execute that have been accepted
	paid atomic.Int64 // of these, those that have run

	mu      sync.Mutex
	futures []*future.Future[struct{}]
	values  []*future.Future[int]
}

func stressPoolRound(t *testing.T) {
	s := newPoolStress()
	dog := time.AfterFunc(litmusPatience, func() {
		stacks := make([]byte, 1<<20)
		_, _ = os.Stderr.Write(stacks[:runtime.Stack(stacks, true)])
		panic("the round does not end: " + s.shape + " " + s.pool.String())
	})
	defer dog.Stop()
	var parties sync.WaitGroup
	for range 8 {
		parties.Go(func() {
			for range 40 {
				s.step()
			}
		})
	}
	time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	handedBack := s.shutDown(t)
	parties.Wait()
	require.NoError(t, s.pool.AwaitTermination(t.Context()))
	s.audit(t, handedBack)
}

func newPoolStress() *poolStress {
	core := rand.IntN(4)
	opts := []executor.Option{
		executor.Logger(slog.New(slog.DiscardHandler)), executor.PoolName("stress"),
		executor.KeepAlive(time.Duration(rand.IntN(200)) * time.Microsecond),
	}
	shape := "FIFO"
	switch rand.IntN(6) {
	case 0:
		shape, opts = "bounded", append(opts, executor.BoundedFIFO(rand.IntN(20)))
	case 1:
		shape, opts = "hand-off", append(opts, executor.HandOff())
	case 2:
		shape, opts = "priority", append(opts, executor.PriorityFIFO())
	case 3:
		shape, opts = "bounded stack", append(opts, wqStackQueue().Bounded(rand.IntN(20)))
	}
	if rand.IntN(2) == 0 {
		opts = append(opts, executor.MaximumSize(max(core, 1)+rand.IntN(3)))
	}
	if rand.IntN(4) == 0 {
		opts = append(opts, executor.GrowFirst())
	}
	if rand.IntN(4) == 0 {
		opts = append(opts, executor.PendingLimit(1+rand.IntN(20)))
	}
	if rand.IntN(4) == 0 {
		opts = append(opts, executor.AfterRun(stressPoolHook))
	}
	p := executor.NewPool(core, append(opts, executor.OnRejection(stressPoolPolicy()))...)
	return &poolStress{
		pool: p, shape: shape,
		serial: executor.NewSerial(p),
		keyed:  executor.NewKeyedSerial[int](p),
		finish: executor.NewCompletionService[int](p),
		group:  executor.NewGroup(context.Background(), p),
	}
}

// stressPoolHook ends the goroutine of its run now and then.
func stressPoolHook(context.Context, executor.Run, error) {
	if rand.IntN(20) == 0 {
		runtime.Goexit()
	}
}

// stressPoolPolicy does not discard silently: a task of Execute would be owed for ever.
func stressPoolPolicy() executor.RejectionPolicy {
	return []executor.RejectionPolicy{executor.Abort, executor.CallerRuns, executor.Block}[rand.IntN(3)]
}

// shutDown ends the pool in one of four ways, and returns how many tasks it has handed back.
func (s *poolStress) shutDown(t *testing.T) (handedBack int) {
	switch rand.IntN(4) {
	case 0:
		s.pool.Shutdown()
	case 1:
		handedBack = len(s.pool.ShutdownNow())
	case 2:
		require.NoError(t, s.pool.Close())
	case 3:
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(1000))*time.Microsecond)
		defer cancel()
		report, _ := s.pool.CloseContext(ctx)
		handedBack = len(report.Dropped)
	}
	return handedBack
}

// audit does the accounts of a pool that has terminated.
func (s *poolStress) audit(t *testing.T, handedBack int) {
	_ = s.group.Wait()
	for f := range s.finish.All(t.Context()) {
		s.values = append(s.values, f)
	}
	assert.Zero(t, s.finish.Outstanding(), s.shape)
	assert.Zero(t, s.keyed.Keys(), s.shape)
	for _, f := range s.futures {
		stressPoolSettled(t, f, s.shape)
	}
	for _, f := range s.values {
		stressPoolSettled(t, f, s.shape)
	}
	stats := s.pool.Stats()
	assert.Equal(t, stats.Accepted, stats.Completed+stats.Cancelled+stats.Returned, "%s: %+v", s.shape, stats)
	assert.EqualValues(t, handedBack, stats.Returned, "%s: %+v", s.shape, stats)
	assert.Zero(t, stats.Queued+stats.Busy+stats.Workers, "%s: %+v", s.shape, stats)
	assert.LessOrEqual(t, s.paid.Load(), s.owed.Load(), "%s: a task has run twice, or has been refused", s.shape)
	assert.LessOrEqual(t, s.owed.Load()-s.paid.Load(), int64(stats.Returned), "%s: an accepted task is lost", s.shape)
}

func stressPoolSettled[V any](t *testing.T, f *future.Future[V], shape string) {
	_, settled := f.Poll()
	require.True(t, settled, "%s: a future outlives its pool", shape)
	<-f.Stopped()
}

// step is one random act of one party.
func (s *poolStress) step() {
	p := s.pool
	switch rand.IntN(22) {
	case 0, 1, 2:
		s.execute(p.Execute)
	case 3, 4, 5:
		s.keep(p.Submit(s.body(), executor.Priority(rand.IntN(3)), executor.Timeout(time.Duration(1+rand.IntN(300))*time.Microsecond)))
	case 6, 7:
		s.keep(p.Submit(s.body()))
	case 8:
		ctx, cancel := stressPoolContext()
		defer cancel()
		s.keep(p.SubmitContext(ctx, s.body()))
	case 9, 10:
		s.disturb()
	case 11:
		s.resize()
	case 12:
		_ = p.SetRejectionPolicy(stressPoolPolicy())
	case 13:
		s.execute(s.serial.Execute)
	case 14:
		s.keep(s.serial.Submit(s.body()))
	case 15:
		key := rand.IntN(3)
		s.execute(func(task executor.Task) error { return s.keyed.Execute(key, task) })
	case 16:
		ctx, cancel := stressPoolContext()
		defer cancel()
		s.keep(s.keyed.SubmitContext(ctx, rand.IntN(3), s.body()))
	case 17:
		_ = s.group.Go(s.body())
	case 18:
		_, _ = s.finish.Submit(stressPoolValue, executor.Name("value"))
		ctx, cancel := stressPoolContext()
		defer cancel()
		_, _ = s.finish.Take(ctx)
	case 19:
		s.bulk(context.Background())
	case 20:
		_, _ = p.Queued(), p.Running()
	case 21:
		p.PrestartWorkers()
	}
}

func (s *poolStress) resize() {
	switch p := s.pool; rand.IntN(4) {
	case 0:
		_ = p.SetCoreSize(rand.IntN(4))
	case 1:
		_ = p.SetMaximumSize(1 + rand.IntN(4))
	case 2:
		_ = p.SetKeepAlive(time.Duration(rand.IntN(200)) * time.Microsecond)
	case 3:
		_ = p.SetCoreTimeout(rand.IntN(2) == 0)
	}
}

// execute owes a task as long as it is not refused. The task counts at its very beginning.
func (s *poolStress) execute(how func(executor.Task) error) {
	body := s.body()
	s.owed.Add(1)
	if how(func(ctx context.Context) error { s.paid.Add(1); return body(ctx) }) != nil {
		s.owed.Add(-1)
	}
}

func stressPoolContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Duration(rand.IntN(200))*time.Microsecond)
}

func stressPoolValue(context.Context) (int, error) { return rand.IntN(100), nil }

// bulk runs some functions at once. In a task it gets the context of that.
func (s *poolStress) bulk(ctx context.Context) {
	if rand.IntN(2) == 0 {
		_, _ = executor.InvokeAny(ctx, s.pool, stressPoolValue, stressPoolValue)
		return
	}
	fs, _ := executor.InvokeAll(ctx, s.pool, stressPoolValue, stressPoolValue, stressPoolValue)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values = append(s.values, fs...)
}

func (s *poolStress) keep(f *future.Future[struct{}], err error) {
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.futures = append(s.futures, f)
}

// disturb cancels some future, or waits for it a little.
func (s *poolStress) disturb() {
	s.mu.Lock()
	if len(s.futures) == 0 {
		s.mu.Unlock()
		return
	}
	f := s.futures[rand.IntN(len(s.futures))]
	s.mu.Unlock()
	switch rand.IntN(4) {
	case 0:
		f.Cancel()
	case 1:
		f.Stop()
	case 2:
		f.CancelCause(errors.New("disturbed"))
	case 3:
		_, _ = f.GetTimeout(time.Duration(rand.IntN(100)) * time.Microsecond)
	}
}

// body returns a task that does one of the things tasks do.
func (s *poolStress) body() executor.Task {
	switch rand.IntN(12) {
	case 0:
		return func(context.Context) error { panic("stress") }
	case 1:
		return func(context.Context) error { return errors.New("stress") }
	case 2:
		return func(ctx context.Context) error {
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Microsecond):
			}
			return ctx.Err()
		}
	case 3:
		return func(context.Context) error { s.disturb(); return nil }
	case 4:
		return func(context.Context) error { s.execute(s.pool.Execute); return nil }
	case 5:
		return func(ctx context.Context) error { s.bulk(ctx); return nil }
	case 6:
		return func(ctx context.Context) error {
			f, err := s.pool.Submit(nothing)
			if s.keep(f, err); err == nil {
				_, err = f.Get(ctx)
			}
			return err
		}
	case 7:
		return func(ctx context.Context) error {
			s.keep(s.pool.SubmitContext(ctx, nothing))
			return nil
		}
	default:
		return nothing
	}
}
