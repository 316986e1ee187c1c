package snippets

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// What ad-hoc tickers look like. They are started, and cannot be stopped: that is what is wrong.
func TestAdHocTickers(t *testing.T) {
	ctx := t.Context()
	cleaned, polled := make(chan struct{}, 1), make(chan struct{}, 1)
	refresh := func(context.Context) {}
	clean := func(context.Context) { tell(cleaned) }
	poll := func(context.Context) time.Duration { tell(polled); return time.Hour }

	go func() {
		ticker := time.NewTicker(time.Minute)
		for range ticker.C {
			refresh(ctx)
		}
	}()
	go func() {
		for {
			clean(ctx)
			time.Sleep(time.Second)
		}
	}()
	var again func()
	again = func() {
		wait := poll(ctx)
		time.AfterFunc(wait, again)
	}
	again()
	<-cleaned
	<-polled
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func TestTickersOnAPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counts := map[string]int{}
		job := func(name string) executor.Task {
			return func(context.Context) error { counts[name]++; return nil }
		}
		refresh, clean, remind := job("refresh"), job("clean"), job("remind")
		poll := func(context.Context) time.Duration { counts["poll"]++; return 2 * time.Minute }

		func() {
			pool := executor.NewScheduledPool(2, executor.Name("jobs"))
			defer pool.Close()

			_, err := pool.Every(time.Minute, refresh,
				executor.Name("refresh"), executor.Timeout(10*time.Second))
			require.NoError(t, err)
			time.Sleep(10*time.Minute + 1)
			synctest.Wait()
		}()
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		func() {
			_, err := pool.WithFixedDelay(0, time.Second, clean, executor.Name("clean"))
			require.NoError(t, err)
		}()
		func() {
			_, err := pool.WithFixedDelay(0, time.Minute, func(ctx context.Context) error {
				executor.NextIn(ctx, poll(ctx)) // this once; without it, a minute from now
				return nil
			}, executor.Name("poll"))
			require.NoError(t, err)
		}()
		reminder, err := pool.Schedule(30*time.Minute, remind, executor.Name("remind"))
		require.NoError(t, err)
		time.Sleep(time.Hour + time.Millisecond)
		synctest.Wait()
		require.Equal(t, 1, int(reminder.Runs()))
		require.Equal(t, map[string]int{"refresh": 10, "clean": 3601, "poll": 31, "remind": 1}, counts)
	})
}

func TestALoopOfYourOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 59500*time.Millisecond)
		defer cancel()
		frames, missed := 0, 0
		draw := func(late uint64) {
			frames++
			missed += int(late)
			if frames == 10 {
				time.Sleep(5 * time.Second)
			}
		}
		for tick := range executor.Ticks(ctx, time.Second) {
			draw(tick.Missed) // how many seconds the picture was late
		}
		require.Equal(t, 59, frames+missed)
		require.Positive(t, missed)
	})
}
