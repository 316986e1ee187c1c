//lint:file-ignore SA4006 the documents check errors where it matters
package snippets

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer"
)

func TestFuturesQueuesAndTimersOfJava(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		func() {
			// var task = new FutureTask<>(this::compute); new Thread(task).start(); task.get()
			task := future.NewTask(compute)
			go task.Run(ctx)
			n, err := task.Future().Get(ctx)
			require.NoError(t, err)
			require.Equal(t, 42, n)
		}()
		func() {
			// var p = new CompletableFuture<Integer>(); p.complete(42); p.get()
			p := future.NewPromise[int]()
			p.Complete(42)
			n, err := p.Future().Get(ctx)
			require.NoError(t, err)
			require.Equal(t, 42, n)
		}()
		func() {
			// var queue = new DelayQueue<Retry>(); queue.put(new Retry("a", 5, SECONDS)); Retry r = queue.take()
			queue := delayqueue.New[string]()
			_, err := queue.Put("a", 5*time.Second) // any value; it needs no method of its own
			next, err := queue.Take(ctx)
			require.NoError(t, err)
			require.Equal(t, "a", next)
		}()
		func() {
			tick := func() {}
			// var timer = new Timer("jobs"); timer.scheduleAtFixedRate(task, 0, 1000)
			jobs := timer.New("jobs")
			defer jobs.Cancel()
			err := jobs.AtFixedRate(timer.NewTask(tick), 0, time.Second)
			require.NoError(t, err)
		}()
		func() {
			ticks := 0
			tick := func() { ticks++ }
			jobs := timer.New("jobs")
			defer jobs.Cancel()
			// var task = new TimerTask() {…}; timer.schedule(task, 1000); task.cancel()
			task := timer.NewTask(tick)
			err := jobs.Schedule(task, time.Second)
			prevented := task.Cancel()
			require.NoError(t, err)
			require.True(t, prevented)
		}()
		// TimeUnit.MINUTES.toSeconds(5); TimeUnit.SECONDS.sleep(1)
		seconds := (5 * time.Minute).Seconds()
		time.Sleep(time.Second)
		require.Equal(t, 300.0, seconds)
	})
}
