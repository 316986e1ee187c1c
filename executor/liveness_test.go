package executor_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// TestNoDueTaskWaitsBesideAFreeWorker mixes all that moves workers and heads about, on a coarse
// grid of times so that they meet, and looks at rest: when nothing can go on, either nothing is due
// or as many tasks run as may. A lost wake-up, a baton not passed or a worker not started shows as
// a task that waits for nothing.
func TestNoDueTaskWaitsBesideAFreeWorker(t *testing.T) {
	seeds := uint64(2000)
	if testing.Short() {
		seeds = 200
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) { mixAndLook(t, rand.New(rand.NewPCG(seed, 7)), seed) })
		if t.Failed() {
			return
		}
	}
}

func mixAndLook(t *testing.T, rng *rand.Rand, seed uint64) {
	grid := func(n int) time.Duration { return time.Duration(rng.IntN(n)) * time.Millisecond }
	core := rng.IntN(4)
	p := executor.NewScheduledPool(core, executor.KeepAlive(grid(4)),
		executor.Logger(slog.New(slog.DiscardHandler)))
	defer p.Close()
	var futures []*executor.ScheduledFuture[struct{}]
	for range 60 {
		switch rng.IntN(10) {
		case 0, 1, 2, 3:
			f, _ := p.Schedule(grid(8), pooltest.Pause(grid(5)))
			futures = append(futures, f)
		case 4:
			f, _ := p.AtFixedRate(grid(8), grid(5)+time.Millisecond, pooltest.Pause(grid(3)), executor.MaxRuns(1+rng.IntN(5)))
			futures = append(futures, f)
		case 5:
			_ = p.Execute(func(context.Context) error { runtime.Goexit(); return nil })
		case 6, 7:
			if len(futures) > 0 {
				futures[rng.IntN(len(futures))].Cancel()
			}
		case 8:
			core = rng.IntN(4)
			_ = p.SetCoreSize(core)
		case 9:
			time.Sleep(grid(4))
		}
		if rng.IntN(3) == 0 {
			look(t, p, core, seed)
		}
	}
	time.Sleep(time.Second)
	look(t, p, core, seed)
	if s := p.Stats(); s.Queued > 0 || s.Busy > 0 {
		t.Errorf("seed %d: %d tasks queued and %d running after all is over", seed, s.Queued, s.Busy)
	}
}

func look(t *testing.T, p *executor.ScheduledPool, core int, seed uint64) {
	synctest.Wait()
	s := p.Stats()
	if queued := p.Queued(); len(queued) > 0 && !queued[0].Scheduled.After(time.Now()) && s.Busy < max(core, 1) {
		t.Errorf("seed %d: a task is due, %d of %d may run, %d workers: %v", seed, s.Busy, max(core, 1), s.Workers, p)
	}
	if s.Accepted != s.Completed+s.Cancelled+s.Returned+uint64(s.Queued)+uint64(s.Busy) && s.Busy == 0 {
		t.Errorf("seed %d: the accounts do not balance: %+v", seed, s)
	}
}
