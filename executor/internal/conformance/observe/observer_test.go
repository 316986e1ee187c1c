package observe_test

import (
	"bytes"
	"context"
	"fmt"
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
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// diary keeps what observers are told.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) read() (lines []string) {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	lines, d.lines = d.lines, nil
	return lines
}

type key struct{}

// observer notes everything, with a prefix.
func (d *diary) observer(by string) executor.Observer {
	plain := func(what string) func(executor.Run) {
		return func(r executor.Run) { d.note("%s%s %s#%d", by, what, r.Name, r.Number) }
	}
	failing := func(what string) func(executor.Run, error) {
		return func(r executor.Run, err error) { d.note("%s%s %s: %v", by, what, r.Name, err) }
	}
	return executor.Observer{
		Submitted: func(r executor.Run) { d.note("%ssubmitted %s", by, r.Name) },
		Rejected:  failing("rejected"),
		Began: func(ctx context.Context, r executor.Run) context.Context {
			d.note("%sbegan %s#%d", by, r.Name, r.Number)
			return context.WithValue(ctx, key{}, by)
		},
		Missed:  func(r executor.Run) { d.note("%smissed %d by %s#%d", by, r.Missed, r.Name, r.Number) },
		Overran: plain("overran"),
		Expired: plain("expired"),
		Ended: func(_ context.Context, r executor.Run, err error) {
			d.note("%sended %s#%d: %v", by, r.Name, r.Number, err)
		},
		Cancelled: plain("cancelled"),
		Dropped:   failing("dropped"),
		Paused:    plain("paused"),
		Resumed:   plain("resumed"),
	}
}

// scheduler is what pools and event loops have in common.
type scheduler interface {
	Execute(executor.Task, ...executor.TaskOption) error
	Schedule(time.Duration, executor.Task, ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	ShutdownNow() []executor.Pending
	Close() error
}

// onBoth has a test played with a pool and with a loop.
func onBoth(t *testing.T, play func(s scheduler, d *diary), opts ...executor.CommonOption) {
	t.Helper()
	for _, kind := range []string{"pool", "loop"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := new(diary)
				all := append([]executor.CommonOption{executor.Observe(d.observer("")),
					executor.Name("p"), pooltest.Quiet().(executor.CommonOption)}, opts...)
				var s scheduler
				if kind == "pool" {
					var of []executor.Option
					for _, o := range all {
						of = append(of, o)
					}
					s = executor.NewScheduledPool(1, of...)
				} else {
					var of []eventloop.Option
					for _, o := range all {
						of = append(of, o)
					}
					s = eventloop.New(of...)
				}
				defer s.Close()
				play(s, d)
			})
		})
	}
}

func TestARunIsObserved(t *testing.T) {
	onBoth(t, func(s scheduler, d *diary) {
		_, err := s.Schedule(ms, func(ctx context.Context) error {
			d.note("runs with %q", ctx.Value(key{}))
			r, ok := executor.RunFrom(ctx)
			d.note("is %s %v", r.Name, ok)
			return errBad
		}, executor.Name("x"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"submitted x", "began x#1", `runs with ""`, "is x true",
			"ended x#1: bad"}, d.read())
		require.NoError(t, s.Execute(lasts(0)))
		assert.Equal(t, []string{"submitted ", "began #1", "ended #1: <nil>"}, d.read())
	})
}

func TestWhatMayBecomeOfATaskIsObserved(t *testing.T) {
	onBoth(t, func(s scheduler, d *diary) {
		f, err := s.Schedule(time.Hour, lasts(0), executor.Name("x"))
		require.NoError(t, err)
		f.Cancel()
		f.Cancel()
		assert.Equal(t, []string{"submitted x", "cancelled x#1"}, d.read())

		f, err = s.Schedule(0, lasts(2*ms), executor.Name("x"), executor.Timeout(ms))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"submitted x", "began x#1", "overran x#1",
			`ended x#1: ` + errorOf(f).Error()}, d.read())

		_, err = s.Schedule(0, lasts(5*ms), executor.Name("hog"))
		require.NoError(t, err)
		_, err = s.Schedule(0, lasts(0), executor.Name("x"), executor.BeginWithin(ms))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"submitted hog", "submitted x", "began hog#1", "expired x#1",
			"ended hog#1: <nil>"}, sortedBegin(d.read()))

		f, err = s.AtFixedRate(time.Hour, time.Hour, lasts(0), executor.Name("series"))
		require.NoError(t, err)
		assert.True(t, f.Pause())
		assert.False(t, f.Pause())
		assert.True(t, f.Resume())
		assert.Equal(t, []string{"submitted series", "paused series#0", "resumed series#0"}, d.read())
		s.ShutdownNow()
		lines := d.read()
		require.Len(t, lines, 1)
		assert.Contains(t, lines[0], `dropped series: future: cancelled: `)
		_, err = s.Schedule(0, lasts(0), executor.Name("x"))
		require.Error(t, err)
		assert.Equal(t, []string{"submitted x", "rejected x: " + err.Error()}, d.read())
	})
}

