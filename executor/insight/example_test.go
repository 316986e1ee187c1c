package insight_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
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

// What is watched of a pool is one option. Here it is what late runs waited for.
func ExampleConfig() {
	synctest.Test(new(testing.T), func(*testing.T) {
		pool := executor.NewScheduledPool(1, executor.Watch(insight.Config{
			OnLate: func(run insight.LateRun) {
				fmt.Println(run.Name, "waited for", run.Why.Holders[0].Name)
			},
			OnLateAfter: time.Second, OnLateInterval: time.Minute,
		}))
		defer pool.Close()
		slow := func(context.Context) error { time.Sleep(3 * time.Second); return nil }
		pool.Execute(slow, executor.Name("import"))
		pool.Execute(func(context.Context) error { return nil }, executor.Name("poll"))
		time.Sleep(time.Minute)
	})
	// Output: poll waited for import
}

// Half of the runs may begin later than a second after their time; here all of them do.
func ExampleStartWithin() {
	synctest.Test(new(testing.T), func(*testing.T) {
		pool := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)))
		defer pool.Close()
		slow := func(context.Context) error { time.Sleep(3 * time.Second); return nil }
		pool.AtFixedRate(0, time.Second, slow, executor.Name("poll"),
			executor.Expect(insight.StartWithin(time.Second, 0.5)))

		time.Sleep(10 * time.Minute)
		health := pool.Insight().Health()
		fmt.Println(health.Status, health.Tasks[0].Name)
	})
	// Output: degraded poll
}

// Of a pool that keeps a history it is told what is wrong, since when and why, the worst first.
func ExampleTrouble() {
	synctest.Test(new(testing.T), func(*testing.T) {
		pool := executor.NewScheduledPool(2, executor.Watch(insight.Config{History: true}),
			executor.Logger(slog.New(slog.DiscardHandler)))
		defer pool.Close()
		pool.Every(time.Second, func(context.Context) error { panic("no digits") },
			executor.Name("parse"))
		pool.Every(time.Minute, func(context.Context) error { return errors.New("502 Bad Gateway") },
			executor.Name("fetch"))

		time.Sleep(time.Hour + time.Second)
		for _, t := range pool.Insight().History().Troubles {
			fmt.Println(t.What, t.Name, t.Count, t.Run.Err)
		}
	})
	// Output:
	// dead parse 1 future: panic: no digits
	// failing fetch 60 502 Bad Gateway
}
