package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/workflow"
)

// What is extracted is loaded, unless that fails; then there is an alarm.
func ExampleNew() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	flow := workflow.New(pool)

	over := make(chan struct{})
	files := 2
	extract := func(context.Context) error {
		if files--; files < 0 {
			return errors.New("no file")
		}
		return nil
	}
	load := func(ctx context.Context) error {
		fmt.Println("load, after runs of extract:", workflow.Causes(ctx)[0].Runs)
		return nil
	}
	alarm := func(ctx context.Context) error {
		fmt.Println("alarm:", workflow.Causes(ctx)[0].Last.Err)
		close(over)
		return nil
	}
	_, err := flow.Apply(
		workflow.Job{Job: executor.Job{Name: "extract", Task: extract, Rate: 20 * time.Millisecond,
			Options: []executor.TaskOption{executor.MaxRuns(3)}}},
		workflow.Job{Job: executor.Job{Name: "load", Task: load},
			After: []workflow.Upstream{{Name: "extract"}}},
		workflow.Job{Job: executor.Job{Name: "alarm", Task: alarm},
			After: []workflow.Upstream{{Name: "extract", When: workflow.OnFailure}}},
	)
	if err != nil {
		panic(err)
	}
	<-over
	// Unordered output:
	// load, after runs of extract: 1
	// load, after runs of extract: 1
	// alarm: no file
}

// The graph tells what each job waits for.
func ExampleWorkflow_Graph() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()
	flow := workflow.New(pool)
	nothing := func(context.Context) error { return nil }
	_, err := flow.Apply(
		workflow.Job{Job: executor.Job{Name: "prices", OnDemand: true, Task: nothing}},
		workflow.Job{Job: executor.Job{Name: "rates", OnDemand: true, Task: nothing, Disabled: true}},
		workflow.Job{Job: executor.Job{Name: "report", Task: nothing},
			After: []workflow.Upstream{{Name: "prices"}, {Name: "rates"}}},
	)
	if err != nil {
		panic(err)
	}
	fmt.Println(flow.Graph().Nodes[2].Waits)
	// Output:
	// for a success of "prices" and for a success of "rates", which is disabled
}
