package observe_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
)

// journal is a log that is read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// lines returns what has been logged since the last call.
func (j *journal) lines() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(j.text.String()), "\n")
	j.text.Reset()
	if lines[0] == "" {
		return nil
	}
	return lines
}

func (j *journal) option() executor.CommonOption {
	return executor.Logger(slog.New(slog.NewTextHandler(j, nil)))
}

// hang is a body that does not end by itself.
func hang(ctx context.Context) error { <-ctx.Done(); return nil }

// crew is a pool of two workers, or a loop, that logs into a journal.
type crew interface {
	executor.Submitter
	Execute(task executor.Task, opts ...executor.TaskOption) error
	Schedule(time.Duration, executor.Task, ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	Insight() insight.View
	Shutdown()
	ShutdownNow() []executor.Pending
	AwaitTermination(ctx context.Context) error
}

// short plays with a scheduled pool of two workers.
func short(t *testing.T, play func(p *executor.ScheduledPool, j *journal, a *alarms)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		j, a := new(journal), new(alarms)
		p := executor.NewScheduledPool(2, executor.Name("jobs"), j.option(),
			executor.Watch(insight.Config{OnHealth: a.note}))
		defer end(p)
		play(p, j, a)
	})
}

// shortOf plays with a pool of two workers, and with a loop, which has one.
func shortOf(t *testing.T, play func(t *testing.T, p crew, size int, j *journal, a *alarms)) {
	t.Run("pool", func(t *testing.T) {
		short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) { play(t, p, 2, j, a) })
	})
	t.Run("loop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			j, a := new(journal), new(alarms)
			l := eventloop.New(executor.Name("jobs"), j.option(),
				executor.Watch(insight.Config{OnHealth: a.note}))
			defer end(l)
			play(t, l, 1, j, a)
		})
	})
}

func end(p crew) {
	p.ShutdownNow()
	_ = p.AwaitTermination(context.Background())
}

// hold has each worker run a task that does not end by itself, and returns their futures.
func hold(t *testing.T, p crew, size int) (fs []*executor.ScheduledFuture[struct{}]) {
	t.Helper()
	for i := range size {
		f, err := p.AtFixedRate(0, time.Second, hang, executor.Name([]string{"one", "two"}[i]))
		require.NoError(t, err)
		fs = append(fs, f)
	}
	synctest.Wait()
	return fs
}

func TestAnExecutorWithoutAFreeWorkerSaysWhoHoldsThem(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		held := hold(t, p, size)
		_, _ = p.AtFixedRate(0, time.Second, lasts(0), executor.Name("starved"))
		time.Sleep(time.Minute)
		assert.Empty(t, j.lines())
		assert.Equal(t, insight.HealthOK, p.Insight().Health().Status)
		time.Sleep(time.Second)
		told := j.lines()
		require.Len(t, told, 1)
		assert.Contains(t, told[0], "level=WARN")
		assert.Contains(t, told[0], "executor: no worker has been free for 1m0s (one 1m0s")
		assert.Contains(t, told[0], "pool=jobs waiting=1")
		assert.Contains(t, told[0], "one since 2000-01-01T00:00:00Z")
		if size == 2 {
			assert.Contains(t, told[0], "two since 2000-01-01T00:00:00Z")
		}
		h := p.Insight().Health()
		assert.Equal(t, insight.HealthDegraded, h.Status)
		assert.Contains(t, h.Reason, "no worker has been free for 1m1s (one 1m1s")
		assert.Len(t, a.read(), 1)

		time.Sleep(time.Hour)
		assert.Len(t, j.lines(), 5, "after 2, 4, 8, 16 and 32 minutes")
		assert.Empty(t, a.read())
		held[0].Cancel()
		synctest.Wait()
		assert.Equal(t, insight.HealthOK, p.Insight().Health().Status)
		assert.Equal(t, []string{"ok"}, a.read())
		time.Sleep(24 * time.Hour)
		assert.Empty(t, j.lines())
	})
}

func TestAShortageThatComesAgainIsToldAgain(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		for range size {
			_, err := p.AtFixedRate(0, time.Hour, lasts(90*time.Second))
			require.NoError(t, err)
		}
		_, err := p.AtFixedRate(time.Second, time.Hour, lasts(0))
		require.NoError(t, err)
		time.Sleep(150 * time.Minute)
		assert.Len(t, j.lines(), 3)
		assert.Len(t, a.read(), 6, "degraded and ok")
	})
}

