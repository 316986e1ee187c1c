package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

var errWith = errors.New("task failed")

// withPool makes a pool that logs nothing and is stopped when the bubble ends. The clock of a bubble
// stands still once its test has returned, so running bodies are waited for before.
func withPool(t *testing.T, core int, opts ...executor.Option) *executor.ScheduledPool {
	t.Helper()
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	p := executor.NewScheduledPool(core, append([]executor.Option{quiet}, opts...)...)
	t.Cleanup(func() {
		p.ShutdownNow()
		ctx, cancel := context.WithTimeout(context.Background(), 10000*time.Hour)
		defer cancel()
		_ = p.AwaitTermination(ctx)
	})
	return p
}

func withNothing(context.Context) error { return nil }

func withFailure(context.Context) error { return errWith }

// withSleep is a body of the given length that does not heed its context.
func withSleep(d time.Duration) executor.Task {
	return func(context.Context) error {
		time.Sleep(d)
		return nil
	}
}

func withSubmit(t *testing.T, p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption) *future.Future[struct{}] {
	t.Helper()
	f, err := p.Submit(task, opts...)
	require.NoError(t, err)
	return f
}

func withSchedule(t *testing.T, p *executor.ScheduledPool, delay time.Duration, task executor.Task, opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
	t.Helper()
	f, err := p.Schedule(delay, task, opts...)
	require.NoError(t, err)
	return f
}

func withRate(t *testing.T, p *executor.ScheduledPool, initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
	t.Helper()
	f, err := p.AtFixedRate(initial, period, task, opts...)
	require.NoError(t, err)
	return f
}

func withDelay(t *testing.T, p *executor.ScheduledPool, initial, delay time.Duration, task executor.Task, opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
	t.Helper()
	f, err := p.WithFixedDelay(initial, delay, task, opts...)
	require.NoError(t, err)
	return f
}

// withOutcome returns the error of a future that must be settled by now.
func withOutcome(t *testing.T, f *future.Future[struct{}]) error {
	t.Helper()
	r, ok := f.Poll()
	require.True(t, ok, "future is %v", f)
	return r.Err
}

// withShutDown asserts that a future is cancelled because of a shutdown.
func withShutDown(t *testing.T, f *future.Future[struct{}]) {
	t.Helper()
	err := withOutcome(t, f)
	assert.Equal(t, future.Cancelled, f.State())
	assert.ErrorIs(t, err, future.ErrCancelled)
	assert.ErrorIs(t, err, executor.ErrShutdown)
}

func withClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func withTerminated(p *executor.ScheduledPool) bool { return withClosed(p.Terminated()) }

func withNames(pending []executor.Pending) []string {
	names := make([]string, len(pending))
	for i, d := range pending {
		names[i] = d.Name
	}
	return names
}

// withGate holds tasks until it is opened, at the latest when the test ends.
type withGate struct {
	opened chan struct{}
	once   sync.Once
}

func withNewGate(t *testing.T) *withGate {
	g := &withGate{opened: make(chan struct{})}
	t.Cleanup(g.open)
	return g
}

func (g *withGate) open() { g.once.Do(func() { close(g.opened) }) }

// hold is a body that does not heed its context.
func (g *withGate) hold(context.Context) error {
	<-g.opened
	return nil
}

// heed is a body that ends with its context.
func (g *withGate) heed(ctx context.Context) error {
	select {
	case <-g.opened:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// withTrace notes what happens and when, as "name 10ms".
type withTrace struct {
	start time.Time

	mu    sync.Mutex
	marks []string
}

func withNewTrace() *withTrace { return &withTrace{start: time.Now()} }

func (tr *withTrace) mark(name string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.marks = append(tr.marks, fmt.Sprintf("%s %v", name, time.Since(tr.start)))
}

func (tr *withTrace) task(name string) executor.Task {
	return func(context.Context) error {
		tr.mark(name)
		return nil
	}
}

func (tr *withTrace) seen() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return append([]string{}, tr.marks...)
}

// withErrors is an error handler that keeps what it is told.
type withErrors struct {
	mu   sync.Mutex
	errs []error
	runs []executor.Run
}

func (h *withErrors) handle(_ context.Context, run executor.Run, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errs, h.runs = append(h.errs, err), append(h.runs, run)
}

func (h *withErrors) told() []error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]error{}, h.errs...)
}

// withRecords is a log that keeps the texts of its records.
type withRecords struct {
	mu    sync.Mutex
	texts []string
}

func (l *withRecords) Enabled(context.Context, slog.Level) bool { return true }
func (l *withRecords) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *withRecords) WithGroup(string) slog.Handler            { return l }

func (l *withRecords) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts = append(l.texts, r.Message)
	return nil
}

func (l *withRecords) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.texts...)
}

// withPassed lets time pass, and what is due at the end of it happen.
func withPassed(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
