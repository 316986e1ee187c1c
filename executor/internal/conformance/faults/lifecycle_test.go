package faults_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/executor"
	_ "github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	_ "github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
	_ "github.com/punctual-go/punctual/timer/hashedwheel"
	_ "github.com/punctual-go/punctual/timer/hierarchical"
	_ "github.com/punctual-go/punctual/timer/revolver"
	_ "github.com/punctual-go/punctual/timer/timertest"
)

// The tests of this file are about beginnings and ends: of pools, and of the process. Words of them
// are in words_test.go.

type flAnswer struct {
	err   error
	after time.Duration
}

// flCloseAtOnce closes p from 64 goroutines, with contexts of different ends, and returns what each
// is told.
func flCloseAtOnce(t *testing.T, p *executor.ScheduledPool, patience func(i int) time.Duration) (answers [64]flAnswer, dropped map[string]int) {
	dropped = map[string]int{}
	start := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience(i))
			defer cancel()
			report, err := p.CloseContext(ctx)
			answers[i] = flAnswer{err, time.Since(start)}
			mu.Lock()
			defer mu.Unlock()
			for _, name := range pooltest.Names(report.Dropped) {
				dropped[name]++
			}
		})
	}
	all.Wait()
	return answers, dropped
}

func TestE2_SixtyFourWhoCloseWithDifferentContextsAreToldTheSame(t *testing.T) {
	const body = time.Minute
	for name, row := range map[string]struct {
		patience func(i int) time.Duration
		want     func(i int) flAnswer
	}{
		"all wait to the end": {
			func(i int) time.Duration { return body + time.Duration(i+1) },
			func(int) flAnswer { return flAnswer{nil, body} },
		},
		// Whose context ends has the pool stopped, which ends the wait of the others, too.
		"one gives up": {
			func(i int) time.Duration {
				if i == 7 {
					return time.Second
				}
				return time.Hour
			},
			func(i int) flAnswer {
				if i == 7 {
					return flAnswer{context.DeadlineExceeded, time.Second}
				}
				return flAnswer{nil, time.Second + flCleanUp}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				pooltest.Submit(t, p, func(ctx context.Context) error {
					select {
					case <-time.After(body):
					case <-ctx.Done():
						time.Sleep(flCleanUp)
					}
					return nil
				})
				for i := range 10 {
					pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name(fmt.Sprint(i)))
				}
				synctest.Wait()
				answers, dropped := flCloseAtOnce(t, p, row.patience)
				for i, a := range answers {
					assert.Equal(t, row.want(i), a, "%d", i)
				}
				assert.Len(t, dropped, 10)
				for name, n := range dropped {
					assert.Equal(t, 1, n, name)
				}
				again, dropped := flCloseAtOnce(t, p, func(int) time.Duration { return 0 })
				assert.Equal(t, [64]flAnswer{}, again, "idempotent, whatever the contexts")
				assert.Empty(t, dropped)
			})
		})
	}
}

// flGiven is a task that somebody has given to a pool that somebody else closes.
type flGiven struct {
	err    error
	future *future.Future[struct{}]
	runs   atomic.Int32
}

// give submits the task in one way or another.
func (g *flGiven) give(p *executor.ScheduledPool) {
	body := func(context.Context) error { g.runs.Add(1); return nil }
	if rand.IntN(2) == 0 {
		g.future, g.err = p.Submit(body)
		return
	}
	f, err := p.Schedule(flMoment(), body)
	if g.err = err; err == nil {
		g.future = f.Future
	}
}

// check returns what became of the task. The pool has terminated.
func (g *flGiven) check(t *testing.T) string {
	if g.err != nil {
		require.Equal(t, executor.ErrShutdown, g.err)
		require.Zero(t, g.runs.Load())
		return "refused"
	}
	if err := pooltest.Outcome(t, g.future); err != nil {
		pooltest.CancelledByShutdown(t, g.future)
		require.Zero(t, g.runs.Load())
		return "handed back"
	}
	require.EqualValues(t, 1, g.runs.Load())
	return "run"
}

func TestE3_ATaskThatMeetsTheCloseOfItsPoolRunsOrIsHandedBackOrRefused(t *testing.T) {
	flYields(t)
	const rounds = 3000
	seen := map[string]int{}
	for round := range rounds {
		p := executor.NewScheduledPool(round%3, pooltest.Quiet())
		var given [6]flGiven
		returned := 0
		var both sync.WaitGroup
		both.Go(func() {
			for i := range given {
				given[i].give(p)
			}
		})
		flLinger()
		if round%2 == 0 {
			returned = len(p.ShutdownNow())
		} else {
			report, err := p.CloseContext(t.Context())
			require.NoError(t, err)
			returned = len(report.Dropped)
		}
		both.Wait()
		<-p.Terminated()
		back := 0
		for i := range given {
			how := given[i].check(t)
			if seen[how]++; how == "handed back" {
				back++
			}
		}
		require.Equal(t, returned, back, "each once")
	}
	assert.Len(t, seen, 3, "all ends have been seen: %v", seen)
}

func TestE5_ClosePutsADelayedTaskOffForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		p.SetExecuteDelayedAfterShutdown(true)
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		p.Shutdown()
		synctest.Wait()
		assert.False(t, f.State().Settled(), "the policy of Shutdown keeps it")
		require.NoError(t, p.Close())
		pooltest.CancelledByShutdown(t, f.Future)
		assert.Zero(t, p.Stats().Runs)
	})
}

func TestE6_NoSeriesRunsOnceThePoolHasTerminated(t *testing.T) {
	ends := map[string]func(p *executor.ScheduledPool){
		"Shutdown":    func(p *executor.ScheduledPool) { p.Shutdown() },
		"Close":       func(p *executor.ScheduledPool) { p.Close() },
		"ShutdownNow": func(p *executor.ScheduledPool) { p.ShutdownNow() },
	}
	for name, end := range ends {
		for _, kept := range []bool{false, true} {
			for when, offset := range map[string]time.Duration{"between two runs": 0, "during a body": time.Second} {
				t.Run(fmt.Sprintf("%s, kept %v, %s", name, kept, when), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						p := pooltest.NewScheduledPool(t, 1)
						p.SetContinuePeriodicAfterShutdown(kept)
						f := pooltest.AtFixedRate(t, p, time.Minute-offset, time.Minute, pooltest.Sleep(2*time.Second))
						probe.Elapse(5 * time.Minute)
						end(p)
						probe.Elapse(5 * time.Minute)
						if goesOn := kept && name == "Shutdown"; goesOn {
							assert.False(t, probe.IsClosed(p.Terminated()))
							assert.Greater(t, f.Runs(), uint64(5))
							p.SetContinuePeriodicAfterShutdown(false)
						}
						require.NoError(t, p.AwaitTermination(t.Context()))
						assert.ErrorIs(t, pooltest.Outcome(t, f.Future), future.ErrCancelled)
						last := f.Runs()
						probe.Elapse(time.Hour)
						assert.Equal(t, last, f.Runs())
					})
				})
			}
		}
	}
}

func TestE7_WhatManyStopAtOnceIsHandedBackOnceAndWhatRunsIsToldWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2, pooltest.Quiet())
		running := []*future.Future[struct{}]{}
		for range 2 {
			running = append(running, pooltest.Submit(t, p, func(ctx context.Context) error {
				<-ctx.Done()
				return fmt.Errorf("%w because of %w", ctx.Err(), context.Cause(ctx))
			}))
		}
		synctest.Wait()
		waiting := []*future.Future[struct{}]{pooltest.Submit(t, p, pooltest.Nothing, executor.Name("due"))}
		for i := range 100 {
			f := pooltest.Schedule(t, p, time.Duration(i+1)*time.Second, pooltest.Nothing, executor.Name(fmt.Sprint(i)))
			waiting = append(waiting, f.Future)
		}
		waiting = append(waiting, pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Nothing, executor.Name("series")).Future)
		var mu sync.Mutex
		back := map[string]int{}
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				names := pooltest.Names(p.ShutdownNow())
				mu.Lock()
				defer mu.Unlock()
				for _, name := range names {
					back[name]++
				}
			})
		}
		all.Wait()
		assert.Len(t, back, len(waiting))
		for name, n := range back {
			assert.Equal(t, 1, n, name)
		}
		for _, f := range waiting {
			pooltest.CancelledByShutdown(t, f)
		}
		<-p.Terminated()
		for _, f := range running {
			err := pooltest.Outcome(t, f)
			assert.ErrorIs(t, err, context.Canceled)
			assert.ErrorIs(t, err, executor.ErrShutdown)
		}
	})
}

// Who closes and the task that is due meet at one instant, in either order.
func TestE9_ATaskThatIsDueAsItsPoolIsClosedRunsOrIsDropped(t *testing.T) {
	flYields(t)
	seen := map[string]int{}
	synctest.Test(t, func(t *testing.T) {
		for round := range 400 {
			p := pooltest.NewScheduledPool(t, round%2)
			runs := 0
			f := pooltest.Schedule(t, p, time.Second, func(context.Context) error { runs++; return nil })
			g := pooltest.AtFixedRate(t, p, time.Second, time.Hour, pooltest.Nothing)
			time.Sleep(time.Second)
			if round%4 < 2 {
				require.NoError(t, p.Close())
			} else {
				p.ShutdownNow()
				<-p.Terminated()
			}
			require.True(t, g.State().Settled())
			if err := pooltest.Outcome(t, f.Future); err == nil {
				seen["ran"]++
				require.Equal(t, 1, runs)
			} else {
				seen["dropped"]++
				pooltest.CancelledByShutdown(t, f.Future)
				require.Zero(t, runs)
			}
			s := p.Stats()
			require.Equal(t, s.Accepted, s.Completed+s.Returned)
		}
	})
	assert.Len(t, seen, 2, "both ends have been seen: %v", seen)
}

// flForgotten makes a pool, uses it, and keeps no reference to it.
//
//go:noinline
func flForgotten(use func(p *executor.ScheduledPool)) weak.Pointer[executor.ScheduledPool] {
	p := executor.NewScheduledPool(2, pooltest.Quiet())
	use(p)
	return weak.Make(p)
}