// sortedBegin puts submissions first: a run may begin while another task is being submitted.
func sortedBegin(lines []string) (sorted []string) {
	for _, first := range []bool{true, false} {
		for _, l := range lines {
			if (strings.HasPrefix(l, "submitted") || strings.HasPrefix(l, "rejected")) == first {
				sorted = append(sorted, l)
			}
		}
	}
	return sorted
}

func errorOf(f *executor.ScheduledFuture[struct{}]) error {
	_, err := f.Get(context.Background())
	return err
}

func TestASeriesIsObserved(t *testing.T) {
	onBoth(t, func(s scheduler, d *diary) {
		n := 0
		_, err := s.AtFixedRate(0, 10*ms, func(context.Context) error {
			if n++; n == 1 {
				time.Sleep(35 * ms)
			}
			return nil
		}, executor.Name("s"), executor.CatchUp(executor.Coalesce), executor.MaxRuns(2))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"submitted s", "began s#1", "ended s#1: <nil>", "began s#2",
			"missed 2 by s#2", "ended s#2: <nil>"}, d.read())
	})
}

func TestEachAttemptIsObserved(t *testing.T) {
	onBoth(t, func(s scheduler, d *diary) {
		tries := 0
		_, err := s.Schedule(0, func(context.Context) error {
			if tries++; tries < 2 {
				return errBad
			}
			return nil
		}, executor.Name("x"), executor.Retry(3, retry.Backoff{}))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		assert.Equal(t, []string{"submitted x", "began x#1", "ended x#1: bad", "began x#1",
			"ended x#1: <nil>"}, d.read())
	})
}

func TestAllObserversAndHooksAreCalledInOrder(t *testing.T) {
	for _, harm := range []func(){func() {}, func() { panic("boom") }} {
		synctest.Test(t, func(t *testing.T) {
			d := new(diary)
			a, b := d.observer("a "), d.observer("b ")
			bad := executor.Observer{
				Submitted: func(executor.Run) { harm() },
				Began:     func(context.Context, executor.Run) context.Context { harm(); return nil },
				Ended:     func(context.Context, executor.Run, error) { harm() },
			}
			failures := 0
			p := executor.NewScheduledPool(1, executor.Observe(a, bad), executor.Observe(b),
				executor.BeforeRun(func(ctx context.Context, _ executor.Run) {
					d.note("before %v", ctx.Value(key{}))
				}),
				executor.AfterRun(func(context.Context, executor.Run, error) { d.note("after") }),
				executor.Decorate(func(task executor.Task) executor.Task {
					return func(ctx context.Context) error { d.note("decorated"); return task(ctx) }
				}),
				executor.ErrorHandler(func(context.Context, executor.Run, error) { failures++ }))
			defer p.Close()
			_, err := p.Submit(func(context.Context) error { d.note("body"); return nil })
			require.NoError(t, err)
			assert.Equal(t, []string{"a submitted ", "b submitted ", "a began #1", "b began #1",
				"before b ", "decorated", "body", "after", "b ended #1: <nil>", "a ended #1: <nil>"},
				d.read())
		})
	}
}

func TestTasksOfOtherFrontsAreObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(diary)
		p := executor.NewScheduledPool(2, executor.Observe(d.observer("")))
		defer p.Close()
		_, err := serial.New(p).Submit(lasts(0), executor.Name("serial"))
		require.NoError(t, err)
		assert.Equal(t, []string{"submitted serial", "began serial#1", "ended serial#1: <nil>"}, d.read())
		g := bulk.NewGroup(t.Context(), p)
		g.Go(lasts(0), executor.Name("member"))
		assert.NoError(t, g.Wait())
		assert.Equal(t, []string{"submitted member", "began member#1", "ended member#1: <nil>"}, d.read())
		s := supervisor.New(p, lasts(0), executor.Name("supervised"), supervisor.Interval(time.Minute))
		s.Start()
		time.Sleep(time.Second)
		assert.Equal(t, []string{"submitted supervised", "began supervised#1",
			"ended supervised#1: <nil>"}, d.read())
		s.Stop()
	})
}

