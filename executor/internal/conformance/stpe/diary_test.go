package stpe_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// startPool returns a pool that is closed at the end of the bubble. It logs nothing, unless an
// option says so.
func startPool(t *testing.T, core int, opts ...executor.Option) *executor.ScheduledPool {
	t.Helper()
	p := pooltest.NewScheduledPool(t, core, opts...)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
	return p
}

// startBlocker occupies one worker of p until release is called, at the latest at the end of the
// bubble.
func startBlocker(t *testing.T, p *executor.ScheduledPool) (release func()) {
	t.Helper()
	gate := pooltest.NewGate(t)
	pooltest.Fill(t, &p.Pool, 1, gate.Hold)
	return gate.Open
}

// theDiary keeps what happens, in order, with the virtual time since it was begun.
type theDiary struct {
	began time.Time

	mu    sync.Mutex
	names []string
	times []time.Duration
	runs  []theRun
}

// theRun is an executor.Run with times since the diary was begun.
type theRun struct {
	Number             uint64
	Scheduled, Started time.Duration
	Missed             uint64
}

func startDiary() *theDiary { return &theDiary{began: time.Now()} }

func (d *theDiary) write(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names = append(d.names, name)
	d.times = append(d.times, time.Since(d.began))
}

// task returns a body that writes its name when it starts.
func (d *theDiary) task(name string) executor.Task { return d.lasting(name, 0) }

// lasting is task for a body whose runs last as long as given, the last length for all further
// runs. Runs must not overlap.
func (d *theDiary) lasting(name string, lengths ...time.Duration) executor.Task {
	return func(ctx context.Context) error {
		d.write(name)
		d.keepRun(ctx)
		time.Sleep(lengths[0])
		if len(lengths) > 1 {
			lengths = lengths[1:]
		}
		return nil
	}
}

func (d *theDiary) keepRun(ctx context.Context) {
	r, ok := executor.RunFrom(ctx)
	if !ok {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.runs = append(d.runs, theRun{r.Number, r.Scheduled.Sub(d.began), r.Started.Sub(d.began), r.Missed})
}

// theNames returns what was written so far.
func (d *theDiary) theNames() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.names)
}

// theTimes returns when it was written.
func (d *theDiary) theTimes() []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.times)
}

// theRuns returns what the bodies made by task and lasting were told about their runs.
func (d *theDiary) theRuns() []theRun {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.runs)
}

// theSeconds returns durations of that many seconds; none for none, as a fresh diary does.
func theSeconds(counts ...int) []time.Duration {
	var ds []time.Duration
	for _, n := range counts {
		ds = append(ds, time.Duration(n)*time.Second)
	}
	return ds
}

// theLog is an option that collects log records, and a function that returns them, one a line.
func theLog() (executor.Option, func() []string) {
	log, text := pooltest.NewLog()
	return executor.Logger(log), func() []string {
		synctest.Wait() // a run is told of a moment after its future is settled
		return text.Lines()
	}
}
