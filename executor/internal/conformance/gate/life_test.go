package gate_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/future"
)

// life is one life of an executor, in which every callback there is comes to be called; one of them
// misbehaves.
type life struct {
	misdeed  misdeed
	system   system
	released chan struct{} // closed at the end: what blocks goes on
	calls    atomic.Int64  // of the callback that misbehaves
	caught   atomic.Int64  // commands that have not returned
	log      lines

	mu      sync.Mutex
	futures []*future.Future[struct{}]
}

// lines is what has been logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// misbehave is called by the callback that does.
func (l *life) misbehave() {
	n := l.calls.Add(1)
	if m := l.misdeed.most; m == 0 || n <= int64(m) {
		l.misdeed.do(l)
	}
}

// add keeps a future, if there is one, to see that it settles.
func (l *life) add(f *future.Future[struct{}], err error) *future.Future[struct{}] {
	if err != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.futures = append(l.futures, f)
	return f
}

func (l *life) all() []*future.Future[struct{}] {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*future.Future[struct{}](nil), l.futures...)
}

// command calls f on a goroutine of its own, which a callback may hold up or end.
func (l *life) command(f func()) {
	go func() {
		returned := false
		defer func() {
			if !returned {
				_ = recover()
				l.caught.Add(1)
			}
		}()
		f()
		returned = true
	}()
	synctest.Wait()
}

func (l *life) submit(t task, opts ...executor.TaskOption) (f *future.Future[struct{}]) {
	l.command(func() { f = l.add(l.system.Submit(t, opts...)) })
	return f
}

// timed calls f with the executor if that knows times, and keeps the future.
func (l *life) timed(f func(s timed) (*handle, error)) (h *handle) {
	if s, ok := l.system.(timed); ok {
		l.command(func() {
			if made, err := f(s); err == nil {
				h = made
				l.add(made.Future, nil)
			}
		})
	}
	return h
}

func sleep(d time.Duration) task {
	return func(ctx context.Context) error {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
		return nil
	}
}

func fails(context.Context) error { return errors.New("failed") }

// newLife makes an executor whose callback in the row misbehaves.
func newLife(k kind, r row, m misdeed) *life {
	l := &life{misdeed: m, released: make(chan struct{})}
	logger := slog.New(slog.NewTextHandler(&l.log, nil))
	slog.SetDefault(logger) // for the functions of futures
	common := []executor.CommonOption{executor.Logger(logger), executor.Watch(insight.Config{
		History: true, ExplainLate: time.Millisecond,
	})}
	var opts []executor.Option
	var loopOpts []eventloop.Option
	for _, o := range append(common, r.loopOptions(l)...) {
		opts, loopOpts = append(opts, o), append(loopOpts, o)
	}
	l.system = k.make(append(opts, r.poolOptions(l)...), loopOpts)
	return l
}

// live has everything happen that a callback can be told of.
func (l *life) live(t *testing.T, r row) {
	l.command(func() { l.system.AfterShutdown(r.function(l, "AfterShutdown")) })
	l.submit(nothing)
	l.submit(fails)
	l.command(func() { _ = l.system.Execute(fails) })
	l.command(func() { _ = l.system.Execute(func(context.Context) error { panic("a task") }) })
	l.liveTimed(r)
	time.Sleep(10 * time.Second)

	l.submit(sleep(2*time.Second), executor.Timeout(time.Second), executor.Name("overruns"))
	for range 3 {
		l.submit(sleep(5 * time.Second))
	}
	l.submit(nothing, executor.BeginWithin(time.Second), executor.Name("expires"))
	watched := l.submit(nothing)
	if watched != nil {
		future.AfterSettled(watched, r.settled(l))
	}
	if f := l.submit(nothing, executor.Name("cancelled")); f != nil {
		l.command(func() { f.Cancel() })
	}
	for range 8 { // more than there is room for, if that is bounded
		l.submit(nothing)
	}
	time.Sleep(time.Minute)

	for range 4 { // at work when the executor is shut down
		l.submit(sleep(time.Hour))
	}
	if f := l.submit(nothing, executor.Name("dropped")); f != nil {
		l.command(func() { future.AfterSettled(f, r.settled(l)) })
	}
	l.submit(nothing)
	l.command(l.system.Shutdown)
	l.command(func() { l.system.ShutdownNow() })
	l.submit(nothing)
	time.Sleep(time.Minute)
	close(l.released)
	l.ended(t)
}

// liveTimed is the part of live for executors that know times.
func (l *life) liveTimed(r row) {
	minutely := func(s timed) (*handle, error) {
		return s.AtFixedRate(time.Second, time.Second, nothing, r.taskOptions(l)...)
	}
	if h := l.timed(minutely); h != nil {
		l.command(func() { h.Pause() })
		l.command(func() { h.Resume() })
	}
	slow := true
	l.timed(func(s timed) (*handle, error) {
		return s.AtFixedRate(0, time.Second, func(ctx context.Context) error {
			if slow {
				slow = false
				return sleep(2500 * time.Millisecond)(ctx)
			}
			return nil
		}, executor.CatchUp(executor.Coalesce), executor.Timeout(2*time.Second))
	})
	l.timed(func(s timed) (*handle, error) {
		return s.AtFixedRate(time.Second, time.Second, fails,
			executor.Name("never"), executor.Expect(insight.SuccessWithin(3*time.Second)))
	})
	l.timed(func(s timed) (*handle, error) { return s.On(r.calendar(l), nothing) })
	for range 3 {
		l.timed(func(s timed) (*handle, error) { return s.Schedule(time.Hour, nothing) })
	}
	if h := l.timed(func(s timed) (*handle, error) { return s.Schedule(time.Hour, nothing) }); h != nil {
		l.command(func() { h.Cancel() })
	}
}

// ended sees that the executor ends, and that all futures are settled.
func (l *life) ended(t *testing.T) {
	t.Helper()
	select {
	case <-l.system.Terminated():
	case <-time.After(48 * time.Hour):
		t.Errorf("it has not ended: %v", l.system)
		return
	}
	synctest.Wait()
	for _, f := range l.all() {
		assert.True(t, f.State().Settled(), "a future is %v", f.State())
	}
}
