package executor_test

import (
	"context"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/probe"
)

var (
	labelCount = regexp.MustCompile(`(?m)^(\d+) @`)
	labelLine  = regexp.MustCompile(`(?m)^# labels: \{(.*)\}$`)
)

// labelProfile returns, for each goroutine whose stack has the given text, its labels as the
// goroutine profile tells them: `"pool":"p", "task":"t"`, or nothing.
func labelProfile(t *testing.T, text string) (labels []string) {
	t.Helper()
	var profile strings.Builder
	assert.NoError(t, pprof.Lookup("goroutine").WriteTo(&profile, 1))
	for _, group := range strings.Split(profile.String(), "\n\n") {
		count := labelCount.FindStringSubmatch(group)
		if count == nil || !strings.Contains(group, text) {
			continue
		}
		found := ""
		if line := labelLine.FindStringSubmatch(group); line != nil {
			found = line[1]
		}
		n, _ := strconv.Atoi(count[1])
		labels = append(labels, slices.Repeat([]string{found}, n)...)
	}
	return labels
}

// labelsHere returns the labels of the calling goroutine. No other may call it meanwhile.
//
//go:noinline
func labelsHere(t *testing.T) string {
	t.Helper()
	found := labelProfile(t, "executor_test.labelsHere")
	if !assert.Len(t, found, 1) {
		return "unknown"
	}
	return found[0]
}

// labelIdle returns the labels of the workers of the pools that tests have not closed yet.
func labelIdle(t *testing.T) []string {
	t.Helper()
	return labelProfile(t, "engine.(*worker).loop")
}

// labelSeen keeps what tasks see.
type labelSeen struct {
	mu   sync.Mutex
	seen []string
}

func (l *labelSeen) add(labels string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, labels)
}

func (l *labelSeen) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.seen...)
}

func (l *labelSeen) task(t *testing.T) executor.Task {
	return func(context.Context) error {
		l.add(labelsHere(t))
		return nil
	}
}

func labelSubmit(t *testing.T, p executor.Submitter, task executor.Task, opts ...executor.TaskOption) {
	t.Helper()
	_, err := executor.Submit(p, func(ctx context.Context) (struct{}, error) { return struct{}{}, task(ctx) }, opts...)
	assert.NoError(t, err)
}

const (
	labelPool = `"pool":"crew"`
	labelTask = `"pool":"crew", "task":"job"`
)

// labelStained returns a context with a label that belongs to somebody else.
func labelStained() context.Context {
	return pprof.WithLabels(context.Background(), pprof.Labels("stain", "here"))
}

func TestATaskHasTheNamesOfPoolAndTaskAsLabels(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1, executor.Name("crew"))
		var seen labelSeen
		labelSubmit(t, p, seen.task(t), executor.Name("job"))
		labelSubmit(t, p, seen.task(t))
		require.NoError(t, p.Execute(seen.task(t)))
		labelSubmit(t, serial.New(p), seen.task(t), executor.Name("job"))
		synctest.Wait()
		assert.Equal(t, []string{labelTask, labelPool, labelPool, labelTask}, seen.all())
	})
}

func TestThePoolsNamesAreLabelsOfTheContextOfARunToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Name("crew"))
		var seen labelSeen
		labelSubmit(t, p, func(ctx context.Context) error {
			for _, key := range []string{"pool", "task"} {
				name, _ := pprof.Label(ctx, key)
				seen.add(name)
			}
			return nil
		}, executor.Name("job"))
		synctest.Wait()
		assert.Equal(t, []string{"crew", "job"}, seen.all())
	})
}

func TestAPeriodicTaskHasItsLabelsInEachRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Name("crew"))
		var seen labelSeen
		pooltest.AtFixedRate(t, p, 0, time.Second, seen.task(t), executor.Name("job"), executor.MaxRuns(2))
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{labelTask, labelTask}, seen.all())
	})
}

func TestWithoutNamesThereAreNoLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var seen labelSeen
		labelSubmit(t, p, func(ctx context.Context) error {
			pprof.ForLabels(ctx, func(key, value string) bool {
				seen.add(key + value)
				return true
			})
			return seen.task(t)(ctx)
		})
		labelSubmit(t, p, seen.task(t), executor.Name("job"))
		labelSubmit(t, p, seen.task(t))
		synctest.Wait()
		assert.Equal(t, []string{"", `"task":"job"`, ""}, seen.all())
	})
}

// labelBodies are bodies that leave labels of their own behind.
var labelBodies = map[string]executor.Task{
	"returns": func(context.Context) error {
		pprof.SetGoroutineLabels(labelStained())
		return nil
	},
	"panics": func(context.Context) error {
		pprof.SetGoroutineLabels(labelStained())
		panic("stained")
	},
	"ends its goroutine": func(context.Context) error {
		pprof.SetGoroutineLabels(labelStained())
		runtime.Goexit()
		return nil
	},
}

func TestLabelsEndWithTheRunWhateverItsBodyHasDoneWithThem(t *testing.T) {
	pools := map[string]struct {
		opts []executor.Option
		idle string
	}{
		"named pool":   {[]executor.Option{executor.Name("crew")}, labelPool},
		"unnamed pool": {nil, ""},
	}
	tasks := map[string][]executor.TaskOption{"named task": {executor.Name("stain")}, "unnamed task": nil}
	for pool, c := range pools {
		for task, opts := range tasks {
			for name, body := range labelBodies {
				t.Run(pool+", "+task+" "+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						p := pooltest.NewPool(t, 1, c.opts...)
						var seen labelSeen
						labelSubmit(t, p, body, opts...)
						labelSubmit(t, p, seen.task(t))
						synctest.Wait()
						assert.Equal(t, []string{c.idle}, seen.all(), "the next task")
						labelSubmit(t, p, body, opts...)
						synctest.Wait()
						assert.Equal(t, []string{c.idle}, labelIdle(t), "the idle worker")
					})
				})
			}
		}
	}
}

