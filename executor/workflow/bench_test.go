package workflow_test

import (
	"context"
	"testing"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/workflow"
)

// BenchmarkRun is what two runs cost, the second of which is triggered at the end of the first: by
// the body itself, or by a workflow.
func BenchmarkRun(b *testing.B) {
	for _, way := range []string{"by hand", "workflow"} {
		b.Run(way, func(b *testing.B) {
			pool := executor.NewScheduledPool(1)
			defer pool.Close()
			over := make(chan struct{})
			var next executor.Handle
			first := executor.Job{Name: "first", OnDemand: true, Task: func(context.Context) error {
				if way == "by hand" {
					next.Trigger()
				}
				return nil
			}}
			second := executor.Job{Name: "second", OnDemand: true, Task: func(context.Context) error {
				over <- struct{}{}
				return nil
			}}
			var err error
			if way == "by hand" {
				_, err = pool.Apply(first, second)
			} else {
				_, err = workflow.New(pool).Apply(workflow.Job{Job: first}, workflow.Job{Job: second, After: after("first")})
			}
			if err != nil {
				b.Fatal(err)
			}
			next, _ = pool.Job("second")
			begin, _ := pool.Job("first")
			b.ReportAllocs()
			for b.Loop() {
				begin.Trigger()
				<-over
			}
		})
	}
}
