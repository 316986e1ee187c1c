package eventloop_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// BenchmarkScheduleCancel puts a task among n others and takes it out again: from outside and in
// the loop, and on a pool of one worker, for comparison.
func BenchmarkScheduleCancel(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("pending=%d/outside", n), func(b *testing.B) {
			l := filled(n)
			defer l.ShutdownNow()
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				f, _ := l.Schedule(spread(i, n), pooltest.Nothing)
				f.Cancel()
			}
		})
		b.Run(fmt.Sprintf("pending=%d/inside", n), func(b *testing.B) {
			l := filled(n)
			defer l.ShutdownNow()
			f, _ := l.Submit(func(ctx context.Context) error {
				turn, _ := l.Turn(ctx)
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i++
					f, _ := turn.Schedule(spread(i, n), pooltest.Nothing)
					turn.Cancel(f)
				}
				return nil
			})
			<-f.Done()
		})
		b.Run(fmt.Sprintf("pending=%d/pool", n), func(b *testing.B) {
			p := executor.NewScheduledPool(1)
			defer p.ShutdownNow()
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
	}
}

// filled returns a loop with n tasks.
func filled(n int) *eventloop.Loop {
	l := quiet()
	for i := range n {
		_, _ = l.Schedule(spread(i, n), pooltest.Nothing)
	}
	l.Stats() // has them collected
	return l
}

// spread gives n tasks times from one to two hours away, in no order.
func spread(i, n int) time.Duration {
	return time.Hour + time.Duration(i*7919%n)*(time.Hour/time.Duration(n))
}

// BenchmarkScheduleCancelWindow cancels each task a thousand tasks later, when the loop may have it
// in its heap, from as many goroutines as there are processors.
func BenchmarkScheduleCancelWindow(b *testing.B) {
	type scheduler interface {
		Schedule(time.Duration, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	}
	l, p := quiet(), executor.NewScheduledPool(1)
	defer l.ShutdownNow()
	defer p.ShutdownNow()
	for name, s := range map[string]scheduler{"loop": l, "pool": p} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				var window [1000]*executor.ScheduledFuture[struct{}]
				for i := 0; pb.Next(); i++ {
					if f := window[i%len(window)]; f != nil {
						f.Cancel()
					}
					window[i%len(window)], _ = s.Schedule(spread(i, 1_000_000), pooltest.Nothing)
				}
				for _, f := range window {
					if f != nil {
						f.Cancel()
					}
				}
			})
		})
	}
}

// BenchmarkExecute runs empty tasks: on a loop from outside, by its own tasks, and on a pool of one
// worker.
func BenchmarkExecute(b *testing.B) {
	l, p := quiet(), executor.NewScheduledPool(1)
	defer l.Close()
	defer p.Close()
	for name, execute := range map[string]func(executor.Task, ...executor.TaskOption) error{"outside": l.Execute, "pool": p.Execute} {
		b.Run(name, func(b *testing.B) {
			var wg sync.WaitGroup
			task := func(context.Context) error { wg.Done(); return nil }
			b.ReportAllocs()
			for b.Loop() {
				wg.Add(1)
				_ = execute(task)
			}
			wg.Wait()
		})
	}
	b.Run("inside", func(b *testing.B) {
		done := make(chan struct{})
		var task executor.Task
		task = func(ctx context.Context) error {
			if !b.Loop() {
				close(done)
				return nil
			}
			turn, _ := l.Turn(ctx)
			return turn.Execute(task)
		}
		b.ReportAllocs()
		_ = l.Execute(task)
		<-done
	})
}