func TestAnIdleWorkerHasTheNameOfThePoolOnly(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2, executor.Name("crew"))
		assert.Equal(t, 2, p.PrestartWorkers())
		synctest.Wait()
		assert.Equal(t, []string{labelPool, labelPool}, labelIdle(t))
		for range 4 {
			labelSubmit(t, p, pooltest.Nothing, executor.Name("job"))
		}
		synctest.Wait()
		assert.Equal(t, []string{labelPool, labelPool}, labelIdle(t))
	})
}

func TestAWorkerHasNoLabelsOfTheGoroutineThatStartsIt(t *testing.T) {
	for name, opts := range map[string][]executor.Option{labelPool: {executor.Name("crew")}, "": nil} {
		t.Run(name, func(t *testing.T) {
			pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, 1, opts...)
				var seen labelSeen
				pprof.Do(context.Background(), pprof.Labels("stain", "here"), func(context.Context) {
					assert.Equal(t, `"stain":"here"`, labelsHere(t))
					labelSubmit(t, p, seen.task(t))
				})
				synctest.Wait()
				assert.Equal(t, []string{name}, seen.all())
				assert.Equal(t, []string{name}, labelIdle(t))
			})
		})
	}
}

func TestAHelpedTaskHasLabelsOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Name("crew"))
		var seen labelSeen
		parent := pooltest.Wait(t, p, func(ctx context.Context) (struct{}, error) {
			child, _ := p.Submit(seen.task(t), executor.Name("job"))
			_, err := child.Get(ctx)
			assert.NoError(t, err)
			seen.add(labelsHere(t))
			unnamed, _ := p.Submit(seen.task(t))
			return unnamed.Get(ctx)
		})
		synctest.Wait()
		assert.NoError(t, pooltest.Took(t, parent).Err)
		assert.Equal(t, []string{labelTask, `"pool":"crew", "task":"parent"`, labelPool}, seen.all())
	})
}

func TestATaskRunByItsCallerHasTheLabelsOfTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Name("crew"), executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		hold := pooltest.NewGate(t)
		require.NoError(t, p.Execute(hold.Hold))
		var seen labelSeen
		pprof.Do(context.Background(), pprof.Labels("mine", "yes"), func(context.Context) {
			labelSubmit(t, p, func(ctx context.Context) error {
				name, _ := pprof.Label(ctx, "task")
				seen.add(name)
				return seen.task(t)(ctx)
			}, executor.Name("job"))
			seen.add(labelsHere(t))
		})
		assert.Equal(t, []string{"job", `"mine":"yes"`, `"mine":"yes"`}, seen.all())
	})
}

func TestTheLabelsOfTheBaseContextAreKept(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		base := pprof.WithLabels(context.Background(), pprof.Labels("service", "mail"))
		named := newPool(t, 1, executor.BaseContext(base), executor.Name("crew"))
		unnamed := newPool(t, 1, executor.BaseContext(base))
		var seen labelSeen
		labelSubmit(t, named, seen.task(t), executor.Name("job"))
		synctest.Wait()
		labelSubmit(t, unnamed, seen.task(t), executor.Name("job"))
		synctest.Wait()
		labelSubmit(t, unnamed, func(ctx context.Context) error {
			service, _ := pprof.Label(ctx, "service")
			seen.add(service)
			return seen.task(t)(ctx)
		})
		synctest.Wait()
		assert.Equal(t, []string{
			labelTask[:len(labelPool)] + `, "service":"mail", "task":"job"`,
			`"service":"mail", "task":"job"`,
			"mail", `"service":"mail"`,
		}, seen.all())
	})
}

func TestLabelsSetByDoInsideOfATaskAreAddedToItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Name("crew"))
		var seen labelSeen
		labelSubmit(t, p, func(ctx context.Context) error {
			pprof.Do(ctx, pprof.Labels("part", "one"), func(context.Context) { seen.add(labelsHere(t)) })
			seen.add(labelsHere(t))
			return nil
		}, executor.Name("job"))
		labelSubmit(t, p, seen.task(t))
		synctest.Wait()
		assert.Equal(t, []string{`"part":"one", "pool":"crew", "task":"job"`, labelTask, labelPool}, seen.all())
	})
}

func TestAHookBeforeARunSeesTheLabelsOfTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen labelSeen
		p := pooltest.NewPool(t, 1, executor.Name("crew"),
			executor.BeforeRun(func(context.Context, executor.Run) { seen.add(labelsHere(t)) }),
			executor.AfterRun(func(context.Context, executor.Run, error) { seen.add(labelsHere(t)) }))
		labelSubmit(t, p, pooltest.Nothing, executor.Name("job"))
		synctest.Wait()
		assert.Equal(t, []string{labelTask, labelTask}, seen.all())
	})
}

func TestTheTerminatedHookHasNoLabelsOfWhoeverEndsThePool(t *testing.T) {
	for name, opts := range map[string][]executor.Option{labelPool: {executor.Name("crew")}, "": nil} {
		synctest.Test(t, func(t *testing.T) {
			var seen labelSeen
			p := pooltest.NewPool(t, 1, append(opts, executor.AfterTermination(func() { seen.add(labelsHere(t)) }))...)
			pprof.Do(context.Background(), pprof.Labels("stain", "here"), func(context.Context) { p.Shutdown() })
			synctest.Wait()
			assert.Equal(t, []string{name}, seen.all())
		})
	}
}
