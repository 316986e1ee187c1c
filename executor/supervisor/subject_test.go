package supervisor_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

var errBoom = errors.New("boom")

var every10s = []supervisor.Option{supervisor.Interval(10 * time.Second), supervisor.Timeout(5 * time.Second), supervisor.Bound(8)}

// subject is a supervisor in a bubble, with a record of what it does.
type subject struct {
	*supervisor.Supervisor
	epoch time.Time

	mu       sync.Mutex
	starts   []time.Duration // of bodies, since the epoch
	outcomes []supervisor.Outcome
	capped   []supervisor.Outcome
}

// supervise starts a supervisor of task, which is stopped when the test ends.
func supervise(t *testing.T, pool supervisor.Runner, task executor.Task, opts ...supervisor.Option) *subject {
	t.Helper()
	s := prepare(t, pool, task, opts...)
	s.Start()
	return s
}

// prepare is supervise without the start.
func prepare(t *testing.T, pool supervisor.Runner, task executor.Task, opts ...supervisor.Option) *subject {
	t.Helper()
	s := &subject{epoch: time.Now()}
	recorded := func(ctx context.Context) error {
		s.mu.Lock()
		s.starts = append(s.starts, time.Since(s.epoch))
		s.mu.Unlock()
		return task(ctx)
	}
	opts = append(opts, supervisor.AfterCycle(func(o supervisor.Outcome) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.outcomes = append(s.outcomes, o)
	}), supervisor.AfterCapped(func(o supervisor.Outcome) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.capped = append(s.capped, o)
	}))
	s.Supervisor = supervisor.New(pool, recorded, opts...)
	t.Cleanup(func() { require.NoError(t, s.StopContext(nil)) })
	return s
}

// begun returns when bodies have begun so far.
func (s *subject) begun() []time.Duration {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Duration{}, s.starts...)
}

// kinds returns how cycles have ended so far.
func (s *subject) kinds() (kinds []supervisor.Kind) {
	for _, o := range s.told() {
		kinds = append(kinds, o.Kind)
	}
	return kinds
}

// delays returns the delays after the cycles that have ended so far.
func (s *subject) delays() (delays []time.Duration) {
	for _, o := range s.told() {
		delays = append(delays, o.Delay)
	}
	return delays
}

func (s *subject) told() []supervisor.Outcome {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]supervisor.Outcome{}, s.outcomes...)
}

func (s *subject) state() string {
	synctest.Wait()
	return s.Stats().State
}

// newPool returns a pool that always has room, and is closed when the test ends.
func newPool(t *testing.T, opts ...executor.Option) *executor.Pool {
	p := pooltest.NewCached(opts...)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// fixed is newPool with n workers and a queue.
func fixed(t *testing.T, n int, opts ...executor.Option) *executor.Pool {
	p := executor.NewPool(n, opts...)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// refusing is a pool that refuses while it has an error to refuse with.
type refusing struct {
	supervisor.Runner
	mu  sync.Mutex
	err error
}

func (p *refusing) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

func (p *refusing) Submit(task executor.Task, opts ...executor.TaskOption) (*future.Future[struct{}], error) {
	p.mu.Lock()
	err := p.err
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return p.Runner.Submit(task, opts...)
}

func fail(context.Context) error { return errBoom }

// hang does not end before its context.
func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// takes returns a task that takes d, or until its context ends.
func takes(d time.Duration) executor.Task {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stubborn returns a task that takes d, whatever its context.
func stubborn(d time.Duration) executor.Task {
	return func(context.Context) error {
		time.Sleep(d)
		return nil
	}
}

// seconds returns durations of so many seconds.
func seconds(ns ...int) []time.Duration {
	ds := []time.Duration{}
	for _, n := range ns {
		ds = append(ds, time.Duration(n)*time.Second)
	}
	return ds
}

// goroutines returns how many goroutines are inside of the package.
func goroutines() int { return probe.Goroutines("/executor/supervisor.") }

// newLog returns a logger, and what tells its records.
func newLog() (*slog.Logger, func() string) {
	log, text := pooltest.NewLog()
	return log, text.String
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