func TestAPolicyThatPanicsRejects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(diary)
		p := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.Observe(d.observer("")),
			executor.OnRejection(func(*rejection.Task) error { panic("boom") }))
		defer p.Close()
		_, err := p.Submit(lasts(ms), executor.Name("a"))
		require.NoError(t, err)
		assert.Panics(t, func() { _, _ = p.Submit(lasts(ms), executor.Name("b")) })
		time.Sleep(time.Second)
		assert.Equal(t, []string{"submitted a", "submitted b", "rejected b: <nil>", "began a#1",
			"ended a#1: <nil>"}, sortedBegin(d.read()))
	})
}

func TestLateRunsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		told := 0
		p := executor.NewScheduledPool(1, executor.Name("main"), executor.Watch(insight.Config{
			ExplainLate: 10 * ms, OnLate: func(insight.LateRun) { told++ }, OnLateAfter: time.Second,
			OnLateInterval: time.Hour,
		}), executor.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		defer p.Close()
		// lines plays rounds of two seconds, in each of which a run is late and one on time, and
		// returns what has been logged.
		lines := func(rounds int) []string {
			for range rounds {
				at(p, 0, "import", time.Second)
				at(p, 100*ms, "poll", 0)
				at(p, 1100*ms, "poll", 0)
				time.Sleep(2 * time.Second)
			}
			synctest.Wait()
			text := strings.TrimSpace(log.String())
			log.Reset()
			return strings.Split(text, "\n")
		}
		first := lines(5)
		require.Len(t, first, 3, "the first, second and fourth")
		assert.Contains(t, first[0], `level=WARN msg="executor: late 900ms poll: workers 900ms `+
			`(import 1s)" pool=main task=poll run=1 late=900ms episode=1 suppressed=0`)
		assert.Contains(t, first[2], "episode=4 suppressed=1")

		time.Sleep(time.Minute)
		assert.Contains(t, lines(1)[0], "episode=1 suppressed=0", "a minute without any ends it")

		many := lines(150) // five minutes
		require.Len(t, many, 10, "the 2nd, 4th, 8th, 16th, 32nd, 64th, 128th, and one a minute")
		assert.Contains(t, many[5], "episode=62 suppressed=29")
		assert.Zero(t, told, "none was later than a second")
	})
}

func TestEachThresholdIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(diary)
		snap := func(what string) func(insight.LateRun) {
			return func(late insight.LateRun) { d.note("%s %v", what, late.Why.Total) }
		}
		p := executor.NewScheduledPool(1, pooltest.Quiet(),
			executor.Watch(insight.Config{OnLate: snap("far"), OnLateAfter: 500 * ms}),
			executor.Observe(executor.Observer{
				Late: func(_ context.Context, _ executor.Run, l insight.Lateness) {
					d.note("observed %v", l.Total)
				},
			}),
			executor.Watch(insight.Config{
				ExplainLate: 100 * ms, OnLate: snap("near"), OnLateAfter: 50 * ms,
			}))
		defer p.Close()
		for _, late := range []time.Duration{30 * ms, 60 * ms, 300 * ms, 700 * ms} {
			at(p, 0, "import", late)
			at(p, 0, "poll", 0)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		lines := d.read()
		slices.Sort(lines)
		assert.Equal(t, []string{"far 700ms", "near 300ms", "near 60ms", "near 700ms",
			"observed 300ms", "observed 700ms"}, lines)
	})
}

func TestOnLateIsCalledOncePerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(diary)
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{
			OnLate:      func(late insight.LateRun) { d.note("%s %v", late.Name, late.Why.Total) },
			OnLateAfter: 10 * ms, OnLateInterval: time.Minute,
		}))
		defer p.Close()
		for range 100 {
			at(p, 0, "import", time.Second)
			at(p, 100*ms, "poll", 0)
			time.Sleep(2 * time.Second)
		}
		assert.Equal(t, []string{"poll 900ms", "poll 900ms", "poll 900ms", "poll 900ms"}, d.read())
	})
	assert.Panics(t, func() { executor.Watch(insight.Config{OnLateAfter: -1}) })
	assert.Panics(t, func() { executor.Watch(insight.Config{ExplainLate: -1}) })
}
