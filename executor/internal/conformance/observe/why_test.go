package observe_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/wall/walltest"
)

const ms = time.Millisecond

// book has what a pool has said of late runs.
type book struct {
	mu    sync.Mutex
	lines []string
	all   []insight.Lateness
}

func (b *book) observer() executor.Observer {
	return executor.Observer{Late: func(_ context.Context, r executor.Run, l insight.Lateness) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.all = append(b.all, l)
		b.lines = append(b.lines, fmt.Sprintf("%s#%d late %v: %v", r.Name, r.Number, l.Total, l))
	}}
}

// read returns what was said since the last time, and whether it does not add up.
func (b *book) read() (lines []string) {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.all {
		sum := l.Clock + l.Previous + l.Held + l.Busy + l.Queue + l.Slack + l.Wake
		if sum != l.Total {
			lines = append(lines, fmt.Sprintf("%+v does not add up", l))
		}
	}
	lines, b.lines, b.all = append(lines, b.lines...), nil, nil
	return lines
}

func lasts(d time.Duration) executor.Task {
	return func(context.Context) error { time.Sleep(d); return nil }
}

// late has a test played with a pool in which every late run is explained.
func late(t *testing.T, core int, play func(p *executor.ScheduledPool, b *book),
	opts ...executor.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := new(book)
		opts = append(opts,
			executor.Watch(insight.Config{ExplainLate: insight.Any}),
			executor.Observe(b.observer()), pooltest.Quiet())
		p := executor.NewScheduledPool(core, opts...)
		defer p.Close()
		play(p, b)
	})
}

// at schedules a task that takes some time.
func at(p *executor.ScheduledPool, when time.Duration, name string, length time.Duration) {
	if _, err := p.Schedule(when, lasts(length), executor.Name(name)); err != nil {
		panic(err)
	}
}

func TestWhoIsOnTimeIsNotLate(t *testing.T) {
	late(t, 2, func(p *executor.ScheduledPool, b *book) {
		_, err := p.AtFixedRate(0, 10*ms, lasts(4*ms), executor.Jitter(5*ms))
		require.NoError(t, err)
		at(p, 7*ms, "x", 0)
		time.Sleep(time.Second)
		assert.Empty(t, b.read())
	})
}

func TestItsPreviousRun(t *testing.T) {
	for policy, want := range map[executor.CatchUpPolicy][]string{
		executor.Burst:    {"t#2 late 15ms: previous run 15ms", "t#3 late 5ms: previous run 5ms"},
		executor.Coalesce: {"t#2 late 15ms: previous run 15ms"},
		executor.Skip:     nil,
		executor.Shift:    {"t#2 late 15ms: previous run 15ms"},
	} {
		late(t, 2, func(p *executor.ScheduledPool, b *book) {
			first := true
			_, err := p.AtFixedRate(0, 10*ms, func(context.Context) error {
				if first {
					first = false
					time.Sleep(25 * ms)
				}
				return nil
			}, executor.Name("t"), executor.CatchUp(policy))
			require.NoError(t, err)
			time.Sleep(100 * ms)
			assert.Equal(t, want, b.read(), "%v", policy)
		})
	}
}

func TestNoWorkerWasFree(t *testing.T) {
	late(t, 2, func(p *executor.ScheduledPool, b *book) {
		at(p, 0, "a", 30*ms)
		at(p, 0, "b", 20*ms)
		at(p, 10*ms, "c", 0)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"c#1 late 10ms: workers 10ms (b 20ms, a 20ms)"}, b.read())
	})
}

func TestTheQueue(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		_, err := p.AtFixedRate(0, 10*ms, lasts(15*ms), executor.Name("t"), executor.MaxRuns(3))
		require.NoError(t, err)
		at(p, 12*ms, "x", ms)
		time.Sleep(time.Second)
		assert.Equal(t, []string{
			"t#2 late 5ms: previous run 5ms",
			"x#1 late 18ms: workers 3ms, queue 15ms (t#2 15ms, t 15ms)",
			"t#3 late 11ms: previous run 10ms, queue 1ms (x 1ms)",
		}, b.read())
	})
}

func TestThePoolWasPaused(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		at(p, 10*ms, "x", 0)
		at(p, 25*ms, "y", 5*ms)
		p.Pause()
		time.Sleep(20 * ms)
		p.Resume()
		time.Sleep(4 * ms)
		p.Pause()
		time.Sleep(3 * ms)
		p.Resume()
		at(p, 0, "z", 0)
		time.Sleep(time.Second)
		assert.Equal(t, []string{
			"x#1 late 10ms: held 10ms",
			"y#1 late 2ms: held 2ms",
			"z#1 late 5ms: queue 5ms (y 5ms)",
		}, b.read())
	})
}

func TestAPauseAndThenTheWorkers(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		at(p, 0, "long", 30*ms)
		at(p, 10*ms, "x", 0)
		time.Sleep(20 * ms)
		p.Pause()
		time.Sleep(20 * ms)
		p.Resume()
		time.Sleep(time.Second)
		assert.Equal(t, []string{"x#1 late 30ms: held 20ms, workers 10ms (long 30ms)"}, b.read())
	})
}

func TestSlackIsTold(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		at(p, 10*ms, "x", 0)
		at(p, 11*ms, "y", 0)
		at(p, 12*ms, "z", 0)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"y#1 late 4ms: slack 4ms", "z#1 late 3ms: slack 3ms"}, b.read())
	}, executor.Slack(5*ms))
}

