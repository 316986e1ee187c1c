package control_test

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
	"github.com/punctual-go/punctual/executor/eventloop"
)

// scheduler is a scheduled pool or an event loop.
type scheduler interface {
	executor.ScheduledSubmitter
	Close() error
	Shutdown()
	ShutdownNow() []executor.Pending
	CloseContext(ctx context.Context) (executor.Report, error)
	AwaitTermination(ctx context.Context) error
}

// books are the figures of a scheduler that have to add up.
type books struct {
	Accepted, Completed, Cancelled, Returned, Runs, Failures, Retries, Expired, Skipped uint64
	Queued, Busy                                                                        int
}

// booksOf returns them at rest: what is settled is counted a moment later.
func booksOf(s scheduler) books {
	synctest.Wait()
	switch s := s.(type) {
	case *executor.ScheduledPool:
		st := s.Stats()
		return books{st.Accepted, st.Completed, st.Cancelled, st.Returned, st.Runs, st.Failures, st.Retries, st.Expired, st.Skipped, st.Queued, st.Busy}
	case *eventloop.Loop:
		st := s.Stats()
		return books{st.Accepted, st.Completed, st.Cancelled, st.Returned, st.Runs, st.Failures, st.Retries, st.Expired, st.Skipped, st.Queued, st.Busy}
	}
	panic("unknown scheduler")
}

// requireBalanced demands, at rest, that every accepted task has come to one end or waits.
func requireBalanced(t *testing.T, s scheduler) {
	t.Helper()
	synctest.Wait()
	b := booksOf(s)
	require.Equal(t, b.Accepted, b.Completed+b.Cancelled+b.Returned+uint64(b.Queued+b.Busy), "%+v", b)
}

// onEach runs a test in a bubble on a pool of one worker, one of three, and a loop. Nothing may be
// lost at its end.
func onEach(t *testing.T, test func(t *testing.T, s scheduler), opts ...executor.CommonOption) {
	opts = append([]executor.CommonOption{executor.Logger(slog.New(slog.DiscardHandler)), executor.Name("jobs")}, opts...)
	var forPools []executor.Option
	var forLoops []eventloop.Option
	for _, o := range opts {
		forPools, forLoops = append(forPools, o), append(forLoops, o)
	}
	for kind, start := range map[string]func() scheduler{
		"pool":  func() scheduler { return executor.NewScheduledPool(1, forPools...) },
		"three": func() scheduler { return executor.NewScheduledPool(3, forPools...) },
		"loop":  func() scheduler { return eventloop.New(forLoops...) },
	} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start()
				t.Cleanup(func() {
					s.ShutdownNow()
					ctx, cancel := context.WithTimeout(context.Background(), 1000*time.Hour)
					defer cancel()
					assert.NoError(t, s.AwaitTermination(ctx))
					requireBalanced(t, s)
				})
				test(t, s)
			})
		})
	}
}

// diary keeps what runs when, in seconds.
type diary struct {
	began time.Time

	mu    sync.Mutex
	lines []string
	runs  []executor.Run
}

func newDiary() *diary { return &diary{began: time.Now()} }

func (d *diary) write(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) now() float64 { return time.Since(d.began).Seconds() }

// run records a run, and whether it is an extra one.
func (d *diary) run(ctx context.Context) executor.Run {
	r, _ := executor.RunFrom(ctx)
	mark := ""
	if r.Triggered {
		mark = "!"
	}
	d.write("%v%s", d.now(), mark)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.runs = append(d.runs, r)
	return r
}

// task returns a body that takes the given time.
func (d *diary) task(lasts time.Duration) executor.Task {
	return func(ctx context.Context) error {
		d.run(ctx)
		if lasts > 0 {
			time.Sleep(lasts)
		}
		return nil
	}
}

// starts returns when runs have begun, with a mark for those that are extra.
func (d *diary) starts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.lines...)
}

// all returns the runs.
func (d *diary) all() []executor.Run {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]executor.Run{}, d.runs...)
}

// until sleeps until so many seconds after the diary was begun.
func (d *diary) until(seconds float64) {
	time.Sleep(time.Until(d.began.Add(time.Duration(seconds * float64(time.Second)))))
	synctest.Wait()
}

// rate starts a series with a period of ten seconds, from 10 s on.
func rate(t *testing.T, s scheduler, task executor.Task, opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
	t.Helper()
	f, err := s.AtFixedRate(10*time.Second, 10*time.Second, task, opts...)
	require.NoError(t, err)
	return f
}

// delayed starts a series with a delay of ten seconds, from 10 s on.
func delayed(t *testing.T, s scheduler, task executor.Task, opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
	t.Helper()
	f, err := s.WithFixedDelay(10*time.Second, 10*time.Second, task, opts...)
	require.NoError(t, err)
	return f
}

var errBoom = errors.New("boom")
