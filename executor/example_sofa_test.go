package executor_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
)

// notifier tells subscribers of a service registry what has changed. What cannot be delivered waits in
// a delay queue until it is tried again, each time twice as long.
type notifier struct {
	start   time.Time
	calls   *executor.Pool              // calls subscribers: one worker, up to three when there is much to do
	again   *delayqueue.Queue[delivery] // what is to be tried again
	retrier *executor.Pool              // takes it out when its time has come: one task without end
	health  *executor.ScheduledPool     // has a look once in a while
}

// delivery is one call to a subscriber.
type delivery struct {
	to    string
	takes time.Duration
	down  bool
	wait  time.Duration // before it is tried again
}

func newNotifier() *notifier {
	n := &notifier{start: time.Now(), again: delayqueue.New[delivery]()}
	n.calls = executor.NewPool(1, executor.MaximumSize(3), executor.KeepAlive(time.Minute),
		executor.Queue(queue.HandOff()), executor.Name("calls"), executor.OnRejection(n.busy))
	n.retrier = executor.NewPool(1, executor.Confined(), executor.Name("retrier"))
	n.retrier.Execute(n.retry)
	n.health = executor.NewScheduledPool(1, executor.Name("health"))
	n.health.WithFixedDelay(30*time.Second, time.Minute, n.check)
	return n
}

// deliver hands a call to a worker. If that fails, now or later, it is tried again.
func (n *notifier) deliver(d delivery) {
	call := func(context.Context) error {
		time.Sleep(d.takes)
		if d.down {
			n.log("%s does not answer, again in %v", d.to, d.wait)
			n.later(d)
			return nil
		}
		n.log("%s has been told", d.to)
		return nil
	}
	if _, err := n.calls.Submit(call, executor.Name(d.to)); err != nil {
		n.later(d)
	}
}

// busy is asked when no worker is idle and there may be no more.
func (n *notifier) busy(r *rejection.Task) error {
	n.log("all workers are busy, %s has to wait", r.Name())
	return executor.ErrSaturated
}

func (n *notifier) later(d delivery) {
	wait := d.wait
	d.wait *= 2
	n.again.Put(d, wait)
}

// retry is the task without end. Its context ends when its pool is stopped.
func (n *notifier) retry(ctx context.Context) error {
	for {
		d, err := n.again.Take(ctx)
		if err != nil {
			return nil
		}
		n.log("%s is tried again", d.to)
		n.deliver(d)
	}
}

// check takes five seconds, which a fixed delay does not count.
func (n *notifier) check(context.Context) error {
	n.log("%v, %d waiting", n.calls, n.again.Len())
	time.Sleep(5 * time.Second)
	return nil
}

// close stops what makes work before what does it, and tells what is left.
func (n *notifier) close() {
	n.log("closing")
	n.health.Close()
	n.retrier.ShutdownNow()
	n.retrier.Close()
	within, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	report, err := n.calls.CloseContext(within)
	n.log("closed, %d calls cut off, error %v", len(report.Running), err)
	n.again.Close()
	for at, d := range n.again.All() {
		n.log("%s was never told, its turn was at %v", d.to, at.Sub(n.start))
	}
	for _, pool := range []fmt.Stringer{n.health, n.retrier, n.calls} {
		n.log("%v", pool)
	}
}

func (n *notifier) log(format string, args ...any) {
	fmt.Printf("%-5v  %s\n", time.Since(n.start), fmt.Sprintf(format, args...))
}

// What a service registry does in the background, in the shape of SOFARegistry's scheduler: a pool that
// hands each task to a worker or refuses it, a worker without end on a delay queue, and a periodic look
// at both. The example runs on virtual time, so its two minutes are over at once.
func Example_registry() {
	synctest.Test(new(testing.T), func(*testing.T) {
		n := newNotifier()
		n.deliver(delivery{to: "billing", takes: 1 * time.Second, wait: 10 * time.Second})
		n.deliver(delivery{to: "archive", takes: 2 * time.Second, wait: 10 * time.Second, down: true})
		n.deliver(delivery{to: "reports", takes: 3 * time.Second, wait: 10 * time.Second})
		n.deliver(delivery{to: "shipping", takes: 1 * time.Second, wait: 10 * time.Second})
		time.Sleep(119 * time.Second)
		n.deliver(delivery{to: "reports", takes: 3 * time.Second, wait: 10 * time.Second})
		time.Sleep(1 * time.Second)
		n.close()
	})
	// Output:
	// 0s     all workers are busy, shipping has to wait
	// 1s     billing has been told
	// 2s     archive does not answer, again in 10s
	// 3s     reports has been told
	// 10s    shipping is tried again
	// 11s    shipping has been told
	// 12s    archive is tried again
	// 14s    archive does not answer, again in 20s
	// 30s    executor("calls": running, 3 workers, 0 busy, 0 queued, 5 completed), 1 waiting
	// 34s    archive is tried again
	// 36s    archive does not answer, again in 40s
	// 1m16s  archive is tried again
	// 1m18s  archive does not answer, again in 1m20s
	// 1m35s  executor("calls": running, 1 workers, 0 busy, 0 queued, 7 completed), 1 waiting
	// 2m0s   closing
	// 2m2s   reports has been told
	// 2m2s   closed, 0 calls cut off, error <nil>
	// 2m2s   archive was never told, its turn was at 2m38s
	// 2m2s   executor("health": terminated, 0 workers, 0 busy, 0 queued, 0 completed)
	// 2m2s   executor("retrier": terminated, 0 workers, 0 busy, 0 queued, 1 completed)
	// 2m2s   executor("calls": terminated, 0 workers, 0 busy, 0 queued, 8 completed)
}
