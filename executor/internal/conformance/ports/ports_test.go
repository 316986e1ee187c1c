package ports_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errDown = errors.New("down")

// service is a background job that has been started.
type service struct {
	demand func()          // wants a run now
	ended  <-chan struct{} // is closed when the job has ended by itself
	stop   func()          // ends the job; the context of a run ends, and stop waits for the run
}

// onBoth runs test on the port and on the bare job, each in its own bubble.
func onBoth[S any](t *testing.T, port, bare S, test func(t *testing.T, start S)) {
	for name, start := range map[string]S{"port": port, "bare": bare} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, start) })
		})
	}
}

// diary is when runs started, in seconds since its beginning. It fails the test if they overlap.
type diary struct {
	t      *testing.T
	began  time.Time
	mu     sync.Mutex
	starts []string
	inside bool

	takes map[int]time.Duration // of some runs, by number, instead of what run is told
}

func newDiary(t *testing.T) *diary { return &diary{t: t, began: time.Now()} }

// run notes a run that takes so long, or until ctx ends. It returns the run's number, from 1 on.
func (d *diary) run(ctx context.Context, takes time.Duration) int {
	d.mu.Lock()
	assert.False(d.t, d.inside, "runs overlap")
	since := time.Since(d.began).Seconds()
	d.starts = append(d.starts, strconv.FormatFloat(since, 'f', -1, 64))
	n := len(d.starts)
	d.inside = true
	d.mu.Unlock()
	if other, ok := d.takes[n]; ok {
		takes = other
	}
	select {
	case <-ctx.Done():
	case <-time.After(takes):
	}
	d.mu.Lock()
	d.inside = false
	d.mu.Unlock()
	return n
}

// sleepUntil sleeps until so long after the beginning, and lets all that is due then be done.
func (d *diary) sleepUntil(at time.Duration) {
	time.Sleep(time.Until(d.began.Add(at)))
	synctest.Wait()
}

// requireStarts compares the starts so far, in seconds.
func (d *diary) requireStarts(want string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	require.Equal(d.t, want, strings.Join(d.starts, " "))
}

// requireStopped stops the job, and checks that nothing runs, then or later.
func (d *diary) requireStopped(s service) {
	d.t.Helper()
	s.stop()
	d.mu.Lock()
	before := len(d.starts)
	assert.False(d.t, d.inside, "a run goes on")
	d.mu.Unlock()
	time.Sleep(1000 * time.Hour)
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	assert.Len(d.t, d.starts, before, "a run after stop")
}
