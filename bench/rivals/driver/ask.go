package driver

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// number is a task that returns how often it has run.
type number struct{ runs atomic.Int64 }

func (n *number) next() int { return int(n.runs.Add(1)) }

func (n *number) check(wanted int) error {
	if runs := n.runs.Load(); runs != int64(wanted) {
		return fmt.Errorf("%d tasks have run, not %d", runs, wanted)
	}
	return nil
}

// submitGet submits a task and waits for its result, again and again.
func submitGet(w work) (workload.Figures, error) {
	ops := w.count("ops")
	s := w.open()
	defer s.shutdown(nil)
	var task number
	ask := s.ask(task.next)
	runtime.GC()
	m := startMeter()
	for i := range ops {
		if result := ask(); result != i+1 {
			return nil, fmt.Errorf("run %d has returned %d", i+1, result)
		}
	}
	return m.per(ops), nil
}

// fanOut submits many tasks and waits for all of them, again and again.
func fanOut(w work) (workload.Figures, error) {
	ops, width := w.count("ops"), w.count("width")
	s := w.open()
	defer s.shutdown(nil)
	var task number
	fan := s.fan(task.next, width)
	runtime.GC()
	m := startMeter()
	for range ops {
		fan()
	}
	return m.per(ops * width), task.check(ops * width)
}

// asking is how a system without futures answers: by a channel.
func asking(submit func(f func())) func(f func() int) func() int {
	return func(f func() int) func() int {
		answers := make(chan int, 1)
		task := func() { answers <- f() }
		return func() int {
			submit(task)
			return <-answers
		}
	}
}

// fanning is how a system without futures is joined: each task leaves its result in a place of its
// own.
func fanning(submit func(f func())) func(f func() int, width int) func() {
	return func(f func() int, width int) func() {
		var all sync.WaitGroup
		results := make([]int, width)
		tasks := make([]func(), width)
		for i := range tasks {
			tasks[i] = func() {
				results[i] = f()
				all.Done()
			}
		}
		return func() {
			all.Add(width)
			for _, task := range tasks {
				submit(task)
			}
			all.Wait()
		}
	}
}
