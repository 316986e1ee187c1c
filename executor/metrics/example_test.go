package metrics_test

import (
	"context"
	"fmt"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/metrics"
)

func ExampleOf() {
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Watch(insight.Config{}))
	_, _ = jobs.Submit(func(context.Context) error { return nil }, executor.Name("refresh"))
	jobs.Close() // waits for it

	set, err := metrics.Of(jobs)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, family := range set.Read() {
		for _, point := range family.Points {
			if point.Value > 0 && family.Name == "punctual.tasks" {
				fmt.Println(family.Name, family.Unit, family.Attributes, point.Attributes, point.Value)
			}
		}
	}
	// Output:
	// punctual.tasks {task} [pool result] [jobs accepted] 1
	// punctual.tasks {task} [pool result] [jobs completed] 1
}
