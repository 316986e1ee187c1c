package executor_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/probe"
)

// BenchmarkScheduleCancel puts a task among n others and takes it out again: what a timeout that
// does not happen costs.
func BenchmarkScheduleCancel(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("pending=%d/pool", n), func(b *testing.B) {
			p := executor.NewScheduledPool(1)
			defer p.Close()
			for i := range n {
				_, _ = p.Schedule(spread(i, n), pooltest.Nothing)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				f, _ := p.Schedule(spread(i, n), pooltest.Nothing)
				f.Cancel()
			}
		})
		b.Run(fmt.Sprintf("pending=%d/AfterFunc", n), func(b *testing.B) {
			pending := make([]*time.Timer, n)
			for i := range n {
				pending[i] = time.AfterFunc(spread(i, n), func() {})
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				time.AfterFunc(spread(i, n), func() {}).Stop()
			}
			for _, t := range pending {
				t.Stop()
			}
		})
	}
}

// spread gives n tasks times from one to two hours away, in no order.
func spread(i, n int) time.Duration {
	return time.Hour + time.Duration(i*7919%n)*(time.Hour/time.Duration(n))
}

// BenchmarkPending prints the bytes that a pending task takes, its future and its share of the
// queue included, with a million of them.
func BenchmarkPending(b *testing.B) {
	pool := func(p *executor.ScheduledPool) func(i int) {
		return func(i int) { _, _ = p.Schedule(spread(i, million), pooltest.Nothing) }
	}
	for b.Loop() {
		p := executor.NewScheduledPool(1)
		b.ReportMetric(bytesPer(million, pool(p)), "pool-B/task")
		p.ShutdownNow()
		timers := make([]*time.Timer, million)
		b.ReportMetric(bytesPer(million, func(i int) { timers[i] = time.AfterFunc(spread(i, million), func() {}) }), "AfterFunc-B/task")
		for _, t := range timers {
			t.Stop()
		}
	}
}

// bytesPer returns what n calls of add have left on the heap, for each.
func bytesPer(n int, add func(i int)) float64 {
	before := probe.HeapInUse()
	for i := range n {
		add(i)
	}
	return float64(probe.HeapInUse()-before) / float64(n)
}

// BenchmarkExecute runs empty tasks on two workers: of a scheduled pool, of a fixed one, and of a
// channel. A task costs what it takes until the last has run.
func BenchmarkExecute(b *testing.B) {
	scheduled, fixed := executor.NewScheduledPool(2), executor.NewPool(2)
	defer scheduled.Close()
	defer fixed.Close()
	for name, execute := range map[string]func(executor.Task, ...executor.TaskOption) error{"pool": scheduled.Execute, "fixed": fixed.Execute} {
		b.Run(name, func(b *testing.B) {
			untilAllHaveRun(b, func(done func()) func() {
				task := func(context.Context) error { done(); return nil }
				return func() { _ = execute(task) }
			})
		})
	}
	b.Run("channel", func(b *testing.B) {
		tasks := make(chan func(), 1024)
		defer close(tasks)
		for range 2 {
			go func() {
				for task := range tasks {
					task()
				}
			}()
		}
		untilAllHaveRun(b, func(done func()) func() {
			return func() { tasks <- done }
		})
	})
}