func TestWhatComesToAnExecutorThatHasLongBeenBusyIsToldOf(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		hold(t, p, size)
		time.Sleep(time.Hour)
		require.NoError(t, p.Execute(lasts(0)))
		time.Sleep(50 * time.Second)
		assert.Empty(t, j.lines())
		time.Sleep(11 * time.Second)
		assert.Len(t, j.lines(), 1)
		assert.Len(t, a.read(), 1)
	})
}

func TestWhatIsPlannedForMuchLaterHidesNoShortage(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		hold(t, p, size)
		_, err := p.Schedule(365*24*time.Hour, lasts(0))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		require.NoError(t, p.Execute(lasts(0)))
		time.Sleep(61 * time.Second)
		assert.Len(t, j.lines(), 1)
		assert.Len(t, a.read(), 1)
	})
}

func TestWhatIsNotYetDueLacksNoWorker(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		hold(t, p, size)
		_, err := p.Schedule(time.Hour, lasts(0))
		require.NoError(t, err)
		time.Sleep(time.Hour + time.Minute)
		assert.Empty(t, j.lines())
		time.Sleep(time.Second)
		assert.Len(t, j.lines(), 1)
	})
}

func TestAnExecutorThatIsBusyButGoesOnIsNotShort(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		for range 1000 {
			require.NoError(t, p.Execute(lasts(10*time.Second)))
		}
		time.Sleep(time.Hour)
		assert.Empty(t, j.lines())
		assert.Empty(t, a.read())
	})
}

func TestACatchUpIsNoShortage(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		for range size {
			first := true
			_, err := p.AtFixedRate(0, time.Second, func(context.Context) error {
				if first {
					first = false
					time.Sleep(time.Hour) // nothing else is due meanwhile
				}
				time.Sleep(500 * ms)
				return nil
			})
			require.NoError(t, err)
		}
		time.Sleep(3 * time.Hour)
		assert.Empty(t, j.lines())
		assert.Empty(t, a.read())
	})
}

func TestAnExecutorThatIsShutDownIsNotShort(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		for range size + 1 {
			require.NoError(t, p.Execute(hang))
		}
		p.Shutdown()
		time.Sleep(time.Hour)
		assert.Empty(t, j.lines())
	})
}

func TestALoopThatIsShutDownGracefullyIsNotShort(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		l, ok := p.(*eventloop.Loop)
		if !ok {
			return
		}
		hold(t, p, size)
		require.NoError(t, p.Execute(lasts(0)))
		require.NoError(t, l.ShutdownGracefully(time.Second, time.Hour))
		time.Sleep(30 * time.Minute)
		assert.Empty(t, j.lines())
	})
}

func TestAShortageEndsWithWhatWaits(t *testing.T) {
	for name, end := range map[string]func(f *executor.ScheduledFuture[struct{}]){
		"cancelled": func(f *executor.ScheduledFuture[struct{}]) { f.Cancel() },
		"put off":   func(f *executor.ScheduledFuture[struct{}]) { f.Reset(365 * 24 * time.Hour) },
		"expired":   func(f *executor.ScheduledFuture[struct{}]) { time.Sleep(5 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
				hold(t, p, size)
				f, err := p.Schedule(0, lasts(0), executor.BeginWithin(9*time.Minute))
				require.NoError(t, err)
				time.Sleep(5 * time.Minute)
				assert.Len(t, a.read(), 1)
				end(f)
				assert.Equal(t, []string{"ok"}, a.read())
				j.lines()
				time.Sleep(24 * time.Hour)
				assert.Empty(t, j.lines())
			})
		})
	}
}

func TestManyThatWaitAreCancelledDuringAShortage(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		hold(t, p, size)
		var fs []*executor.ScheduledFuture[struct{}]
		for i := range 5000 {
			f, err := p.Schedule(time.Duration(i%2)*time.Second, lasts(0))
			require.NoError(t, err)
			fs = append(fs, f)
		}
		time.Sleep(5 * time.Minute)
		assert.Len(t, a.read(), 1)
		assert.Contains(t, j.lines()[0], "waiting=5000")
		for _, f := range fs[1:] {
			f.Cancel()
		}
		assert.Empty(t, a.read())
		assert.Equal(t, insight.HealthDegraded, p.Insight().Health().Status)
		fs[0].Cancel()
		assert.Equal(t, []string{"ok"}, a.read())
	})
}

// In virtual time: the last of the doubling warnings comes, and then no timer is left.
func TestTheWarningsOfAShortageEnd(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		for range size + 1 {
			require.NoError(t, p.Execute(hang))
		}
		time.Sleep(100 * 365 * 24 * time.Hour)
		assert.Len(t, j.lines(), 21)
	})
}