func TestE10_APoolWithoutWorkersIsGoneWithinFiveCollections(t *testing.T) {
	for name, use := range map[string]func(p *executor.ScheduledPool){
		"never used": func(*executor.ScheduledPool) {},
		"refused":    func(p *executor.ScheduledPool) { _ = p.Execute(nil) },
		"closed":     func(p *executor.ScheduledPool) { p.Close() },
		"used and closed": func(p *executor.ScheduledPool) {
			_ = p.Execute(pooltest.Nothing)
			_, _ = p.Schedule(time.Hour, pooltest.Nothing)
			p.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := pooltest.Goroutines()
			var pools []weak.Pointer[executor.ScheduledPool]
			for range 100 {
				pools = append(pools, flForgotten(use))
			}
			left := func() (n int) {
				for _, p := range pools {
					if p.Value() != nil {
						n++
					}
				}
				return n
			}
			for range 5 {
				runtime.GC()
			}
			// The stack of a worker that is just leaving may hold one, or what a conservative look
			// takes for it.
			assert.LessOrEqual(t, left(), 2)
			for pooltest.Goroutines() > before {
				runtime.Gosched() // Terminated closes a moment before the last worker is gone
			}
		})
	}
}

func TestE11_TenThousandPoolsLeaveNothingBehind(t *testing.T) {
	const pools = 10_000
	use := func() {
		p := executor.NewScheduledPool(2, pooltest.Quiet())
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		require.NoError(t, p.Execute(pooltest.Nothing))
		if !f.Cancel() {
			t.Error("it is due in an hour")
		}
		require.NoError(t, p.Close())
	}
	use() // what is made once
	goroutines, heap, files := pooltest.Goroutines(), probe.HeapInUse(), flDescriptors()
	for range pools {
		use()
	}
	for pooltest.Goroutines() > goroutines {
		runtime.Gosched()
	}
	grown := int(probe.HeapInUse()) - int(heap)
	assert.Less(t, grown, pools/100*int(unsafe.Sizeof(executor.ScheduledPool{})), "less than every hundredth is kept")
	assert.LessOrEqual(t, flDescriptors(), files+2, "the poller itself has two")
}

// flDescriptors counts the open files of this process, where it can tell.
func flDescriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// flChild runs the calling test again, and nothing else, in a process of its own, in which inChild
// is true.
func flChild(t *testing.T) (inChild bool, child *exec.Cmd) {
	const mark = "PUNCTUAL_CHILD_OF"
	if os.Getenv(mark) == t.Name() {
		return true, nil
	}
	child = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.timeout=1m")
	child.Env = append(os.Environ(), mark+"="+t.Name())
	return false, child
}

// The test binary imports every package of the module.
func TestE13_AProcessThatOnlyImportsThePackagesHasNoGoroutineOfTheirsAndLogsNothing(t *testing.T) {
	inChild, child := flChild(t)
	if inChild {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for _, stack := range strings.Split(string(stacks), "\n\n")[1:] { // the first is that of this test
			assert.NotContains(t, stack, "punctual")
		}
		return
	}
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Regexp(t, `^PASS\n(coverage: .*\n)?$`, string(out))
}

// Nothing else could make a timer either: packages initialize values, and call nothing that goes
// on.
func TestE13_NoPackageDoesAnythingWhenItIsImported(t *testing.T) {
	files := token.NewFileSet()
	seen := 0
	const root = "../../../.."
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "bench" || d.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		seen++
		for _, decl := range f.Decls {
			flAtRest(t, files, decl)
		}
		return nil
	}))
	assert.Greater(t, seen, 50, "files")
}

// flAtRest demands that decl does nothing by itself.
func flAtRest(t *testing.T, files *token.FileSet, decl ast.Decl) {
	if fn, ok := decl.(*ast.FuncDecl); ok {
		assert.False(t, fn.Recv == nil && fn.Name.Name == "init", "%s: init", files.Position(fn.Pos()))
		return
	}
	flWaitsForNothing(t, files, decl)
}

// flWaitsForNothing demands that n, when it is evaluated, starts neither goroutine nor timer, and
// logs nothing.
func flWaitsForNothing(t *testing.T, files *token.FileSet, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // unless it is called, below
		case *ast.GoStmt:
			assert.Fail(t, "a goroutine", "%s", files.Position(n.Pos()))
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.FuncLit:
				flWaitsForNothing(t, files, f.Body)
			case *ast.SelectorExpr:
				x, _ := f.X.(*ast.Ident)
				assert.False(t, x != nil && flGoesOn.MatchString(x.Name+"."+f.Sel.Name), "%s: %s", files.Position(n.Pos()), f.Sel.Name)
			}
		}
		return true
	})
}

var flGoesOn = regexp.MustCompile(`^(slog|log)\.(Debug|Info|Warn|Error|Log|Print|SetDefault)|^(signal|exec)\.|^time\.(NewTimer|NewTicker|AfterFunc|After|Tick)$|^context\.(With|AfterFunc)`)
