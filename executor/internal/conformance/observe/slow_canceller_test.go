package observe_test

import (
	"bytes"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/trust/figures"
)

// cancelled is a task, on an executor that runs one at a time, that is cancelled one second after
// its submission. The executor comes upon it before the canceller has said so.
type cancelled struct {
	submit func(s scheduler) (seriesFuture, error)
	end    func(s scheduler) // is called two seconds after the submission
}

func closing(s scheduler)  { go s.Close() }
func stopping(s scheduler) { s.ShutdownNow() }

func cancelledTasks() map[string]cancelled {
	behindAnother := func(delay time.Duration, opts ...executor.TaskOption) func(scheduler) (seriesFuture, error) {
		return func(s scheduler) (seriesFuture, error) {
			if err := s.Execute(twoSeconds(pooltest.Sleep(time.Second))); err != nil {
				return nil, err
			}
			return s.Schedule(delay, pooltest.Nothing, opts...)
		}
	}
	runs := func(task executor.Task, opts ...executor.TaskOption) func(scheduler) (seriesFuture, error) {
		return func(s scheduler) (seriesFuture, error) { return s.Schedule(0, task, opts...) }
	}
	repeats := func(initial time.Duration, opts ...executor.TaskOption) func(scheduler) (seriesFuture, error) {
		return func(s scheduler) (seriesFuture, error) {
			return s.AtFixedRate(initial, time.Minute, twoSeconds(pooltest.Sleep(time.Second)), opts...)
		}
	}
	again := executor.Retry(3, retry.Backoff{Base: time.Hour})
	return map[string]cancelled{
		"when it was to begin":                {behindAnother(0), closing},
		"when it was to begin late":           {behindAnother(0, executor.BeginWithin(time.Hour)), closing},
		"not due at a Close":                  {behindAnother(time.Hour), closing},
		"not begun at a ShutdownNow":          {behindAnother(0), stopping},
		"in its run, at a Close":              {runs(twoSeconds(pooltest.Sleep(time.Second))), closing},
		"in its run, at a ShutdownNow":        {runs(twoSeconds(pooltest.Sleep(time.Second))), stopping},
		"in a run that fails":                 {runs(twoSeconds(pooltest.Fail)), closing},
		"in an attempt":                       {runs(twoSeconds(pooltest.Fail), again), closing},
		"between two attempts":                {runs(pooltest.Fail, again), stopping},
		"a series that waits":                 {repeats(time.Hour), closing},
		"a series in its run":                 {repeats(0), closing},
		"a series in its run, at ShutdownNow": {repeats(0), stopping},
		"a series in its last run":            {repeats(0, executor.MaxRuns(1)), closing},
	}
}

// cancelSlowly has the future settled as cancelled, and the executor hear of it nine seconds later.
func cancelSlowly(t *testing.T, f seriesFuture) {
	var held atomic.Bool
	t.Cleanup(delay.Set(func(p delay.Point) {
		if p == delay.CellCancelled && held.CompareAndSwap(false, true) {
			time.Sleep(9 * time.Second)
		}
	}))
	go func() { assert.True(t, f.Cancel()) }()
}

func (c cancelled) play(t *testing.T, s scheduler, done <-chan struct{}) {
	f, err := c.submit(s)
	require.NoError(t, err)
	time.Sleep(time.Second)
	cancelSlowly(t, f)
	time.Sleep(time.Second)
	c.end(s)
	<-done
}

// What sees the end of an executor finds all counted, and all told.
func TestAnExecutorDoesNotEndBeforeACancellationIsCountedAndTold(t *testing.T) {
	for name, task := range cancelledTasks() {
		t.Run(name+"/pool", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tape bytes.Buffer
				told := figures.NewTally()
				p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
					executor.Watch(insight.Config{History: true, Record: &tape}))
				task.play(t, p, p.Terminated())
				assert.EqualValues(t, 1, p.Stats().Cancelled)
				assert.Equal(t, 1, told.All().Cancelled)
				assert.Empty(t, figures.OfPool(p, told, tape.Bytes()).Disagreements())
			})
		})
		t.Run(name+"/loop", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tape bytes.Buffer
				told := figures.NewTally()
				l := eventloop.New(executor.Observe(told.Observer()),
					executor.Watch(insight.Config{History: true, Record: &tape}),
					pooltest.Quiet().(eventloop.Option))
				task.play(t, l, l.Terminated())
				assert.EqualValues(t, 1, l.Stats().Cancelled)
				assert.Equal(t, 1, told.All().Cancelled)
				assert.Empty(t, figures.OfLoop(l, told, tape.Bytes()).Disagreements())
			})
		})
	}
}

func TestAnExecutorThatNobodyObservesDoesNotEndBeforeACancellationIsCounted(t *testing.T) {
	for name, task := range cancelledTasks() {
		t.Run(name+"/pool", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(1, pooltest.Quiet())
				task.play(t, p, p.Terminated())
				pooltest.NothingLost(t, p.Stats())
				assert.EqualValues(t, 1, p.Stats().Cancelled)
			})
		})
		t.Run(name+"/loop", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := eventloop.New(pooltest.Quiet().(eventloop.Option))
				task.play(t, l, l.Terminated())
				st := l.Stats()
				assert.Equal(t, st.Accepted, st.Completed+st.Cancelled+st.Returned, "%+v", st)
				assert.EqualValues(t, 1, st.Cancelled)
			})
		})
	}
}
