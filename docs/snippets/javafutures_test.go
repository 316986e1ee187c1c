//lint:file-ignore SA4006 the documents check errors where it matters
package snippets

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer/cron"
)

func TestFuturesOfPoolsOfJava(t *testing.T) {
	ctx := t.Context()
	pool := executor.NewScheduledPool(2)
	defer pool.Close()
	func() {
		f, err := pool.Schedule(time.Hour, refresh)
		require.NoError(t, err)
		// f.getDelay(SECONDS); f.isPeriodic()
		fmt.Println(f.Delay().Seconds(), f.Periodic())
		// f.cancel(true); if (f.isDone()) { f.get(); }
		f.CancelCause(errors.New("the user has left"))
		if outcome, settled := f.Poll(); settled {
			fmt.Println(outcome.Value, outcome.Err)
		}
		require.Equal(t, future.Cancelled, f.State())
	}()
	func() {
		// var s = new ExecutorCompletionService<Integer>(pool); s.submit(compute); s.take().get()
		s := bulk.NewCompletionService[int](pool)
		_, err := s.Submit(compute)
		for f := range s.All(ctx) { // ends when nothing is outstanding
			fmt.Println(f.Get(ctx))
		}
		require.NoError(t, err)
		_, err = s.Take(ctx)
		require.ErrorIs(t, err, bulk.ErrNoneLeft)
	}()
}

func TestExecutorsOfJava(t *testing.T) {
	func() {
		// Executors.newFixedThreadPool(4); Executors.newSingleThreadScheduledExecutor()
		workers := executor.NewPool(4)
		jobs := executor.NewScheduledPool(1, executor.Confined())
		defer workers.Close()
		defer jobs.Close()
		require.Error(t, jobs.SetCoreSize(2))
	}()
	func() {
		// (r, ex) -> { log.warn("full"); new CallerRunsPolicy().rejectedExecution(r, ex); }
		louder := func(r *rejection.Task) error {
			slog.Warn("full", "task", r.Name())
			return rejection.CallerRuns(r)
		}
		pool := executor.NewPool(4, executor.Queue(queue.Bounded(100)), executor.OnRejection(louder))
		defer pool.Close()
		require.NoError(t, pool.Execute(refresh))
	}()
}

func TestScheduledExecutorsOfJava(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		report, remind := refresh, refresh
		pool := executor.NewScheduledPool(1)
		func() {
			// s.schedule(report, new CronTrigger("0 0 3 * * *")); s.schedule(remind, inAMinute)
			_, err := pool.On(cron.MustParse("0 3 * * *"), report)
			_, err = pool.ScheduleAt(time.Now().Add(time.Minute), remind)
			require.NoError(t, err)
		}()
		// pool.setExecuteExistingDelayedTasksAfterShutdownPolicy(false); pool.shutdown()
		pool.SetExecuteDelayedAfterShutdown(false)
		pool.Shutdown() // drops what is not yet due; its future settles
		<-pool.Terminated()
		require.EqualValues(t, 2, pool.Stats().Returned)
	})
}
