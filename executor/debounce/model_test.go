package debounce_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/debounce"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
)

// step is something that is done with a debouncer, so long after the step before.
type step struct {
	after time.Duration
	does  string
}

// model is a debouncer in a few lines: it knows when runs begin and end, and what flushes return.
type model struct {
	wait  debounce.Wait
	lasts []time.Duration // of each run, in turn

	now, due, first time.Duration
	waiting, urgent bool
	starts, ends    []time.Duration
	flushing        []int // flushes that wait for the run to come
	flushed         []string
	tie             bool // two things happen at one time, so that either may come first
}

func (m *model) lastsOf(run int) time.Duration { return m.lasts[run%len(m.lasts)] }

// busyUntil is when the last run that has begun ends.
func (m *model) busyUntil() time.Duration {
	if len(m.ends) == 0 {
		return -1
	}
	return m.ends[len(m.ends)-1]
}

// play goes on until a time, and has the run begin that is due by then.
func (m *model) play(until time.Duration) {
	m.now = until
	at := max(m.due, m.busyUntil())
	m.tie = m.tie || m.waiting && at == until || m.busyUntil() == until
	if !m.waiting || at >= until {
		return
	}
	m.waiting = false
	m.starts, m.ends = append(m.starts, at), append(m.ends, at+m.lastsOf(len(m.starts)))
	for _, flush := range m.flushing {
		m.flushed[flush] = answer(m.busyUntil(), outcome(len(m.starts)-1))
	}
	m.flushing = nil
	m.tie = m.tie || m.busyUntil() == until
}

func (m *model) do(s step) {
	m.play(m.now + s.after)
	switch s.does {
	case "call":
		if !m.waiting {
			m.waiting, m.urgent, m.first = true, false, m.now
		}
		if m.urgent {
			break
		}
		if m.due = m.now + m.wait.Quiet; m.wait.Most > 0 {
			m.due = min(m.due, m.first+m.wait.Most)
		}
	case "flush":
		m.flushed = append(m.flushed, answer(m.now, nil))
		n := len(m.flushed) - 1
		switch {
		case m.waiting:
			if !m.urgent {
				m.due = m.now
			}
			m.urgent, m.flushing = true, append(m.flushing, n)
		case m.busyUntil() > m.now:
			m.flushed[n] = answer(m.busyUntil(), outcome(len(m.starts)-1))
		}
	case "drop":
		for _, flush := range m.flushing {
			m.flushed[flush] = answer(m.now, future.ErrCancelled)
		}
		m.waiting, m.flushing = false, nil
	}
}

var errOdd = errors.New("odd")

func outcome(run int) error {
	if run%2 == 1 {
		return errOdd
	}
	return nil
}

func answer(at time.Duration, err error) string { return fmt.Sprintf("%v: %v", at, err) }

// real is the debouncer beside the model.
type real struct {
	begun   time.Time
	lasts   func(run int) time.Duration
	mu      sync.Mutex
	starts  []time.Duration
	flushed []string
}

func (r *real) body(context.Context) error {
	r.mu.Lock()
	run := len(r.starts)
	r.starts = append(r.starts, time.Since(r.begun))
	r.mu.Unlock()
	time.Sleep(r.lasts(run))
	return outcome(run)
}

func (r *real) do(t *rapid.T, d *debounce.Debouncer, s step) {
	time.Sleep(s.after)
	switch s.does {
	case "call":
		require.NoError(t, d.Call())
	case "flush":
		r.mu.Lock()
		n := len(r.flushed)
		r.flushed = append(r.flushed, "")
		r.mu.Unlock()
		go func() {
			err := d.Flush(context.Background())
			r.mu.Lock()
			defer r.mu.Unlock()
			r.flushed[n] = answer(time.Since(r.begun), err)
		}()
		synctest.Wait()
	case "drop":
		d.Drop()
	}
}

// Whatever is called, flushed and dropped, and when: runs begin when the model says, and flushes
// end with their run, on pools of one worker and of three, and on a loop.
func TestModelOfADebouncer(t *testing.T) {
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	for kind, start := range map[string]func() executor.ScheduledSubmitter{
		"pool":  func() executor.ScheduledSubmitter { return executor.NewScheduledPool(1, quiet) },
		"three": func() executor.ScheduledSubmitter { return executor.NewScheduledPool(3, quiet) },
		"loop":  func() executor.ScheduledSubmitter { return eventloop.New(quiet) },
	} {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				spans := rapid.Custom(func(t *rapid.T) time.Duration {
					return time.Duration(rapid.IntRange(0, 3_000_000).Draw(t, "µs")) * time.Microsecond
				})
				wait := debounce.Wait{Quiet: spans.Draw(t, "quiet")}
				if rapid.Bool().Draw(t, "limited") {
					wait.Most = wait.Quiet + spans.Draw(t, "most")
				}
				m := &model{wait: wait, lasts: rapid.SliceOfN(spans, 1, 5).Draw(t, "lasts")}
				steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
					does := []string{"call", "call", "call", "flush", "drop"}
					return step{spans.Draw(t, "after"), rapid.SampledFrom(does).Draw(t, "does")}
				}), 1, 20).Draw(t, "steps")
				steps = append(steps, step{1000 * time.Second, "call"}, step{1000 * time.Second, "drop"})
				for _, s := range steps {
					m.do(s)
				}
				if m.tie {
					t.Skip("two things at one time")
				}
				rapid.SyncTest(t, func(t *rapid.T) { compare(t, start(), m, steps) })
			})
		})
	}
}

func compare(t *rapid.T, p executor.ScheduledSubmitter, m *model, steps []step) {
	r := &real{begun: time.Now(), lasts: m.lastsOf}
	d, err := debounce.New(p, m.wait, r.body)
	require.NoError(t, err)
	for _, s := range steps {
		r.do(t, d, s)
	}
	assert.NoError(t, d.Close(t.Context()))
	assert.NoError(t, p.(interface{ Close() error }).Close())
	synctest.Wait()
	assert.Equal(t, m.starts, r.starts)
	assert.Equal(t, m.flushed, r.flushed)
	for i, start := range m.starts[1:] { // of the model: that runs do not overlap is no accident
		assert.GreaterOrEqual(t, start, m.ends[i])
	}
	assert.True(t, slices.IsSorted(r.starts))
}
