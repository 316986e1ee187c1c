package bulk_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

func TestB31_GroupATaskMayWaitForAGroupOnItsOwnPool(t *testing.T) {
	contexts := map[string]func(run context.Context) context.Context{
		"its own context": func(run context.Context) context.Context { return run },
		"another":         func(context.Context) context.Context { return nil },
	}
	for name, ctx := range contexts {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1)
				var runs atomic.Int32
				f, err := p.Submit(func(run context.Context) error {
					g := bulk.NewGroup(ctx(run), p)
					for range 10 {
						if err := g.Go(groupCount(&runs)); err != nil {
							return err
						}
					}
					return g.Wait()
				})
				require.NoError(t, err)
				_, err = f.Get(pooltest.Within(t, time.Hour))
				assert.NoError(t, err)
				assert.EqualValues(t, 10, runs.Load())
			})
		})
	}
}

func TestGroupsMayBeNestedOnOneWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var runs atomic.Int32
		var nest func(depth int) executor.Task
		nest = func(depth int) executor.Task {
			return func(ctx context.Context) error {
				runs.Add(1)
				if depth == 0 {
					return nil
				}
				g := bulk.NewGroup(ctx, p)
				return errors.Join(g.Go(nest(depth-1)), g.Go(nest(depth-1)), g.Wait())
			}
		}
		g := bulk.NewGroup(pooltest.Within(t, time.Hour), p)
		groupGo(t, g, nest(4))
		start := time.Now()
		assert.NoError(t, g.Wait())
		assert.Zero(t, time.Since(start))
		assert.EqualValues(t, 31, runs.Load())
	})
}

func TestGroupOfTheContextOfARunEndsWithThat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 3)
		var seen [2]error
		f, err := p.Submit(func(ctx context.Context) error {
			g := bulk.NewGroup(ctx, p)
			return errors.Join(g.Go(groupHeed(&seen[0])), g.Go(groupHeed(&seen[1])), g.Wait())
		})
		require.NoError(t, err)
		synctest.Wait()
		f.CancelCause(pooltest.ErrCause)
		<-f.Stopped()
		assert.ErrorIs(t, seen[0], pooltest.ErrCause)
		assert.ErrorIs(t, seen[1], pooltest.ErrCause)
	})
}

// It would wait for what is behind itself.
func TestGroupOfASerialExecutorCannotBeWaitedForByATaskBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serial.New(pooltest.NewPool(t, 2))
		f, err := s.Submit(func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			g := bulk.NewGroup(ctx, s)
			return errors.Join(g.Go(pooltest.Nothing), g.Wait())
		})
		require.NoError(t, err)
		start := time.Now()
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
		assert.Zero(t, time.Since(start))
	})
}

func TestGroupAFailureCancelsWhatACallerOfGoRunsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(
			t.Context(),
			pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns)),
		)
		groupGo(t, g, groupFails(pooltest.ErrTask, time.Second))
		synctest.Wait()
		var seen error
		start := time.Now()
		_ = g.Go(groupHeed(&seen))
		assert.Equal(t, time.Second, time.Since(start))
		assert.Equal(t, pooltest.ErrTask, seen)
		assert.Equal(t, pooltest.ErrTask, g.Wait())
	})
}

func TestGroupTheEndOfItsContextCancelsWhatACallerOfGoRunsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(pooltest.Within(t, time.Minute), pooltest.NewDirectPool(t))
		var seen error
		start := time.Now()
		_ = g.Go(groupHeed(&seen))
		assert.Equal(t, time.Minute, time.Since(start))
		assert.ErrorIs(t, seen, context.DeadlineExceeded)
		assert.ErrorIs(t, g.Wait(), context.DeadlineExceeded)
	})
}

func TestGroupWaitsForWhatACallerOfGoRunsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(t.Context(), pooltest.NewDirectPool(t))
		go func() { _ = g.Go(pooltest.Sleep(time.Minute)) }()
		synctest.Wait()
		start := time.Now()
		assert.NoError(t, g.Wait())
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

func TestGroupATaskThatWaitsForRoomDoesNotBeginAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
			g := bulk.NewGroup(t.Context(), p)
			var runs atomic.Int32
			groupGo(t, g, groupFails(pooltest.ErrTask, time.Second))
			_ = g.Go(groupCount(&runs)) // waits for the worker
			assert.Equal(t, pooltest.ErrTask, g.Wait())
			require.Zero(t, runs.Load())
		}
	})
}

func TestGroupGoWaitsForRoomNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		g := bulk.NewGroup(pooltest.Within(t, time.Minute), p)
		start := time.Now()
		err := g.Go(pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

// Neither a member, nor the watch of the context, is left behind when everything races.
func TestGroupUnderManyHandsWaitsForEveryBody(t *testing.T) {
	for round := range 50 {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewPool(t, 4)
			ctx, cancel := context.WithCancelCause(t.Context())
			g := bulk.NewGroup(ctx, p)
			var busy, accepted atomic.Int32
			for i := range 4 {
				go func() {
					for j := range 20 {
						if g.Go(func(context.Context) error {
							busy.Add(1)
							defer busy.Add(-1)
							time.Sleep(time.Duration(j) * time.Millisecond)
							if round%3 == 0 && i*20+j == round {
								return pooltest.ErrTask
							}
							return nil
						}) == nil {
							accepted.Add(1)
						}
					}
				}()
			}
			if round%3 == 1 {
				time.AfterFunc(time.Duration(round)*time.Millisecond, func() { cancel(pooltest.ErrCause) })
			}
			synctest.Wait()
			err := g.Wait()
			assert.Zero(t, busy.Load())
			switch round % 3 {
			case 0:
				assert.Equal(t, pooltest.ErrTask, err)
			case 1:
				assert.ErrorIs(t, err, pooltest.ErrCause)
			default:
				assert.NoError(t, err)
				assert.EqualValues(t, 80, accepted.Load())
			}
			synctest.Wait()
			assert.Zero(t, p.Stats().Queued)
			cancel(nil)
		})
	}
}

// The others are cancelled one after another, not each inside of the cancellation of the last.
func TestGroupAFailureCancelsAnyNumberOfMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1)
		g := bulk.NewGroup(t.Context(), p)
		require.NoError(
			t, g.Go(func(context.Context) error { time.Sleep(time.Second); return pooltest.ErrTask }),
		)
		const members = 100_000
		for range members {
			require.NoError(t, g.Go(pooltest.Nothing))
		}
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		assert.NoError(t, p.Close())
		assert.EqualValues(t, members, p.Stats().Cancelled)
	})
}

// The member is in no way to be told from others before Go returns.
func TestGroupAMemberThatACallerOfGoRunsItselfCannotWaitForTheGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		//nolint:staticcheck // that nil never ends is promised
		g := bulk.NewGroup(nil, pooltest.NewDirectPool(t))
		err := pooltest.ErrTask
		require.NoError(t, g.Go(func(context.Context) error {
			err = g.Wait()
			return nil
		}))
		assert.ErrorIs(t, err, future.ErrSelfWait)
		assert.NoError(t, g.Wait())
	})
}

func TestGroupAMemberThatWaitsForTheGroupIsToldAtOnceWhateverElseRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		g := bulk.NewGroup(t.Context(), p)
		require.NoError(t, g.Go(pooltest.Sleep(time.Hour)))
		synctest.Wait()
		start := time.Now()
		require.NoError(t, g.Go(func(context.Context) error {
			time.Sleep(time.Second) // Go has returned
			assert.ErrorIs(t, g.Wait(), future.ErrSelfWait)
			assert.Equal(t, time.Second, time.Since(start))
			return nil
		}))
		assert.NoError(t, g.Wait())
	})
}

// The last member comes while a task waits for the group, whose place is free.
func TestB31_GroupAMemberThatComesDuringWaitRunsInPlaceOfTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		g := bulk.NewGroup(t.Context(), p)
		ran := make(chan struct{})
		groupGo(t, g, func(context.Context) error {
			time.Sleep(time.Second)
			err := g.Go(func(context.Context) error { close(ran); return nil })
			<-ran
			return err
		})
		f, err := p.Submit(func(context.Context) error { return g.Wait() })
		require.NoError(t, err)
		start := time.Now()
		_, err = f.GetTimeout(time.Hour)
		require.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(start))
	})
}

func TestB31_GroupAMemberThatWaitsIsHelpedThoughAnotherHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		f, err := p.Submit(func(ctx context.Context) error {
			g := bulk.NewGroup(ctx, p)
			ran := make(chan struct{})
			groupGo(t, g, func(context.Context) error { <-ran; return nil })
			synctest.Wait() // it has a worker
			groupGo(t, g, func(context.Context) error { close(ran); return nil })
			return g.Wait()
		})
		require.NoError(t, err)
		_, err = f.GetTimeout(time.Hour)
		require.NoError(t, err)
	})
}

func TestGroupWaitOfAMemberIsRefusedAtOnceWhateverElseRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(t.Context(), pooltest.NewPool(t, 2))
		groupGo(t, g, groupFails(nil, time.Minute))
		start := time.Now()
		groupGo(t, g, func(context.Context) error {
			assert.ErrorIs(t, g.Wait(), future.ErrSelfWait)
			assert.Zero(t, time.Since(start))
			return nil
		})
		require.NoError(t, g.Wait())
	})
}

func TestGroupWaitIsRefusedToAMemberThatTheCallerOfGoRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		hold := make(chan struct{})
		defer close(hold)
		require.NoError(t, p.Execute(func(context.Context) error { <-hold; return nil }))
		g := bulk.NewGroup(t.Context(), p)
		groupGo(t, g, func(context.Context) error {
			assert.ErrorIs(t, g.Wait(), future.ErrSelfWait)
			return nil
		})
		require.NoError(t, g.Wait())
	})
}

func TestTakeIsRefusedToTheLastTaskIfTheCallerOfSubmitRunsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		hold := make(chan struct{})
		defer close(hold)
		require.NoError(t, p.Execute(func(context.Context) error { <-hold; return nil }))
		s := bulk.NewCompletionService[int](p)
		f, err := s.Submit(func(ctx context.Context) (int, error) {
			_, err := s.Take(ctx)
			return 0, err
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
	})
}
