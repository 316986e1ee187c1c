package eventloop_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/internal/probe"
)

const ms = time.Millisecond

// withLoop runs a test in a bubble with a loop that logs nothing, unless an option says so, and is
// closed at the end.
func withLoop(t *testing.T, test func(t *testing.T, l *eventloop.Loop), opts ...eventloop.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := quiet(opts...)
		test(t, l)
		require.NoError(t, l.Close())
		assertBalanced(t, l)
	})
}

func quiet(opts ...eventloop.Option) *eventloop.Loop {
	silent := executor.Logger(slog.New(slog.DiscardHandler))
	return eventloop.New(append([]eventloop.Option{silent}, opts...)...)
}

// assertBalanced checks the accounts of a loop that has terminated.
func assertBalanced(t *testing.T, l *eventloop.Loop) {
	t.Helper()
	s := l.Stats()
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
	assert.Zero(t, s.Queued+s.Busy+s.Tombstones, "%+v", s)
}

// diary keeps what happens, in order, with the time since it was begun.
type diary struct {
	began time.Time

	mu    sync.Mutex
	names []string
	times []time.Duration
}

func newDiary() *diary { return &diary{began: time.Now()} }

func (d *diary) note(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names = append(d.names, name)
	d.times = append(d.times, time.Since(d.began))
}

// read returns the names and times so far, once the bubble is at rest.
func (d *diary) read() ([]string, []time.Duration) {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.names), slices.Clone(d.times)
}

func (d *diary) readNames() []string {
	names, _ := d.read()
	return names
}

func (d *diary) readTimes() []time.Duration {
	_, times := d.read()
	return times
}

// task returns one that notes its name.
func (d *diary) task(name string) executor.Task {
	return func(context.Context) error { d.note(name); return nil }
}

// lasting returns a task that notes its name and takes some time.
func (d *diary) lasting(name string, length time.Duration) executor.Task {
	return func(context.Context) error { d.note(name); time.Sleep(length); return nil }
}

// inMs returns durations of that many milliseconds.
func inMs(ns ...int) (ds []time.Duration) {
	for _, n := range ns {
		ds = append(ds, time.Duration(n)*ms)
	}
	return ds
}

// block occupies the loop until release is called.
func block(t *testing.T, l *eventloop.Loop) (release func()) {
	t.Helper()
	gate := make(chan struct{})
	require.NoError(t, l.Execute(func(context.Context) error { <-gate; return nil }))
	synctest.Wait()
	return sync.OnceFunc(func() { close(gate) })
}

// do runs fn as a task of the loop, and returns when it has ended.
func do(t *testing.T, l *eventloop.Loop, fn func(ctx context.Context, turn eventloop.Turn)) {
	t.Helper()
	f, err := l.Submit(func(ctx context.Context) error {
		turn, ok := l.Turn(ctx)
		require.True(t, ok)
		fn(ctx, turn)
		return nil
	})
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	require.NoError(t, err)
}

// loopGoroutines returns how many goroutines the loops of the bubble have started that have not
// ended, when the bubble is at rest.
func loopGoroutines() (count int) {
	synctest.Wait()
	for _, stack := range probe.Stacks() {
		if strings.Contains(stack, "synctest bubble") &&
			strings.Contains(stack, "created by github.com/punctual-go/punctual/executor/eventloop.") {
			count++
		}
	}
	return count
}

func TestTheContextOfAnEarlierRunOfASeriesIsOutsideOfTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New()
		defer l.Close()
		var earlier context.Context
		_, err := l.AtFixedRate(0, time.Minute, func(ctx context.Context) error {
			assert.True(t, l.InLoop(ctx))
			if earlier != nil {
				assert.False(t, l.InLoop(earlier))
				_, inside := l.Turn(earlier)
				assert.False(t, inside)
			}
			earlier = ctx
			return nil
		}, executor.MaxRuns(3))
		assert.NoError(t, err)
		time.Sleep(time.Hour)
	})
}