// BenchmarkObserved runs a task of a microsecond again and again, with nobody who watches, with
// histograms, with an observer, with both, and with a recording. Nothing is idle, so nothing hides
// what that costs.
func BenchmarkObserved(b *testing.B) {
	observer := executor.Observe(executor.Observer{
		Began: func(context.Context, executor.Run) context.Context { return nil },
		Ended: func(context.Context, executor.Run, error) {},
	})
	for _, c := range []struct {
		name string
		opts []executor.Option
	}{
		{"unwatched", nil},
		{"measured", []executor.Option{executor.Watch(insight.Config{})}},
		{"observed", []executor.Option{observer}},
		{"both", []executor.Option{executor.Watch(insight.Config{}), observer}},
		{"recorded", []executor.Option{executor.Watch(insight.Config{Record: io.Discard})}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := executor.NewScheduledPool(1, c.opts...)
			defer p.Close()
			b.ReportAllocs()
			f, err := p.AtFixedRate(0, 1, func(context.Context) error {
				for begun := time.Now(); time.Since(begun) < time.Microsecond; {
				}
				return nil
			}, executor.MaxRuns(b.N))
			if err == nil {
				_, err = f.Get(b.Context())
			}
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// untilAllHaveRun measures the tasks that submit hands over, each of which calls done, up to the
// last.
func untilAllHaveRun(b *testing.B, submitting func(done func()) (submit func())) {
	var left sync.WaitGroup
	submit := submitting(left.Done)
	b.ReportAllocs()
	left.Add(b.N)
	b.ResetTimer()
	for range b.N {
		submit()
	}
	left.Wait()
}

// BenchmarkLateness runs 1,000 tasks at a fixed rate of 10 ms for a second on the pool, and then
// the same load on time.AfterFunc, and prints how late their runs started, and the ratio.
func BenchmarkLateness(b *testing.B) { compareLateness(b, 1000) }

// BenchmarkLatenessBusy is the same with 100 tasks in a process whose processors have always
// something else to do, in short pieces, like those of a busy server.
func BenchmarkLatenessBusy(b *testing.B) {
	var stop atomic.Bool
	defer stop.Store(true)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
				for range 1000 { // about a microsecond
				}
				runtime.Gosched()
			}
		}()
	}
	compareLateness(b, 100)
}

func compareLateness(b *testing.B, tasks int) {
	const every = 10 * time.Millisecond
	var pool, runtimeTimers []time.Duration
	for b.Loop() {
		pool = append(pool, latenessOfPool(tasks, every, time.Second)...)
		runtimeTimers = append(runtimeTimers, latenessOfAfterFunc(tasks, every, time.Second)...)
	}
	for _, q := range []int{50, 99} {
		mine, theirs := quantile(pool, q), quantile(runtimeTimers, q)
		b.ReportMetric(float64(mine), fmt.Sprintf("pool-p%d-ns", q))
		b.ReportMetric(float64(theirs), fmt.Sprintf("AfterFunc-p%d-ns", q))
		b.ReportMetric(float64(theirs)/float64(mine), fmt.Sprintf("p%d-ratio", q))
	}
}

func quantile(ds []time.Duration, percent int) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)*percent/100]
}

// record collects durations; every task has its own, so that recording does not disturb.
type record struct{ late []time.Duration }

func latenessOfPool(tasks int, every, length time.Duration) (late []time.Duration) {
	p := executor.NewScheduledPool(2)
	records := make([]record, tasks)
	for i := range records {
		r := &records[i]
		_, _ = p.AtFixedRate(every*time.Duration(i)/time.Duration(tasks), every, func(ctx context.Context) error {
			now := time.Now()
			run, _ := executor.RunFrom(ctx)
			r.late = append(r.late, now.Sub(run.Scheduled))
			return nil
		})
	}
	time.Sleep(length)
	_ = p.Close()
	for _, r := range records {
		late = append(late, r.late...)
	}
	return late
}

func latenessOfAfterFunc(tasks int, every, length time.Duration) (late []time.Duration) {
	records := make([]record, tasks)
	var stop atomic.Bool
	var running sync.WaitGroup
	for i := range records {
		r := &records[i]
		due := time.Now().Add(every * time.Duration(i) / time.Duration(tasks))
		running.Add(1)
		var fire func()
		fire = func() {
			r.late = append(r.late, time.Since(due))
			if stop.Load() {
				running.Done()
				return
			}
			due = due.Add(every)
			time.AfterFunc(time.Until(due), fire)
		}
		time.AfterFunc(time.Until(due), fire)
	}
	time.Sleep(length)
	stop.Store(true)
	running.Wait()
	for _, r := range records {
		late = append(late, r.late...)
	}
	return late
}
