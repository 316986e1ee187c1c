package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file are about what can be seen of a pool, and by whom.

// flBadNames are names that try to be more than a name.
var flBadNames = map[string]string{
	"lines":     "a\nlevel=ERROR msg=forged\r\n",
	"escape":    "\x1b[2J\x1b[31mred",
	"zero":      "a\x00b",
	"formats":   "%!s(%d%n%s",
	"quotes":    `" task="forged`,
	"no UTF-8":  "\xff\xfe\xc3",
	"separator": "a\u2028b\u2029c\u0085d",
	"a MiB":     strings.Repeat("x\n", 1<<19),
}

func TestH1_ANameIsOneEscapedLineOfTheLogWhateverItIs(t *testing.T) {
	handlers := map[string]func(w *bytes.Buffer) slog.Handler{
		"text": func(w *bytes.Buffer) slog.Handler { return slog.NewTextHandler(w, nil) },
		"json": func(w *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(w, nil) },
	}
	for kind, handler := range handlers {
		for what, name := range flBadNames {
			t.Run(kind+", "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log bytes.Buffer
					p := executor.NewScheduledPool(1, executor.Name(name), executor.Logger(slog.New(handler(&log))))
					f, err := p.AtFixedRate(0, time.Second, pooltest.Fail, executor.Name(name), executor.FailurePolicy(executor.StopSeries))
					require.NoError(t, err)
					<-f.Done()
					require.NoError(t, p.Close())
					line, ended := strings.CutSuffix(log.String(), "\n")
					require.True(t, ended)
					raw := strings.IndexFunc(line, func(c rune) bool { return c < ' ' || c == 0x7f })
					require.Negative(t, raw, "a control character in the log")
					if kind == "json" && utf8.ValidString(name) {
						var record map[string]any
						require.NoError(t, json.Unmarshal([]byte(line), &record))
						require.True(t, record["task"] == name, "it is the name still")
					}
					require.True(t, p.Stats().Name == name, "as it is")
				})
			})
		}
	}
}

// There is no handler for debugging. What does not link a server cannot register anything with one.
func TestH2_NoPackageOfThisModuleLinksAServer(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	const module = "github.com/punctual-go/punctual"
	list := exec.CommandContext(t.Context(), goCommand, "list", "-deps", module+"/delayqueue", module+"/executor",
		module+"/executor/eventloop", module+"/executor/supervisor", module+"/future", module+"/timer/...")
	out, err := list.Output()
	require.NoError(t, err)
	deps := map[string]bool{}
	for path := range strings.FieldsSeq(string(out)) {
		deps[path] = true
	}
	require.True(t, deps["github.com/punctual-go/punctual/executor/supervisor"] && deps["context"])
	for _, server := range []string{"net", "net/http", "net/http/pprof", "net/rpc", "expvar", "os/signal"} {
		assert.False(t, deps[server], server)
	}
}

// flBooks is what those who use a pool know of it.
type flBooks struct{ submitted, accepted, rejected, cancelled, failed atomic.Uint64 }

// use does one thing or another with p.
func (b *flBooks) use(p *executor.ScheduledPool, i int) {
	b.submitted.Add(1)
	body := func(context.Context) error {
		if i%5 == 0 {
			b.failed.Add(1)
			return pooltest.ErrTask
		}
		return nil
	}
	f, err := p.Schedule(time.Duration(i%3)*time.Millisecond, body)
	if err != nil {
		b.rejected.Add(1)
		return
	}
	b.accepted.Add(1)
	if i%4 == 0 && i%5 != 0 && f.Cancel() { // what a run returns that has been cancelled is no failure
		b.cancelled.Add(1)
	}
	if i%7 == 0 {
		<-f.Done()
	}
}

func TestH3_WhoeverLooksWhileSixtyFourWorkSeesSumsThatAreRightAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4, executor.PendingLimit(50))
		var b flBooks
		over := make(chan struct{})
		var readers, users sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for !probe.IsClosed(over) {
					s := p.Stats()
					assert.LessOrEqual(t, s.Completed, s.Accepted)
					assert.LessOrEqual(t, s.Failures, s.Runs)
					assert.LessOrEqual(t, len(p.Running()), s.Core)
					assert.NotEmpty(t, p.String())
					p.Queued()
					time.Sleep(time.Millisecond / 4)
				}
			})
		}
		for g := range 64 {
			users.Go(func() {
				for i := range 30 {
					b.use(p, g+i)
				}
			})
		}
		users.Wait()
		close(over)
		readers.Wait()
		probe.Elapse(time.Minute)                         // what the users have left behind has run, so that there is room
		_, err := p.Schedule(time.Hour, pooltest.Nothing) // pending at rest
		require.NoError(t, err)
		probe.Elapse(time.Minute)
		s := p.Stats()
		assert.Equal(t, []uint64{b.accepted.Load() + 1, b.rejected.Load(), b.cancelled.Load(), b.failed.Load()},
			[]uint64{s.Accepted, s.Rejected, s.Cancelled, s.Failures})
		pending := uint64(s.Queued + s.Busy)
		assert.EqualValues(t, 1, pending)
		assert.Equal(t, b.submitted.Load()+1, s.Completed+s.Cancelled+s.Returned+s.Rejected+pending)
		for what, n := range map[string]uint64{"rejected": s.Rejected, "cancelled": s.Cancelled, "failed": s.Failures} {
			assert.Positive(t, n, what)
		}
	})
}

