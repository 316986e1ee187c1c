package executor_test

import (
	"context"
	"testing"
	"sync"

	"github.com/punctual-go/punctual/executor"
)

func TestSmoke(t *testing.T) {
	p := executor.NewPool(2)
	var wg sync.WaitGroup
	task := func(context.Context) error { wg.Done(); return nil }
	for i := range 100000 {
		wg.Add(1)
		_ = p.Execute(task)
		if i%1000 == 0 { wg.Wait(); }
	}
	wg.Wait()
	t.Log(p)
	p.Close()
}
