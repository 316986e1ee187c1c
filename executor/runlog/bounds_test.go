package runlog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
)

func goexit() { runtime.Goexit() }

func TestTheLastLinesOfARunAreKept(t *testing.T) {
	got := run(t, runlog.Config{Lines: 3}, func(ctx context.Context) {
		for i := range 10 {
			logger().InfoContext(ctx, fmt.Sprint(i))
		}
	})
	assert.Equal(t, []string{"7", "8", "9"}, texts(got))
	assert.EqualValues(t, 7, got.Dropped)
}

// TestTheLastRunsOfANameAreKept: those that go on are kept for longer.
func TestTheLastRunsOfANameAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, log := runlog.New(runlog.Config{Runs: 3}), logger()
		p := executor.NewScheduledPool(2, executor.Observe(kept.Observer()))
		defer p.Close()
		body := func(d time.Duration) executor.Task {
			return func(ctx context.Context) error {
				log.InfoContext(ctx, "line")
				time.Sleep(d)
				return nil
			}
		}
		_, err := p.Submit(body(time.Hour), executor.Name("poll"))
		require.NoError(t, err)
		time.Sleep(ms)
		_, err = p.AtFixedRate(0, time.Second, body(0), executor.Name("poll"))
		require.NoError(t, err)
		time.Sleep(9500 * ms)
		runs := kept.Runs("", "poll")
		require.Len(t, runs, 3)
		assert.EqualValues(t, []uint64{10, 9, 1}, []uint64{runs[0].Number, runs[1].Number, runs[2].Number})
		assert.False(t, runs[2].Ended)
		assert.EqualValues(t, 8, kept.Stats().Dropped)
	})
}

// TestBytesAreBoundedInAll: of what has ended the oldest goes first, then other runs, and last lines
// of the run itself.
func TestBytesAreBoundedInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 20_000
		kept, log := runlog.New(runlog.Config{Bytes: most, Lines: 1000, Runs: 1000}), logger()
		p := executor.NewScheduledPool(4, executor.Observe(kept.Observer()))
		defer p.Close()
		submit := func(name string, body func(ctx context.Context)) {
			_, err := p.Submit(func(ctx context.Context) error { body(ctx); return nil }, executor.Name(name))
			require.NoError(t, err)
		}
		submit("long", func(ctx context.Context) { log.InfoContext(ctx, "begins"); time.Sleep(time.Hour) })
		time.Sleep(ms)
		for i := range 100 {
			submit(fmt.Sprint("task ", i), func(ctx context.Context) { log.InfoContext(ctx, "line") })
			time.Sleep(ms)
			assert.LessOrEqual(t, kept.Stats().Bytes, int64(most))
		}
		names := kept.Tasks("")
		assert.Less(t, len(names), 40)
		assert.Contains(t, names, "task 99")
		assert.Contains(t, names, "long", "it goes on")
		assert.NotContains(t, names, "task 50")
		submit("flood", func(ctx context.Context) {
			for i := range 1000 {
				log.InfoContext(ctx, fmt.Sprint(i, strings.Repeat(" flood", 100)))
			}
			time.Sleep(time.Hour)
		})
		time.Sleep(ms)
		assert.Equal(t, []string{"flood"}, kept.Tasks(""))
		flood := kept.Runs("", "flood")[0]
		assert.LessOrEqual(t, kept.Stats().Bytes, int64(most))
		assert.Greater(t, len(flood.Lines), 20)
		assert.EqualValues(t, 1000, uint64(len(flood.Lines))+flood.Dropped)
		assert.True(t, strings.HasPrefix(flood.Lines[len(flood.Lines)-1].Message, "999 "))
	})
}

// TestWhatIsCountedIsWhatIsKept: whatever is logged, by whichever goroutines, what is counted
// returns to where it was.
func TestWhatIsCountedIsWhatIsKept(t *testing.T) {
	kept, log := runlog.New(runlog.Config{Bytes: 30_000, Lines: 10, Runs: 3}), logger()
	p := executor.NewScheduledPool(4, quiet, executor.Observe(kept.Observer()))
	var strays sync.WaitGroup // some are left behind by their runs
	for range 500 {
		_, err := p.Submit(func(ctx context.Context) error {
			var all sync.WaitGroup
			for range 3 {
				strays.Add(1)
				all.Go(func() {
					defer strays.Done()
					for range rand.IntN(30) {
						log.InfoContext(ctx, strings.Repeat("x", rand.IntN(500)))
						runlog.Progress(ctx, rand.Int64N(10), 10, "some")
						kept.Runs("", "task 1")
						kept.InProgress("")
					}
				})
			}
			if rand.IntN(2) == 0 {
				all.Wait()
			}
			return errBad
		}, executor.Name(fmt.Sprint("task ", rand.IntN(20))))
		require.NoError(t, err)
	}
	p.Close()
	strays.Wait()
	assert.Positive(t, kept.Stats().Runs)
	assert.Positive(t, kept.Stats().Dropped)
	left := int64(0)
	for _, name := range kept.Tasks("") {
		runs := kept.Runs("", name)
		assert.LessOrEqual(t, len(runs), 3)
		for _, r := range runs {
			left += 600 + int64(len(r.Pool)+len(r.Name)+len(r.Error))
			for _, line := range r.Lines {
				left += 80 + int64(len(line.Message)+len(line.Attrs))
			}
		}
	}
	assert.Equal(t, left, kept.Stats().Bytes)
	assert.LessOrEqual(t, left, int64(30_000))
}

// TestALineAfterTheEnd is kept, also if it is the first.
func TestALineAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := runlog.New(runlog.Config{})
		p := executor.NewPool(1, quiet, executor.Observe(kept.Observer()))
		require.NoError(t, p.Execute(func(ctx context.Context) error {
			go func() {
				time.Sleep(time.Minute)
				logger().InfoContext(ctx, "late")
				runlog.Progress(ctx, 1, 2, "late")
			}()
			return errBad
		}))
		p.Close()
		assert.Empty(t, kept.Runs("", ""))
		time.Sleep(time.Hour)
		runs := kept.Runs("", "")
		require.Len(t, runs, 1)
		assert.Equal(t, []string{"late"}, texts(runs[0]))
		assert.True(t, runs[0].Ended)
		assert.Equal(t, "bad", runs[0].Error)
		assert.Empty(t, kept.InProgress(""))
	})
}

// TestARunThatIsForgottenKeepsNothing, and harms nobody by what it logs later.
func TestARunThatIsForgottenKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, log := runlog.New(runlog.Config{Runs: 1}), logger()
		p := executor.NewScheduledPool(2, executor.Observe(kept.Observer()))
		defer p.Close()
		for range 2 {
			_, err := p.Submit(func(ctx context.Context) error {
				log.InfoContext(ctx, "first")
				time.Sleep(time.Minute)
				log.InfoContext(ctx, "last")
				runlog.Progress(ctx, 1, 2, "late")
				return nil
			}, executor.Name("task"))
			require.NoError(t, err)
			time.Sleep(ms)
		}
		time.Sleep(time.Hour)
		runs := kept.Runs("", "task")
		require.Len(t, runs, 1)
		assert.Equal(t, []string{"first", "last"}, texts(runs[0]))
		assert.EqualValues(t, 2, kept.Stats().Dropped)
		assert.Equal(t, 1, kept.Stats().Runs)
	})
}
