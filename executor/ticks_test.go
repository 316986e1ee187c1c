package executor_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// ticksUntil loops over ticks every 10 s for so long, where the body of the third takes 27 s, and
// returns when each began, in seconds, with what it had missed.
func ticksUntil(t *testing.T, end time.Duration, opts ...executor.TaskOption) (seen []string) {
	ctx, cancel := context.WithTimeout(t.Context(), end)
	defer cancel()
	start := time.Now()
	for tick := range executor.Ticks(ctx, 10*time.Second, opts...) {
		assert.EqualValues(t, len(seen)+1, tick.Number)
		assert.True(t, tick.Started.Equal(time.Now()))
		text := fmt.Sprint(time.Since(start).Seconds())
		if tick.Missed > 0 {
			text += fmt.Sprintf("!%d", tick.Missed)
		}
		if seen = append(seen, text); len(seen) == 3 {
			time.Sleep(27 * time.Second)
		}
	}
	return seen
}

func TestTicksCatchUpAsTheRunsOfAFixedRateDo(t *testing.T) {
	for name, row := range map[string]struct {
		policy executor.CatchUpPolicy
		want   []string
	}{
		"burst":    {executor.Burst, []string{"10", "20", "30", "57!1", "57", "60", "70"}},
		"coalesce": {executor.Coalesce, []string{"10", "20", "30", "57!1", "60", "70"}},
		"skip":     {executor.Skip, []string{"10", "20", "30", "60!2", "70"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				assert.Equal(t, row.want, ticksUntil(t, 75*time.Second, executor.CatchUp(row.policy)))
				if row.policy == executor.Coalesce {
					assert.Equal(t, row.want, ticksUntil(t, 75*time.Second), "by default")
				}
			})
		})
	}
}

func TestTicksAreThoseOfATickerIfTheBodyIsQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker, n := time.NewTicker(time.Second), uint64(0)
		defer ticker.Stop()
		for tick := range executor.Ticks(t.Context(), time.Second, executor.MaxRuns(100), executor.Name("beat")) {
			n++
			require.Equal(t, executor.Run{
				Name: "beat", Number: n, Scheduled: tick.Started, Started: tick.Started,
			}, tick)
			require.True(t, (<-ticker.C).Equal(tick.Started))
		}
		assert.EqualValues(t, 100, n)
	})
}

func TestTicksEndWithTheLoopOrItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range executor.Ticks(nil, time.Second) {
			break
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for range executor.Ticks(ended, time.Nanosecond) {
			t.Error("a tick after the end")
		}
		start := time.Now()
		assert.Equal(t, []string{"10", "20"}, ticksUntil(t, 29*time.Second))
		assert.Equal(t, 29*time.Second, time.Since(start))
		assert.Equal(t, []string{"10", "20", "30"}, ticksUntil(t, 31*time.Second), "none of those it owes")
	})
}

func TestTicksCountFromTheBeginningOfTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks := executor.Ticks(t.Context(), time.Minute, executor.MaxRuns(1))
		for range 2 {
			time.Sleep(time.Hour)
			start := time.Now()
			for tick := range ticks {
				assert.EqualValues(t, 1, tick.Number)
			}
			assert.Equal(t, time.Minute, time.Since(start))
		}
	})
}

func TestTicksWithJitterAreNeverEarlyNorAWholeJitterLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, late := time.Now(), map[time.Duration]bool{}
		for tick := range executor.Ticks(t.Context(), time.Minute, executor.Jitter(time.Second), executor.MaxRuns(50)) {
			by := time.Since(start) - time.Duration(tick.Number)*time.Minute
			require.True(t, by >= 0 && by < time.Second, by)
			late[by] = true
		}
		assert.Greater(t, len(late), 10)
	})
}

func TestTicksOfAHugePeriodNeverCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		for range executor.Ticks(ctx, math.MaxInt64) {
			t.Error("a tick")
		}
	})
}

func TestTicksPanicOnABadArgument(t *testing.T) {
	for name, make := range map[string]func(){
		"period": func() { executor.Ticks(nil, 0) },
		"option": func() { executor.Ticks(nil, time.Second, executor.MaxRuns(0)) },
		"nil":    func() { executor.Ticks(nil, time.Second, nil) },
		"jitter": func() { executor.Ticks(nil, time.Second, executor.Jitter(time.Minute)) },
	} {
		func() {
			defer func() {
				err, _ := recover().(error)
				assert.ErrorIs(t, err, executor.ErrInvalid, name)
			}()
			make()
		}()
	}
}

func TestTicksLeaveNothingBehindABodyThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		go func() {
			defer close(over)
			for range executor.Ticks(t.Context(), time.Second) {
				runtime.Goexit()
			}
		}()
		<-over
	})
}

func TestTicksInsideATaskAreItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Submit(t, &p.Pool, func(ctx context.Context) error {
			for range executor.Ticks(ctx, time.Second) {
			}
			return context.Cause(ctx)
		}, executor.Timeout(time.Minute))
		_, err := f.Get(t.Context())
		assert.ErrorContains(t, err, "timed out after 1m0s")
	})
}

// A ticker drops what its reader was too slow for; here the next tick tells how many.
func ExampleTicks() {
	ctx := context.Background()
	var missed uint64
	for tick := range executor.Ticks(ctx, 10*time.Millisecond,
		executor.CatchUp(executor.Coalesce), executor.MaxRuns(2)) {
		fmt.Println("tick", tick.Number)
		missed += tick.Missed
		time.Sleep(35 * time.Millisecond)
	}
	fmt.Println("some were missed:", missed > 0)
	// Output:
	// tick 1
	// tick 2
	// some were missed: true
}