func TestASerialExecutorWaitsForThePreviousTask(t *testing.T) {
	late(t, 2, func(p *executor.ScheduledPool, b *book) {
		s := serial.New(p)
		for _, name := range []string{"a", "b"} {
			_, err := s.Submit(lasts(10*ms), executor.Name(name))
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		assert.Equal(t, []string{"b#1 late 10ms: previous run 10ms"}, b.read())
	})
}

func TestAPaceHoldsUp(t *testing.T) {
	late(t, 2, func(p *executor.ScheduledPool, b *book) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			at(p, 10*ms, name, 0)
		}
		time.Sleep(time.Second)
		assert.ElementsMatch(t, []string{"c#1 late 20ms: held 20ms", "d#1 late 20ms: held 20ms",
			"e#1 late 40ms: held 40ms"}, b.read(), "c and d begin together")
	}, executor.Pace(2, 20*ms))
}

func TestASerialExecutorHasAPaceOrAGap(t *testing.T) {
	for _, option := range []serial.Option{
		serial.Gap(20 * ms), executor.Pace(1, 20*ms),
	} {
		late(t, 2, func(p *executor.ScheduledPool, b *book) {
			s := serial.New(p, option)
			for _, name := range []string{"a", "b"} {
				_, err := s.Submit(lasts(0), executor.Name(name))
				require.NoError(t, err)
			}
			time.Sleep(time.Second)
			assert.Equal(t, []string{"b#1 late 20ms: previous run 20ms"}, b.read())
		})
		synctest.Test(t, func(t *testing.T) {
			b := new(book)
			p := executor.NewPool(2,
				executor.Watch(insight.Config{ExplainLate: insight.Any}), executor.Observe(b.observer()))
			defer p.Close()
			s := serial.New(p, option)
			for _, name := range []string{"a", "b"} {
				_, err := s.Submit(lasts(0), executor.Name(name))
				require.NoError(t, err)
			}
			time.Sleep(time.Second)
			assert.Equal(t, []string{"b#1 late 20ms: previous run 20ms"}, b.read())
		})
	}
}

func TestTheWallClockWasSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := walltest.Use(t)
		b := new(book)
		p := executor.NewScheduledPool(1, executor.Observe(b.observer()),
			executor.Watch(insight.Config{ExplainLate: insight.Any}))
		defer p.Close()
		_, err := p.ScheduleAt(clock.Now().Add(time.Hour), lasts(0), executor.WallClock(),
			executor.Name("report"))
		require.NoError(t, err)
		_, err = p.Schedule(0, lasts(time.Minute), executor.Name("x"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		clock.Step(3 * time.Hour)
		time.Sleep(time.Hour)
		assert.Equal(t, []string{"report#1 late 2h1m0s: clock 2h0m0s, workers 59s (x 1m0s)"}, b.read())
	})
}

func TestALoopTellsWhyToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := new(book)
		l := eventloop.New(executor.Watch(insight.Config{ExplainLate: insight.Any}),
			executor.Observe(b.observer()))
		defer l.Close()
		_, err := l.Schedule(0, lasts(30*ms), executor.Name("hog"))
		require.NoError(t, err)
		_, err = l.Schedule(10*ms, lasts(0), executor.Name("x"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"x#1 late 20ms: workers 20ms (hog 30ms)"}, b.read())
	})
}

func TestOnlyWhatIsLaterThanTheThresholdIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := new(book)
		p := executor.NewScheduledPool(1, executor.Observe(b.observer()),
			executor.Watch(insight.Config{ExplainLate: 20 * ms}))
		defer p.Close()
		at(p, 0, "hog", 30*ms)
		at(p, 5*ms, "late", 0)
		at(p, 10*ms, "just", 0)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"late#1 late 25ms: workers 25ms (hog 30ms)"}, b.read())
		assert.Equal(t, 25*ms, p.Insight().Measurements().Reasons.Total)
	})
}

func TestATaskOfExecuteIsSeenToo(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		require.NoError(t, p.Execute(lasts(20*ms)))
		at(p, 10*ms, "x", 0)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"x#1 late 10ms: workers 10ms (unnamed 20ms)"}, b.read())
	})
}

// In real time a pool that two tasks have starved names both.
func TestTheHogsAreNamedInRealTime(t *testing.T) {
	b := new(book)
	p := executor.NewScheduledPool(2, executor.Observe(b.observer()),
		executor.Watch(insight.Config{ExplainLate: 10 * ms}))
	gate, begun := make(chan struct{}), make(chan struct{}, 2)
	for _, name := range []string{"import-1", "import-2"} {
		_, err := p.Submit(func(context.Context) error { begun <- struct{}{}; <-gate; return nil },
			executor.Name(name))
		require.NoError(t, err)
	}
	<-begun
	<-begun
	f, err := p.Schedule(ms, lasts(0), executor.Name("poll"))
	require.NoError(t, err)
	time.Sleep(50 * ms)
	close(gate)
	_, err = f.Get(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Close())
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Len(t, b.all, 1)
	why := b.all[0]
	assert.GreaterOrEqual(t, why.Busy, 10*ms)
	var names []string
	for _, h := range why.Holders {
		names = append(names, h.Name)
	}
	assert.ElementsMatch(t, []string{"import-1", "import-2"}, names)
}
