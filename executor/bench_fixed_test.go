package executor_test

import (
	"context"
	"sync"
	"testing"

	"github.com/punctual-go/punctual/executor"
)

func BenchmarkExecuteFixed(b *testing.B) {
	b.Run("pool", func(b *testing.B) {
		p := executor.NewPool(2)
		defer p.Close()
		var wg sync.WaitGroup
		task := func(context.Context) error { wg.Done(); return nil }
		b.ReportAllocs()
		for b.Loop() {
			wg.Add(1)
			_ = p.Execute(task)
		}
		wg.Wait()
	})
	b.Run("submit", func(b *testing.B) {
		p := executor.NewPool(2)
		defer p.Close()
		var wg sync.WaitGroup
		task := func(context.Context) error { wg.Done(); return nil }
		b.ReportAllocs()
		for b.Loop() {
			wg.Add(1)
			_, _ = p.Submit(task)
		}
		wg.Wait()
	})
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
		var wg sync.WaitGroup
		task := wg.Done
		b.ReportAllocs()
		for b.Loop() {
			wg.Add(1)
			tasks <- task
		}
		wg.Wait()
	})
}