// flStuckLog is a log whose disk does not answer.
type flStuckLog struct {
	pooltest.Log
	gate *pooltest.Gate
}

func (l *flStuckLog) Handle(ctx context.Context, r slog.Record) error {
	_ = l.gate.Hold(ctx)
	return l.Log.Handle(ctx, r)
}

// If the pool held its lock meanwhile, this test would hang.
func TestH4_WhoeverIsToldOfAFailureAndBlocksHoldsUpOneWorkerOnly(t *testing.T) {
	fails := map[string]func(p *executor.ScheduledPool) error{
		"a task of Execute": func(p *executor.ScheduledPool) error { return p.Execute(pooltest.Fail) },
		"a panic":           func(p *executor.ScheduledPool) error { return p.Execute(pooltest.Panic) },
		"a Goexit":          func(p *executor.ScheduledPool) error { return p.Execute(pooltest.Goexit) },
		"a series": func(p *executor.ScheduledPool) error {
			_, err := p.AtFixedRate(0, time.Hour, pooltest.Fail)
			return err
		},
		"a series that takes too long": func(p *executor.ScheduledPool) error {
			_, err := p.AtFixedRate(0, time.Hour, pooltest.Sleep(time.Second), executor.Timeout(time.Millisecond))
			return err
		},
	}
	sinks := map[string]func(g *pooltest.Gate) executor.Option{
		"log":     func(g *pooltest.Gate) executor.Option { return executor.Logger(slog.New(&flStuckLog{gate: g})) },
		"handler": func(g *pooltest.Gate) executor.Option { return executor.ErrorHandler(flStuckHandler(g)) },
	}
	for what, fail := range fails {
		for name, sink := range sinks {
			t.Run(what+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := pooltest.NewGate(t)
					p := pooltest.NewScheduledPool(t, 2, sink(g))
					require.NoError(t, fail(p))
					probe.Elapse(2 * time.Second)
					tr := pooltest.NewTrace()
					pooltest.Schedule(t, p, time.Second, tr.Task("timer"))
					pooltest.Submit(t, p, tr.Task("task"))
					assert.True(t, pooltest.Schedule(t, p, time.Minute, tr.Task("cancelled")).Cancel())
					probe.Elapse(time.Hour)
					assert.Equal(t, []string{"task 0s", "timer 1s"}, tr.Seen())
					assert.NotEmpty(t, p.String())
					p.Running()
					p.Queued()
					require.NoError(t, p.SetCoreSize(1))
					p.Shutdown()
					synctest.Wait()
					assert.False(t, probe.IsClosed(p.Terminated()), "the pool waits for who is told")
					g.Open()
					require.NoError(t, p.AwaitTermination(t.Context()))
				})
			})
		}
	}
}

func flStuckHandler(g *pooltest.Gate) func(context.Context, executor.Run, error) {
	return func(ctx context.Context, _ executor.Run, _ error) { _ = g.Hold(ctx) }
}

// flDeep panics with many frames on the stack.
func flDeep(depth int) executor.Task {
	return func(ctx context.Context) error {
		if depth == 0 {
			panic("at the bottom")
		}
		return flDeep(depth - 1)(ctx)
	}
}

func TestH5_TheStackOfAPanicIsInTheErrorAndInTheLogOnceAndBounded(t *testing.T) {
	const bound = 64 << 10
	for name, row := range map[string]struct {
		submit func(p *executor.ScheduledPool, task executor.Task) (*future.Future[struct{}], error)
		logged int
	}{
		"Execute": {func(p *executor.ScheduledPool, task executor.Task) (*future.Future[struct{}], error) {
			return nil, p.Execute(task)
		}, 1},
		"a series": {func(p *executor.ScheduledPool, task executor.Task) (*future.Future[struct{}], error) {
			f, err := p.AtFixedRate(0, time.Hour, task)
			return f.Future, err
		}, 1},
		"Submit": {func(p *executor.ScheduledPool, task executor.Task) (*future.Future[struct{}], error) {
			return p.Submit(task)
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.NewJSONHandler(&log, nil))))
				f, err := row.submit(p, flDeep(2000))
				require.NoError(t, err)
				synctest.Wait()
				require.NoError(t, p.Close())
				if f != nil {
					var panicked *future.PanicError
					require.True(t, errors.As(pooltest.Outcome(t, f), &panicked))
					assert.Contains(t, string(panicked.Stack), "flDeep")
					assert.LessOrEqual(t, len(panicked.Stack), bound)
					assert.NotContains(t, panicked.Error(), "flDeep", "the text is without it")
				}
				assert.Equal(t, row.logged, strings.Count(log.String(), "\n"))
				assert.Equal(t, row.logged, strings.Count(log.String(), `"stack":`))
				assert.Equal(t, row.logged, strings.Count(log.String(), "[running"), "the head of a stack")
				assert.LessOrEqual(t, log.Len(), 2*bound)
			})
		})
	}
}
