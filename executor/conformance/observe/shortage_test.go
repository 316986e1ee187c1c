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
	"github.com/punctual-go/punctual/executor/internal/pooltest"
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

func (j *journal) option() executor.Option {
	return executor.Logger(slog.New(slog.NewTextHandler(j, nil)))
}

// hang is a body that does not end by itself.
func hang(ctx context.Context) error { <-ctx.Done(); return nil }

// short plays with a scheduled pool of two workers that logs into a journal.
func short(t *testing.T, play func(p *executor.ScheduledPool, j *journal, a *alarms)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		j, a := new(journal), new(alarms)
		p := executor.NewScheduledPool(2, executor.Name("jobs"), j.option(), executor.OnHealth(a.note))
		defer func() { _ = p.AwaitTermination(context.Background()) }()
		defer p.ShutdownNow()
		play(p, j, a)
	})
}

func TestAPoolWithoutAFreeWorkerSaysWhoHoldsThem(t *testing.T) {
	short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
		one, _ := p.AtFixedRate(0, time.Second, hang, executor.Name("one"))
		_, _ = p.AtFixedRate(0, time.Second, hang, executor.Name("two"))
		_, _ = p.AtFixedRate(0, time.Second, lasts(0), executor.Name("starved"))
		time.Sleep(time.Minute)
		assert.Empty(t, j.lines())
		assert.Equal(t, executor.HealthOK, p.Health().Status)
		time.Sleep(time.Second)
		told := j.lines()
		require.Len(t, told, 1)
		assert.Contains(t, told[0], "level=WARN")
		assert.Contains(t, told[0], "executor: no worker has been free for 1m0s")
		assert.Contains(t, told[0], "pool=jobs waiting=1")
		assert.Contains(t, told[0], "one since 2000-01-01T00:00:00Z")
		assert.Contains(t, told[0], "two since 2000-01-01T00:00:00Z")
		h := p.Health()
		assert.Equal(t, executor.HealthDegraded, h.Status)
		assert.Contains(t, h.Reason, "no worker has been free for 1m1s (")
		assert.Len(t, a.read(), 1)

		time.Sleep(time.Hour)
		assert.Len(t, j.lines(), 5, "after 2, 4, 8, 16 and 32 minutes")
		assert.Empty(t, a.read())
		one.Cancel()
		synctest.Wait()
		assert.Equal(t, executor.HealthOK, p.Health().Status)
		assert.Equal(t, []string{"ok"}, a.read())
		time.Sleep(24 * time.Hour)
		assert.Empty(t, j.lines())
	})
}

func TestAPlainPoolWithoutAFreeWorkerSaysSo(t *testing.T) {
	for name, submit := range map[string]func(p *executor.Pool, task executor.Task) error{
		"Execute": func(p *executor.Pool, task executor.Task) error { return p.Execute(task) },
		"Submit":  func(p *executor.Pool, task executor.Task) error { _, err := p.Submit(task); return err },
	} {
		for kind, opts := range map[string][]executor.Option{
			"unbounded": nil, "bounded": {executor.BoundedFIFO(5)}, "priority": {executor.PriorityFIFO()},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					j := new(journal)
					p := executor.NewPool(1, append(opts, j.option())...)
					defer p.ShutdownNow()
					require.NoError(t, submit(p, hang))
					time.Sleep(time.Hour)
					assert.Empty(t, j.lines(), "nothing waits")
					assert.Equal(t, executor.HealthOK, p.Health().Status)
					require.NoError(t, submit(p, pooltest.Nothing))
					time.Sleep(2*time.Minute + time.Second)
					assert.NotEmpty(t, j.lines())
					assert.Equal(t, executor.HealthDegraded, p.Health().Status)
				})
			})
		}
	}
}

func TestAPoolThatIsBusyButGoesOnIsNotShort(t *testing.T) {
	short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
		for range 1000 {
			require.NoError(t, p.Execute(lasts(10*time.Second)))
		}
		time.Sleep(time.Hour)
		assert.Empty(t, j.lines())
		assert.Empty(t, a.read())
	})
}

func TestACatchUpIsNoShortage(t *testing.T) {
	short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
		for range 2 {
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

func TestAPoolThatIsPausedOrDrainsIsNotShort(t *testing.T) {
	for name, stop := range map[string]func(p *executor.ScheduledPool){
		"pause":    func(p *executor.ScheduledPool) { p.Pause() },
		"shutdown": func(p *executor.ScheduledPool) { p.Shutdown() },
	} {
		t.Run(name, func(t *testing.T) {
			short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
				for range 2 {
					require.NoError(t, p.Execute(hang))
				}
				require.NoError(t, p.Execute(pooltest.Nothing))
				stop(p)
				time.Sleep(time.Hour)
				assert.Empty(t, j.lines())
				if name == "shutdown" {
					return
				}
				assert.Equal(t, executor.HealthOK, p.Health().Status)
				p.Resume()
				time.Sleep(50 * time.Second)
				assert.Empty(t, j.lines())
				time.Sleep(2 * time.Minute)
				assert.NotEmpty(t, j.lines())
			})
		})
	}
}

func TestWhatWaitsForItsTurnIsNoShortage(t *testing.T) {
	short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
		require.NoError(t, p.Execute(hang)) // one of two
		s := executor.NewSerial(p, executor.Gap(time.Hour))
		for range 3 {
			require.NoError(t, s.Execute(pooltest.Nothing))
		}
		_, err := p.Submit(func(context.Context) error { return errBad },
			executor.Retry(3, executor.Backoff{Base: time.Hour, Spread: executor.NoSpread}))
		require.NoError(t, err)
		time.Sleep(30 * time.Minute)
		require.NoError(t, p.Execute(hang)) // and the other
		time.Sleep(20 * time.Minute)
		assert.Empty(t, j.lines())
		time.Sleep(15 * time.Minute)
		assert.NotEmpty(t, j.lines(), "now it is due")
	})
}

func TestAShortageEndsWhenWhatWaitsIsCancelled(t *testing.T) {
	short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
		for range 2 {
			require.NoError(t, p.Execute(hang))
		}
		f, err := p.Schedule(time.Second, pooltest.Nothing)
		require.NoError(t, err)
		time.Sleep(5 * time.Minute)
		assert.Len(t, a.read(), 1)
		f.Cancel()
		assert.Equal(t, []string{"ok"}, a.read())
		j.lines()
		time.Sleep(24 * time.Hour)
		assert.Empty(t, j.lines())
	})
}

// In virtual time: the last of the doubling warnings comes, and then no timer is left.
func TestTheWarningsOfAShortageEnd(t *testing.T) {
	short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
		for range 3 {
			require.NoError(t, p.Execute(hang))
		}
		time.Sleep(100 * 365 * 24 * time.Hour)
		assert.Len(t, j.lines(), 21)
	})
}
