package executor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// A configuration is looked at before it is applied, for instance by a person who has to approve.
func ExampleScheduledPool_Plan() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	job := func(name string, every time.Duration) executor.Job {
		return executor.Job{Name: name, Every: every, Task: func(context.Context) error { return nil }}
	}
	pool.Apply(job("poll", time.Minute), job("clean", time.Hour))

	jobs := []executor.Job{job("poll", 5*time.Minute), job("report", 24*time.Hour)}
	plan, err := pool.Plan(jobs...)
	fmt.Println(plan.Added, plan.Removed, plan.Changed, plan.Why["poll"], err)
	_, err = pool.ApplyPlan(plan, jobs...) // unless it is stale by now
	fmt.Println(err)
	// Output:
	// [report] [clean] [poll] period 1m0s -> 5m0s <nil>
	// <nil>
}
