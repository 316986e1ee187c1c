package runlog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/debounce"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/runlog"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/executor/supervisor"
)

const ms = time.Millisecond

var errBad = errors.New("bad")

// logger keeps lines, and passes on nothing.
func logger() *slog.Logger { return slog.New(runlog.Handler(nil)) }

// quiet has a pool report nothing.
var quiet = executor.Logger(slog.New(slog.DiscardHandler))

// texts returns the lines of a run as text.
func texts(r runlog.Run) (all []string) {
	for _, line := range r.Lines {
		all = append(all, line.String())
	}
	return all
}

// TestTasksOfEachKindHaveTheirLines: however a task comes to run, its lines are found by its name,
// under the name of its pool, each with its own run.
func TestTasksOfEachKindHaveTheirLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, log := runlog.New(runlog.Config{}), logger()
		pool := executor.NewScheduledPool(3, executor.Name("jobs"), quiet, executor.Observe(kept.Observer()))
		loop := eventloop.New(executor.Name("session"), quiet, executor.Observe(kept.Observer()))
		say := func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			log.InfoContext(ctx, "began", "run", run.Number, "attempt", run.Attempt)
			time.Sleep(10 * ms)
			runlog.Progress(ctx, 1, 2, "half")
			log.InfoContext(context.WithoutCancel(ctx), "ends")
			if run.Attempt == 1 {
				return errBad
			}
			return nil
		}
		name := executor.Name
		check := func(err error) { t.Helper(); require.NoError(t, err) }
		check(pool.Execute(say, name("executed")))
		_, err := pool.Submit(say, name("submitted"))
		check(err)
		_, err = pool.SubmitContext(t.Context(), say, name("within"))
		check(err)
		_, err = pool.Schedule(ms, say, name("later"))
		check(err)
		_, err = pool.Schedule(ms, say, name("retried"), executor.Retry(3, retry.Backoff{Base: ms}))
		check(err)
		_, err = pool.AtFixedRate(0, time.Second, say, name("rate"), executor.MaxRuns(2))
		check(err)
		_, err = pool.WithFixedDelay(0, time.Second, say, name("delay"), executor.MaxRuns(2))
		check(err)
		_, err = pool.AtFixedRate(0, time.Second, say, name("retried rate"), executor.MaxRuns(2),
			executor.Retry(2, retry.Backoff{Base: ms}))
		check(err)
		_, err = serial.New(pool).Submit(say, name("serial"))
		check(err)
		group := bulk.NewGroup(t.Context(), pool)
		group.Go(func(ctx context.Context) error { return say(ctx) }, name("group"))
		check(group.Wait())
		saves, err := debounce.New(pool, debounce.Wait{Quiet: ms}, say, name("debounced"))
		check(err)
		check(saves.Call())
		_, err = loop.Submit(say, name("looped"))
		check(err)
		_, err = loop.AtFixedRate(0, time.Second, say, name("beat"), executor.MaxRuns(2))
		check(err)
		super := supervisor.New(pool, say, name("cycle"), supervisor.Interval(time.Hour))
		super.Start()
		time.Sleep(10 * time.Second)
		super.Stop()
		check(saves.Close(t.Context()))
		pool.Close()
		loop.Close()

		for where, names := range map[string][]string{
			"jobs": {"cycle", "debounced", "delay", "executed", "group", "later", "rate", "retried",
				"retried rate", "serial", "submitted", "within"},
			"session": {"beat", "looped"},
		} {
			assert.Equal(t, names, kept.Tasks(where))
			for _, task := range names {
				for _, run := range kept.Runs(where, task) {
					assert.Equal(t, []string{
						fmt.Sprintf("began run=%d attempt=%d", run.Number, run.Attempt), "ends",
					}, texts(run), task)
					assert.True(t, run.Ended, task)
					assert.Equal(t, 10*ms, run.Took, task)
					assert.Equal(t, run.Attempt == 1, run.Error != "", task)
					assert.Equal(t, &runlog.Position{Done: 1, Total: 2, Note: "half"}, run.Progress)
				}
			}
		}
		for task, want := range map[string][][2]uint64{
			"executed": {{1, 0}}, "retried": {{1, 2}, {1, 1}}, "rate": {{2, 0}, {1, 0}},
			"retried rate": {{2, 2}, {2, 1}, {1, 2}, {1, 1}},
		} {
			var runs [][2]uint64
			for _, run := range kept.Runs("jobs", task) {
				runs = append(runs, [2]uint64{run.Number, run.Attempt})
			}
			assert.Equal(t, want, runs, task)
		}
		assert.Empty(t, kept.InProgress("jobs"))
	})
}
