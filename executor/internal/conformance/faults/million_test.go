package faults_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// Eight goroutines arm tasks of all kinds while somebody resizes the pool, and one of the eight
// ends it halfway. In the four ways to end a pool they are a million together; fewer under the race
// detector, which is ten times slower, and if it is to be short.
func TestAMillionTasksThatRaceWithTheEndOfTheirPoolAllEnd(t *testing.T) {
	for name, end := range map[string]func(p *executor.ScheduledPool) (handedBack int){
		"Shutdown":    func(p *executor.ScheduledPool) int { p.Shutdown(); return 0 },
		"ShutdownNow": func(p *executor.ScheduledPool) int { return len(p.ShutdownNow()) },
		"Close":       func(p *executor.ScheduledPool) int { _ = p.Close(); return 0 },
		"CloseContext": func(p *executor.ScheduledPool) int {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			report, _ := p.CloseContext(ctx)
			return len(report.Dropped)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			armedAgainst(t, end)
		})
	}
}

func armedAgainst(t *testing.T, end func(p *executor.ScheduledPool) int) {
	const parties = 8
	total := 250_000
	if probe.RaceEnabled || testing.Short() {
		total = 100_000
	}
	p := pooltest.NewScheduledPool(t, 4)
	var ran, refused atomic.Int64
	handedBack := 0
	kept := make([][]*future.Future[struct{}], parties)
	body := func(context.Context) error { ran.Add(1); return nil }
	var arming sync.WaitGroup
	for i := range parties {
		arming.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			for n := range total / parties {
				if i == 0 && n == total/parties/2 {
					handedBack = end(p)
				}
				f, err := arm(p, rng, body)
				switch {
				case err != nil:
					refused.Add(1)
				case f != nil:
					kept[i] = append(kept[i], f)
				}
			}
		})
	}
	over := make(chan struct{})
	var resizing sync.WaitGroup
	resizing.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-over:
				return
			default:
				_ = p.SetCoreSize(n % 6)
				time.Sleep(20 * time.Microsecond)
			}
		}
	})
	arming.Wait()
	p.SetExecuteDelayedAfterShutdown(false) // what is due in an hour
	<-p.Terminated()
	close(over)
	resizing.Wait()

	stats := p.Stats()
	assert.EqualValues(t, int64(total)-refused.Load(), stats.Accepted, "%+v", stats)
	assert.EqualValues(t, refused.Load(), stats.Rejected, "%+v", stats)
	assert.Equal(t, stats.Accepted, stats.Completed+stats.Cancelled+stats.Returned, "%+v", stats)
	assert.EqualValues(t, ran.Load(), stats.Runs, "%+v", stats)
	assert.LessOrEqual(t, uint64(handedBack), stats.Returned, "%+v", stats)
	assert.Zero(t, stats.Queued+stats.Busy+stats.Workers, "%+v", stats)
	assert.GreaterOrEqual(t, stats.Accepted, uint64(total/parties/2), "of one goroutine half came before the end")
	assert.GreaterOrEqual(t, stats.Rejected, uint64(total/parties/2), "and half after it")
	for _, fs := range kept {
		for _, f := range fs {
			result, settled := f.Poll()
			require.True(t, settled, "a future outlives its pool")
			if result.Err != nil {
				require.True(t, errors.Is(result.Err, future.ErrCancelled), "%v", result.Err)
			}
		}
	}
}

// arm gives p a task: some at once, most in a moment or in an hour, some again and again. Some are
// cancelled.
func arm(p *executor.ScheduledPool, rng *rand.Rand, body executor.Task) (*future.Future[struct{}], error) {
	delay := time.Duration(rng.IntN(4000)) * time.Microsecond
	var f *executor.ScheduledFuture[struct{}]
	var err error
	switch rng.IntN(8) {
	case 0:
		return nil, p.Execute(body)
	case 1:
		return p.Submit(body)
	case 2, 3:
		f, err = p.Schedule(delay, body)
	case 4:
		f, err = p.AtFixedRate(delay, 1+delay, body, executor.MaxRuns(1+rng.IntN(3)), executor.CatchUp(executor.Coalesce))
	case 5:
		f, err = p.WithFixedDelay(delay, 1+delay, body, executor.MaxRuns(1+rng.IntN(3)))
	default:
		f, err = p.Schedule(time.Hour, body)
	}
	if err != nil {
		return nil, err
	}
	if rng.IntN(4) == 0 {
		f.Cancel()
	}
	return f.Future, nil
}
