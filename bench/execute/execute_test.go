// Package execute_test compares what it costs to have an empty task run by one of two workers: by a
// bare channel, by this module's pool, and by two others. All use their default settings.
//
//	go test -run '^$' -bench . -benchtime 50x ./execute
package execute_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"

	"github.com/punctual-go/punctual/executor"
)

const workers = 2

// system is something that runs tasks. What start returns runs n of them and comes back when the last
// has run; the task is one func value, made before.
type system struct {
	name  string
	start func(b *testing.B) (run func(n int))
}

// BenchmarkExecute submits tasks one after another, without waiting for each.
func BenchmarkExecute(b *testing.B) {
	compare(b, 100_000, []system{
		{"channel", channel},
		{"punctual", punctualExecute},
		{"punctual-submit", punctualSubmit},
		{"ants", antsSubmit},
		{"pond-go", pondGo},
		{"pond-submit", pondSubmit},
	})
}

// BenchmarkSubmitGet submits a task and waits for its result, again and again.
func BenchmarkSubmitGet(b *testing.B) {
	compare(b, 20_000, []system{
		{"channel", channelAnswer},
		{"punctual", punctualGet},
		{"pond", pondWait},
	})
}

// compare runs each system by itself, which tells its allocations, and then all by turns. It gives them
// no more than the given number of tasks at once, as queues without bounds would grow with b.N.
func compare(b *testing.B, tasks int, systems []system) {
	for _, s := range systems {
		b.Run(s.name, func(b *testing.B) {
			run := s.start(b)
			b.ReportAllocs()
			b.ResetTimer()
			for left := b.N; left > 0; left -= tasks {
				run(min(left, tasks))
			}
		})
	}
	b.Run("by-turns", func(b *testing.B) { byTurns(b, tasks, systems) })
}

// byTurns has the systems take turns of the given number of tasks, in rounds of a random order, so that
// a machine that gets slower does so for all of them. It reports the median of each system, and that of
// its ratio to the first system in the same round.
func byTurns(b *testing.B, tasks int, systems []system) {
	runs := make([]func(n int), len(systems))
	for i, s := range systems {
		runs[i] = s.start(b)
		runs[i](tasks) // so that all workers are there, and queues have grown
	}
	times := make([][]float64, len(systems))
	ratios := make([][]float64, len(systems))
	for round := 0; b.Loop(); round++ {
		for _, i := range rand.Perm(len(systems)) {
			times[i] = append(times[i], perTask(runs[i], tasks))
		}
		for i := range systems {
			ratios[i] = append(ratios[i], times[i][round]/times[0][round])
		}
	}
	b.ReportMetric(0, "ns/op") // that of a round tells nothing
	for i, s := range systems {
		b.ReportMetric(median(times[i]), s.name+"-ns/task")
		if i > 0 {
			b.ReportMetric(median(ratios[i]), s.name+"/"+systems[0].name)
		}
	}
}

// perTask returns how many nanoseconds run takes for each of n tasks. The garbage of others is
// collected before.
func perTask(run func(n int), n int) float64 {
	runtime.GC()
	start := time.Now()
	run(n)
	return float64(time.Since(start)) / float64(n)
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// startChannel starts the workers of a channel.
func startChannel(b *testing.B) chan<- func() {
	tasks := make(chan func(), 1024)
	for range workers {
		go func() {
			for task := range tasks {
				task()
			}
		}()
	}
	b.Cleanup(func() { close(tasks) })
	return tasks
}

func channel(b *testing.B) (run func(n int)) {
	tasks := startChannel(b)
	var wg sync.WaitGroup
	task := wg.Done
	return func(n int) {
		wg.Add(n)
		for range n {
			tasks <- task
		}
		wg.Wait()
	}
}

func channelAnswer(b *testing.B) (run func(n int)) {
	tasks := startChannel(b)
	answers := make(chan error, 1)
	task := func() { answers <- nil }
	return func(n int) {
		for range n {
			tasks <- task
			must(<-answers)
		}
	}
}

func startPunctual(b *testing.B) *executor.Pool {
	p := executor.NewFixedPool(workers)
	b.Cleanup(func() { must(p.Close()) })
	return p
}

func punctualExecute(b *testing.B) (run func(n int)) {
	p := startPunctual(b)
	var wg sync.WaitGroup
	task := func(context.Context) error { wg.Done(); return nil }
	return func(n int) {
		wg.Add(n)
		for range n {
			must(p.Execute(task))
		}
		wg.Wait()
	}
}

func punctualSubmit(b *testing.B) (run func(n int)) {
	p := startPunctual(b)
	var wg sync.WaitGroup
	task := func(context.Context) error { wg.Done(); return nil }
	return func(n int) {
		wg.Add(n)
		for range n {
			_, err := p.Submit(task)
			must(err)
		}
		wg.Wait()
	}
}

func punctualGet(b *testing.B) (run func(n int)) {
	p := startPunctual(b)
	task := func(context.Context) error { return nil }
	return func(n int) {
		for range n {
			f, err := p.Submit(task)
			must(err)
			_, err = f.Get(context.Background())
			must(err)
		}
	}
}

func antsSubmit(b *testing.B) (run func(n int)) {
	p, err := ants.NewPool(workers)
	must(err)
	b.Cleanup(p.Release)
	var wg sync.WaitGroup
	task := wg.Done
	return func(n int) {
		wg.Add(n)
		for range n {
			must(p.Submit(task))
		}
		wg.Wait()
	}
}

func startPond(b *testing.B) pond.Pool {
	p := pond.NewPool(workers)
	b.Cleanup(p.StopAndWait)
	return p
}

func pondGo(b *testing.B) (run func(n int)) {
	p := startPond(b)
	var wg sync.WaitGroup
	task := wg.Done
	return func(n int) {
		wg.Add(n)
		for range n {
			must(p.Go(task))
		}
		wg.Wait()
	}
}

func pondSubmit(b *testing.B) (run func(n int)) {
	p := startPond(b)
	var wg sync.WaitGroup
	task := wg.Done
	return func(n int) {
		wg.Add(n)
		for range n {
			p.Submit(task)
		}
		wg.Wait()
	}
}

func pondWait(b *testing.B) (run func(n int)) {
	p := startPond(b)
	task := func() {}
	return func(n int) {
		for range n {
			must(p.Submit(task).Wait())
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
