//lint:file-ignore SA4006 the documents check errors where it matters
package snippets

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer/cron"
)

func compute(context.Context) (int, error) { return 42, nil }

func TestPoolsOfJava(t *testing.T) {
	ctx := t.Context()
	remind, poll, report := refresh, refresh, refresh
	func() {
		// new ScheduledThreadPoolExecutor(4); pool.schedule(this::remind, 10, MINUTES)
		pool := executor.NewScheduledPool(4)
		reminder, err := pool.Schedule(10*time.Minute, remind)
		require.NoError(t, err)
		require.False(t, reminder.State().Settled())
		pool.ShutdownNow()
	}()
	func() {
		// new ThreadPoolExecutor(4, 16, 1, MINUTES, new ArrayBlockingQueue<>(100), new CallerRunsPolicy())
		pool := executor.NewPool(4, executor.MaximumSize(16), executor.KeepAlive(time.Minute),
			executor.Queue(queue.Bounded(100)), executor.OnRejection(rejection.CallerRuns))
		defer pool.Close()
		require.Equal(t, 16, pool.Stats().Maximum)
	}()
	func() {
		// r -> new Thread(r, "jobs-" + n)
		pool := executor.NewScheduledPool(4, executor.Name("jobs")) // the pprof labels of each run: pool, task
		defer pool.Close()
		require.Equal(t, "jobs", pool.Stats().Name)
	}()
	pool := executor.NewScheduledPool(2)
	defer pool.Close()
	func() {
		// Future<Integer> f = pool.submit(this::compute); int n = f.get(5, SECONDS)
		f, err := executor.Submit(pool, compute)
		n, err := f.GetTimeout(5 * time.Second)
		require.NoError(t, err)
		require.Equal(t, 42, n)
	}()
	func() {
		// pool.scheduleAtFixedRate(this::poll, 0, 10, SECONDS)
		series, err := pool.AtFixedRate(0, 10*time.Second, poll)
		require.NoError(t, err)
		series.Cancel()
	}()
	func() {
		// for (Future<Integer> f : pool.invokeAll(List.of(a, b))) sum += f.get()
		futures, err := executor.InvokeAll(ctx, pool, compute, compute)
		values, err := future.All(ctx, futures...)
		require.NoError(t, err)
		require.Equal(t, []int{42, 42}, values)
	}()
	func() {
		// supplyAsync(this::compute, pool).thenApply(Integer::toString).orTimeout(1, SECONDS).join()
		f, err := executor.Submit(pool, compute)
		decimal := future.Then(f, func(n int) (string, error) { return strconv.Itoa(n), nil })
		text, err := decimal.GetTimeout(time.Second)
		require.NoError(t, err)
		require.Equal(t, "42", text)
	}()
	func() {
		// @Scheduled(fixedDelay = 5, timeUnit = SECONDS)  and  @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
		_, err := pool.WithFixedDelay(0, 5*time.Second, poll, executor.Name("poll"))
		_, err = pool.On(cron.MustParse("0 3 * * *", cron.Zone(berlin)), report, executor.Name("report"))
		require.NoError(t, err)
	}()
	func() {
		// pool.getActiveCount(), pool.getQueue().size(), pool.getCompletedTaskCount()
		s := pool.Stats() // all of one moment
		fmt.Println(s.Busy, s.Queued, s.Completed)
	}()
}
