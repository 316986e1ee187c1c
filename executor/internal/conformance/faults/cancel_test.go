package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file are about cancellations that meet something else.

// flYields has whoever passes a delay point let others go first, once in a while.
func flYields(t *testing.T) {
	t.Cleanup(delay.Set(func(delay.Point) {
		if rand.IntN(4) == 0 {
			runtime.Gosched()
		}
	}))
}

// flMoment is nothing, or up to some 30 µs, each order of magnitude as often as any.
func flMoment() time.Duration { return time.Duration(rand.IntN(1 << rand.IntN(16))) }

// flLinger lets such a moment pass, or lets others go on.
func flLinger() {
	if rand.IntN(4) == 0 {
		runtime.Gosched()
	}
	for end := time.Now().Add(flMoment()); time.Now().Before(end); {
	}
}

func TestD1_OfSixtyFourWhoCancelAtOnceExactlyOneIsTold(t *testing.T) {
	heed := func(ctx context.Context) error { <-ctx.Done(); return nil }
	for name, row := range map[string]struct {
		submit func(p *executor.ScheduledPool) (*executor.ScheduledFuture[struct{}], error)
		told   int
	}{
		"before it is due": {func(p *executor.ScheduledPool) (*executor.ScheduledFuture[struct{}], error) {
			return p.Schedule(time.Hour, pooltest.Nothing)
		}, 1},
		"a series": {func(p *executor.ScheduledPool) (*executor.ScheduledFuture[struct{}], error) {
			return p.AtFixedRate(0, time.Hour, pooltest.Nothing)
		}, 1},
		"while it runs": {func(p *executor.ScheduledPool) (*executor.ScheduledFuture[struct{}], error) {
			return p.Schedule(0, heed)
		}, 1},
		"behind others": {func(p *executor.ScheduledPool) (*executor.ScheduledFuture[struct{}], error) {
			if err := p.Execute(pooltest.Pause(time.Hour)); err != nil {
				return nil, err
			}
			return p.Schedule(0, pooltest.Nothing)
		}, 1},
		"after its end": {func(p *executor.ScheduledPool) (*executor.ScheduledFuture[struct{}], error) {
			return p.Schedule(0, pooltest.Nothing)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				f, err := row.submit(p)
				require.NoError(t, err)
				synctest.Wait()
				var told atomic.Int32
				var all sync.WaitGroup
				for i := range 64 {
					all.Go(func() {
						if i%2 == 0 && f.Cancel() || i%2 == 1 && f.Stop() {
							told.Add(1)
						}
					})
				}
				all.Wait()
				assert.EqualValues(t, row.told, told.Load())
				assert.False(t, f.Cancel() || f.Stop() || f.CancelCause(pooltest.ErrTask), "later ones are not told")
				assert.EqualValues(t, row.told, p.Stats().Cancelled)
			})
		})
	}
}

// Who is told that the cancellation was theirs while no body is there has kept it from beginning,
// for good.
func TestD2_ACancellationThatMeetsTheStartHasOneOutcome(t *testing.T) {
	flYields(t)
	p := pooltest.NewScheduledPool(t, 2)
	defer p.Close()
	const rounds = 3000
	var prevented []*atomic.Int32
	for range rounds {
		began := new(atomic.Int32)
		f, err := p.Schedule(flMoment(), func(context.Context) error { began.Add(1); return nil })
		require.NoError(t, err)
		flLinger()
		told := f.Cancel()
		if told && probe.IsClosed(f.Stopped()) && began.Load() == 0 {
			prevented = append(prevented, began)
		}
		<-f.Stopped()
		_, err = f.Get(t.Context())
		if told {
			require.Equal(t, future.ErrCancelled, err)
			require.LessOrEqual(t, began.Load(), int32(1))
		} else {
			require.NoError(t, err)
			require.EqualValues(t, 1, began.Load())
		}
	}
	require.NoError(t, p.Close())
	for _, began := range prevented {
		assert.Zero(t, began.Load(), "it began after its cancellation")
	}
	t.Logf("%d of %d never began", len(prevented), rounds)
}

func TestD4_WhereverTheCancelledOneStoodTheOthersRunAtTheirTimes(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 1000} {
		for name, at := range map[string]int{"head": 0, "middle": n / 2, "last": n - 1} {
			t.Run(fmt.Sprintf("%s of %d", name, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := pooltest.NewScheduledPool(t, 1)
					start := time.Now()
					futures := make([]*executor.ScheduledFuture[struct{}], n)
					var ran []time.Duration
					for _, i := range rand.Perm(n) {
						f, err := p.Schedule(time.Duration(i+1)*time.Second, func(context.Context) error {
							ran = append(ran, time.Since(start))
							return nil
						})
						require.NoError(t, err)
						futures[i] = f
					}
					require.True(t, futures[at].Cancel())
					probe.Elapse(time.Duration(n) * time.Second)
					var want []time.Duration
					for i := range n {
						if i != at {
							want = append(want, time.Duration(i+1)*time.Second)
						}
					}
					assert.Equal(t, want, ran)
				})
			})
		}
	}
}

// flEnds are the ways in which the wait for a task of a pool can end.
var flEnds = map[string]struct {
	end  func(p *executor.ScheduledPool, f *future.Future[struct{}])
	want []error
}{
	"it runs":     {func(*executor.ScheduledPool, *future.Future[struct{}]) { time.Sleep(time.Hour) }, []error{nil}},
	"Cancel":      {func(_ *executor.ScheduledPool, f *future.Future[struct{}]) { f.Cancel() }, []error{future.ErrCancelled}},
	"CancelCause": {func(_ *executor.ScheduledPool, f *future.Future[struct{}]) { f.CancelCause(pooltest.ErrTask) }, []error{future.ErrCancelled, pooltest.ErrTask}},
	"Close":       {func(p *executor.ScheduledPool, _ *future.Future[struct{}]) { p.Close() }, []error{future.ErrCancelled, executor.ErrShutdown}},
	"ShutdownNow": {func(p *executor.ScheduledPool, _ *future.Future[struct{}]) { p.ShutdownNow() }, []error{future.ErrCancelled, executor.ErrShutdown}},
	"CloseContext": {func(p *executor.ScheduledPool, _ *future.Future[struct{}]) {
		_, _ = p.CloseContext(context.Background())
	}, []error{future.ErrCancelled, executor.ErrShutdown}},
}

func TestD6_AThousandWhoWaitForATaskAreReleasedAtOnceWithOneAnswer(t *testing.T) {
	for name, row := range flEnds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				start := time.Now()
				f, err := p.Schedule(time.Hour, pooltest.Nothing)
				require.NoError(t, err)
				answers := make([]error, 1000)
				after := make([]time.Duration, len(answers))
				var all sync.WaitGroup
				for i := range answers {
					all.Go(func() {
						if i%2 == 0 {
							_, answers[i] = f.Get(t.Context())
						} else {
							_, answers[i] = f.GetTimeout(24 * time.Hour)
						}
						after[i] = time.Since(start)
					})
				}
				synctest.Wait()
				row.end(p, f.Future)
				end := time.Since(start)
				all.Wait()
				for i, err := range answers {
					require.Equal(t, answers[0], err)
					require.Equal(t, end, after[i])
				}
				for _, want := range row.want {
					require.ErrorIs(t, answers[0], want)
				}
			})
		})
	}
}
