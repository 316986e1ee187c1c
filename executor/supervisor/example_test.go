package supervisor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// A client of a service registry refreshes what it knows every 30 seconds. The registry hangs for a
// while: the client asks less and less often, and on time again as soon as it gets an answer. The
// example runs on virtual time, so its minutes are over at once.
func Example() {
	synctest.Test(new(testing.T), func(*testing.T) {
		start := time.Now()
		refresh := func(ctx context.Context) error {
			if age := time.Since(start); age < 40*time.Second || age > 5*time.Minute {
				return nil // an answer
			}
			<-ctx.Done() // no answer: heed the timeout
			return ctx.Err()
		}
		pool := executor.NewPool(1, executor.MaximumSize(2), executor.Queue(queue.HandOff()))
		defer pool.Close()

		s := supervisor.New(pool, refresh, executor.Name("registry"), supervisor.Eureka(30*time.Second, 4),
			supervisor.AfterCycle(func(o supervisor.Outcome) {
				fmt.Printf("%-5v  %v, again in %v\n", time.Since(start), o.Kind, o.Delay)
			}))
		s.Start()
		time.Sleep(7*time.Minute + 40*time.Second)
		fmt.Println("worst gap:", s.Stats().WorstGap)

		s.Trigger() // somebody cannot wait
		time.Sleep(time.Second)
		s.StopContext(context.Background())
		fmt.Println(s)
	})
	// Output:
	// 30s    succeeded, again in 30s
	// 1m30s  timed out, again in 1m0s
	// 3m0s   timed out, again in 2m0s
	// 5m30s  timed out, again in 2m0s
	// 7m30s  succeeded, again in 30s
	// worst gap: 2m30s
	// 7m40s  succeeded, again in 30s
	// supervisor("registry": stopped, delay 30s, 3 succeeded, 3 timed out, 0 failed, 0 rejected, 0 capped, 0 unfinished)
}

// One task may not heed its context. It is not started a second time beside itself.
func ExampleAfterCapped() {
	synctest.Test(new(testing.T), func(*testing.T) {
		start := time.Now()
		pool := executor.NewPool(0, executor.Queue(queue.HandOff()), executor.MaximumSize(100))
		defer pool.Close()
		s := supervisor.New(pool, func(context.Context) error {
			time.Sleep(time.Minute)
			return errors.New("too late to matter")
		}, supervisor.Interval(10*time.Second), supervisor.Factor(1), supervisor.AfterCapped(func(o supervisor.Outcome) {
			fmt.Printf("%v: %d run unfinished\n", time.Since(start), o.Unfinished)
		}))
		s.Start()
		time.Sleep(45 * time.Second)
		s.Stop()
		<-s.Done()
		fmt.Printf("%v: stopped\n", time.Since(start))
	})
	// Output:
	// 20s: 1 run unfinished
	// 30s: 1 run unfinished
	// 40s: 1 run unfinished
	// 1m0s: stopped
}

// The delay doubles with each failure, up to three seconds, and is a second again after a success.
func ExampleNew() {
	synctest.Test(new(testing.T), func(*testing.T) {
		pool := executor.NewPool(1)
		defer pool.Close()
		begun := time.Now()
		listen := func(context.Context) error {
			fmt.Println("connecting after", time.Since(begun))
			return errors.New("connection refused")
		}
		s := supervisor.New(pool, listen, supervisor.Interval(time.Second),
			supervisor.MaxInterval(3*time.Second), supervisor.FailurePolicy(supervisor.Grow))
		s.Start()
		time.Sleep(10 * time.Second)
		s.Stop()
		<-s.Done()
	})
	// Output:
	// connecting after 0s
	// connecting after 2s
	// connecting after 5s
	// connecting after 8s
}
