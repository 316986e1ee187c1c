package insight_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// The one worker is held by an import, so what is due meanwhile is late.
func Example() {
	pool := executor.NewScheduledPool(1, executor.Watch(insight.Config{History: true}))
	defer pool.Close()

	begun, done := make(chan struct{}), make(chan struct{})
	_ = pool.Execute(func(context.Context) error {
		close(begun)
		<-done
		return nil
	}, executor.Name("import"))
	<-begun
	poll, _ := pool.Submit(func(context.Context) error { return nil }, executor.Name("poll"))
	time.Sleep(20 * time.Millisecond)
	close(done)
	_, _ = poll.Get(context.Background())

	seen := pool.Insight()
	late := seen.History().Late[0]
	fmt.Println(late.Name, "waited for", late.Why.Holders[0].Name)
	fmt.Println(seen.Measurements().Tasks[1].Late.Max >= 20*time.Millisecond)
	// Output:
	// poll waited for import
	// true
}

// A series that has paused itself is late until it succeeds again.
func ExampleSuccessWithin() {
	pool := executor.NewScheduledPool(1)
	defer pool.Close()

	broken := errors.New("unplugged")
	series, _ := pool.Every(time.Millisecond, func(context.Context) error { return broken },
		executor.Name("sensor"), executor.PauseAfter(1), executor.FailurePolicy(executor.StopSeries),
		executor.Expect(insight.SuccessWithin(time.Minute)))
	_, _ = series.Get(context.Background())

	health := pool.Insight().Health()
	fmt.Println(health.Status, health.Tasks[0].Name, health.Tasks[0].State)
	// Output: degraded sensor failed
}
