package cell

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
)

var (
	errBoom    = errors.New("boom")
	errOther   = errors.New("other")
	errLate    = errors.New("late")
	errDropped = errors.New("dropped")
)

// recorder is a host that counts what it is told.
type recorder struct {
	cancelled, expired []*Cell
}

func (r *recorder) Cancelled(c *Cell, _ bool) (tell func()) {
	r.cancelled = append(r.cancelled, c)
	return nil
}

func (r *recorder) Expired(c *Cell) { r.expired = append(r.expired, c) }

func (r *recorder) Subject(*Cell) string                                    { return "" }
func (r *recorder) Behind(_, _ *Cell) bool                                  { return false }
func (r *recorder) SelfWait(*Cell) bool                                     { return false }
func (r *recorder) Await(context.Context, *Cell) (over func())              { return nil }
func (r *recorder) AwaitAny(context.Context, iter.Seq[*Cell]) (over func()) { return nil }

func hosted() (*Cell, *recorder) {
	r := &recorder{}
	return &Cell{Plan: &Plan{Host: r, Late: errLate, Dropped: errDropped}}, r
}

// running returns a cell with a body in progress and its context.
func running(t *testing.T) (*Cell, context.Context) {
	c := &Cell{}
	return c, enter(t, c)
}

// enter begins a run of c.
func enter(t *testing.T, c *Cell) context.Context {
	t.Helper()
	require.True(t, c.Begin())
	return c.Enter(nil)
}

// again ends a run of c so that another may follow.
func again(t *testing.T, c *Cell) {
	t.Helper()
	c.Exit()
	require.True(t, c.Reset())
}

// requireStands checks all that the state word tells, by the channels too.
func requireStands(t *testing.T, c *Cell, phase Phase, inBody bool) {
	t.Helper()
	require.Equal(t, phase, c.Phase())
	require.Equal(t, inBody, c.InBody())
	require.Equal(t, phase.Settled(), probe.IsClosed(c.Done()))
	require.Equal(t, phase.Settled() && !inBody, probe.IsClosed(c.Stopped()))
}

func TestZeroCellIsPending(t *testing.T) {
	var c Cell
	requireStands(t, &c, Pending, false)
	assert.False(t, c.Live())
	assert.False(t, c.Full())
	assert.NoError(t, c.Err())
}

func TestSettledPhasesAreTheLastThree(t *testing.T) {
	for phase, settled := range map[Phase]bool{
		Pending: false, Running: false, Succeeded: true, Failed: true, Cancelled: true,
	} {
		assert.Equal(t, settled, phase.Settled())
	}
}

func TestBeginMakesAPendingCellRunning(t *testing.T) {
	c, _ := running(t)
	requireStands(t, c, Running, true)
	assert.True(t, c.Live())
	assert.False(t, c.Begin(), "a running cell must not begin")
	requireStands(t, c, Running, true)
}

func TestResetMakesARunningCellPending(t *testing.T) {
	c, _ := running(t)
	c.Exit()
	assert.True(t, c.Reset())
	requireStands(t, c, Pending, false)
	assert.False(t, c.Reset(), "a pending cell has no run to end")
	assert.True(t, c.Begin())
}

func TestFinishSettlesARunningCell(t *testing.T) {
	for phase, err := range map[Phase]error{Succeeded: nil, Failed: errBoom} {
		c, _ := running(t)
		c.Exit()
		assert.True(t, c.Finish(err))
		requireStands(t, c, phase, false)
		assert.Equal(t, err, c.Err())
		assert.True(t, c.Full())
	}
}

func TestFinishWakesThoseWhoWaited(t *testing.T) {
	for _, err := range []error{nil, errBoom} {
		c, _ := running(t)
		done, stopped := c.Done(), c.Stopped()
		c.Exit()
		c.Finish(err)
		assert.True(t, probe.IsClosed(done))
		assert.True(t, probe.IsClosed(stopped))
		assert.True(t, done == c.Done())
	}
}

func TestCancelSettlesAPendingCell(t *testing.T) {
	c := &Cell{}
	done, stopped := c.Done(), c.Stopped()
	assert.True(t, c.Cancel(errBoom, errOther, true))
	requireStands(t, c, Cancelled, false)
	assert.Equal(t, errBoom, c.Err())
	assert.True(t, probe.IsClosed(done))
	assert.True(t, probe.IsClosed(stopped))
	assert.False(t, c.Begin())
}

func TestPlainCancelHasNoError(t *testing.T) {
	c := &Cell{}
	assert.True(t, c.Cancel(nil, errOther, true))
	assert.NoError(t, c.Err())
	assert.False(t, c.Full())
}

func TestCancelOfARunningCellLetsTheBodyGoOn(t *testing.T) {
	c, ctx := running(t)
	stopped := c.Stopped()
	assert.True(t, c.Cancel(errBoom, errOther, true))
	requireStands(t, c, Cancelled, true)
	assert.Equal(t, errOther, context.Cause(ctx))

	c.Exit()
	assert.False(t, c.Reset())
	requireStands(t, c, Cancelled, true)
	assert.False(t, c.Finish(nil))
	requireStands(t, c, Cancelled, false)
	assert.True(t, probe.IsClosed(stopped))
	assert.Equal(t, errBoom, c.Err())
	assert.False(t, c.Full(), "the outcome of the body is dropped")
}

func TestCancelWithoutInterruptLeavesTheContext(t *testing.T) {
	c, ctx := running(t)
	assert.True(t, c.Cancel(nil, errOther, false))
	assert.NoError(t, ctx.Err())
	assert.False(t, c.Cancel(nil, errBoom, false))
	assert.NoError(t, ctx.Err())
	assert.False(t, c.Cancel(nil, errBoom, true), "settled before")
	assert.Equal(t, errBoom, context.Cause(ctx))
}

func TestFailSettlesAPendingCell(t *testing.T) {
	c := &Cell{}
	assert.True(t, c.Fail(errBoom))
	requireStands(t, c, Failed, false)
	assert.Equal(t, errBoom, c.Err())
	assert.False(t, c.Begin())
}

func TestFailOfARunningCellLetsTheBodyGoOnAndFinishIsLate(t *testing.T) {
	for _, late := range []error{nil, errOther} {
		c, _ := running(t)
		stopped := c.Stopped()
		assert.True(t, c.Fail(errBoom))
		requireStands(t, c, Failed, true)
		assert.False(t, c.Begin())

		c.Exit()
		assert.False(t, c.Reset())
		assert.False(t, c.Finish(late))
		requireStands(t, c, Failed, false)
		assert.True(t, probe.IsClosed(stopped))
		assert.Equal(t, errBoom, c.Err())
		assert.False(t, c.Full(), "the value of the body may be half written")
	}
}

func TestFailedCellMayStillBeInterrupted(t *testing.T) {
	c, ctx := running(t)
	require.True(t, c.Fail(errBoom))
	assert.NoError(t, ctx.Err())
	assert.False(t, c.Cancel(nil, errOther, true))
	assert.Equal(t, errOther, context.Cause(ctx))
	assert.Equal(t, Failed, c.Phase())
}

// dropped drops c, and wakes those who wait.
func dropped(c *Cell) bool {
	defer c.Wake()
	return c.DropQuietly()
}

func TestDropCancelsForTheReasonInThePlan(t *testing.T) {
	c, host := hosted()
	assert.True(t, dropped(c))
	requireStands(t, c, Cancelled, false)
	assert.Equal(t, errDropped, c.Err())
	assert.Empty(t, host.cancelled, "the host knows")
	assert.False(t, dropped(c))
	assert.False(t, c.Begin())
}

func TestDropOfARunningCellLetsTheBodyGoOnUndisturbed(t *testing.T) {
	c, _ := hosted()
	ctx := enter(t, c)
	assert.True(t, dropped(c))
	requireStands(t, c, Cancelled, true)
	assert.NoError(t, ctx.Err())
	c.Exit()
	assert.False(t, c.Finish(errBoom))
	requireStands(t, c, Cancelled, false)
	assert.Equal(t, errDropped, c.Err())
}

func TestDropOfASettledCellKeepsItsOutcome(t *testing.T) {
	c, _ := hosted()
	require.True(t, c.Cancel(errBoom, nil, true))
	assert.False(t, dropped(c))
	assert.Equal(t, errBoom, c.Err())
}

func TestHostIsToldOfACancellationOnce(t *testing.T) {
	c, host := hosted()
	assert.True(t, c.Cancel(nil, nil, true))
	assert.False(t, c.Cancel(nil, nil, true))
	assert.False(t, c.Cancel(nil, nil, false))
	assert.Equal(t, []*Cell{c}, host.cancelled)
}

func TestHostIsNotToldOfACancellationThatCameTooLate(t *testing.T) {
	c, host := hosted()
	enter(t, c)
	c.Exit()
	require.True(t, c.Finish(nil))
	assert.False(t, c.Cancel(nil, nil, true))
	assert.Empty(t, host.cancelled)
}

func TestSettledCellStaysAsItIs(t *testing.T) {
	settle := map[string]func(*Cell){
		"success":      func(c *Cell) { c.Begin(); c.Exit(); c.Finish(nil) },
		"failure":      func(c *Cell) { c.Begin(); c.Exit(); c.Finish(errBoom) },
		"timeout":      func(c *Cell) { c.Fail(errBoom) },
		"cancellation": func(c *Cell) { c.Cancel(errBoom, nil, true) },
		"plain":        func(c *Cell) { c.Cancel(nil, nil, true) },
		"drop":         func(c *Cell) { dropped(c) },
	}
	for name, by := range settle {
		t.Run(name, func(t *testing.T) {
			c, _ := hosted()
			by(c)
			state, err := c.state.Load(), c.Err()
			assert.False(t, c.Begin())
			assert.False(t, c.Reset())
			assert.False(t, c.Fail(errOther))
			assert.False(t, c.Cancel(errOther, errOther, true))
			assert.False(t, dropped(c))
			assert.Equal(t, state, c.state.Load())
			assert.Equal(t, err, c.Err())
			requireStands(t, c, c.Phase(), false)
		})
	}
}

func TestPlaceIsOneMoreThanTheIndex(t *testing.T) {
	c := &Cell{Order: 42}
	c.SetIndex(0)
	assert.EqualValues(t, 1, c.Place)
	c.SetIndex(-1)
	assert.Zero(t, c.Place, "out of the queue")
	assert.EqualValues(t, 42, c.Seq())
}

func TestExtensionIsMadeOnFirstNeedOnly(t *testing.T) {
	c, _ := hosted()
	ctx := enter(t, c)
	_, _ = ctx.Deadline()
	_ = ctx.Value("key")
	_ = ctx.Err()
	again(t, c)
	enter(t, &Cell{})
	assert.Nil(t, c.ext.Load())

	c = &Cell{}
	c.Enter(context.Background())
	assert.Nil(t, c.ext.Load())
	c.Cancel(nil, nil, true)
	assert.Nil(t, c.ext.Load())
	assert.True(t, probe.IsClosed(c.Done()))
	assert.NotNil(t, c.ext.Load())
}

func TestInterruptBeforeEnterReachesTheBody(t *testing.T) {
	for name, ask := range map[string]func(context.Context) error{
		"Err":   func(ctx context.Context) error { _ = ctx.Err(); return context.Cause(ctx) },
		"Done":  func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) },
		"Cause": context.Cause,
	} {
		t.Run(name, func(t *testing.T) {
			c := &Cell{}
			require.True(t, c.Begin())
			require.True(t, c.Cancel(nil, errBoom, true))
			assert.Equal(t, errBoom, ask(c.Enter(nil)))
		})
	}
}

func TestInterruptBeforeEnterReachesALaterRunToo(t *testing.T) {
	for name, look := range map[string]bool{"fresh shadow": true, "reused shadow": false} {
		t.Run(name, func(t *testing.T) {
			c := &Cell{}
			_ = enter(t, c).Done() // from here on runs have shadows
			again(t, c)
			if ctx := enter(t, c); look {
				_ = ctx.Done()
			}
			again(t, c)

			require.True(t, c.Begin())
			require.True(t, c.Cancel(nil, errBoom, true))
			ctx := c.Enter(nil)
			assert.True(t, probe.IsClosed(ctx.Done()))
			assert.Equal(t, errBoom, context.Cause(ctx))
		})
	}
}

func TestFirstCauseOfAnInterruptStays(t *testing.T) {
	for name, look := range map[string]bool{"asked before": true, "asked after": false} {
		t.Run(name, func(t *testing.T) {
			c, ctx := running(t)
			if look {
				_ = ctx.Done()
			}
			c.Interrupt(errBoom)
			c.Interrupt(errOther)
			assert.Equal(t, errBoom, context.Cause(ctx))
		})
	}
}

// round is one race: both functions are called at once, then check.
type round struct{ one, other, check func() }

// racing runs races in two goroutines, which keep to the same pace while both have a processor:
// they wait for each other, but not for long, so that a busy machine only makes the races less
// close. Now one and now the other is held up a little, so that every moment of one meets the
// other.
func racing(rounds int, prepare func() round) {
	const batch, patience, delay = 100, 300, 3
	for n := range rounds / batch {
		var races [batch]round
		for i := range races {
			races[i] = prepare()
		}
		var at [2]atomic.Int64
		side := func(me int, run func(round)) {
			for i := range int64(batch) {
				at[me].Store(i + 1)
				for spins := 0; at[1-me].Load() <= i && spins < patience; spins++ {
				}
				for range (n + me) % 2 * int(i) * delay {
					at[me].Load()
				}
				run(races[i])
			}
		}
		var helper sync.WaitGroup
		helper.Go(func() { side(1, func(r round) { r.other() }) })
		for spins := 0; at[1].Load() == 0 && spins < patience; spins++ {
			runtime.Gosched() // the helper is about to start
		}
		side(0, func(r round) { r.one() })
		helper.Wait()
		for _, r := range races {
			r.check()
		}
	}
}

func TestInterruptRacingWithEnterAlwaysReachesTheBody(t *testing.T) {
	for name, runs := range map[string]int{"first run": 0, "run with a fresh shadow": 1, "run with a reused shadow": 2} {
		t.Run(name, func(t *testing.T) {
			missed := 0
			racing(5_000, func() round {
				c := &Cell{}
				for i := range runs {
					if ctx := enter(t, c); i == 0 {
						_ = ctx.Done()
					}
					again(t, c)
				}
				require.True(t, c.Begin())
				var ctx context.Context
				return round{
					func() { ctx = c.Enter(nil); _ = ctx.Err() },
					func() { c.Cancel(nil, errBoom, true) },
					func() {
						if !probe.IsClosed(ctx.Done()) || context.Cause(ctx) != errBoom {
							missed++
						}
					},
				}
			})
			assert.Zero(t, missed)
		})
	}
}

func TestExitRacingWithTheFirstQuestionEndsTheContext(t *testing.T) {
	alive := 0
	racing(10_000, func() round {
		c, ctx := running(t)
		return round{
			func() { c.Exit() },
			func() { _ = ctx.Done() },
			func() {
				if ctx.Err() == nil || !probe.IsClosed(ctx.Done()) {
					alive++
				}
			},
		}
	})
	assert.Zero(t, alive)
}

func TestConcurrentFirstQuestionsMakeOneContext(t *testing.T) {
	different := 0
	racing(5_000, func() round {
		_, ctx := running(t)
		var a, b <-chan struct{}
		return round{
			func() { a = ctx.Done() },
			func() { b = ctx.Done() },
			func() {
				if a != b || probe.IsClosed(a) {
					different++
				}
			},
		}
	})
	assert.Zero(t, different)
}

func TestRunReusesTheCellUntilAContextHasBeenAsked(t *testing.T) {
	c := &Cell{}
	for range 3 {
		assert.Same(t, c, FromContext(enter(t, c)))
		again(t, c)
	}
	_ = enter(t, c).Err()
	again(t, c)
	carrier := FromContext(enter(t, c))
	assert.NotSame(t, c, carrier)
	assert.Same(t, c, carrier.Main())
	assert.Same(t, c, c.Main())
}

func TestShadowIsReusedUntilItHasBeenAsked(t *testing.T) {
	c := &Cell{}
	_ = enter(t, c).Done()
	again(t, c)
	first := enter(t, c)
	again(t, c)
	second := enter(t, c)
	assert.Same(t, FromContext(first), FromContext(second))
	assert.NoError(t, second.Err())
	again(t, c)
	assert.Error(t, second.Err())
	third := enter(t, c)
	assert.NotSame(t, FromContext(second), FromContext(third))
	assert.NoError(t, third.Err())
	assert.Error(t, second.Err(), "a run that is over was revived")
}

func TestOnlyTheRunInProgressIsLive(t *testing.T) {
	c := &Cell{}
	var runs []*Cell
	for range 4 {
		ctx := enter(t, c)
		_ = ctx.Err()
		carrier := FromContext(ctx)
		assert.True(t, carrier.Live())
		for _, r := range runs {
			assert.False(t, r.Live(), "an earlier run")
		}
		runs = append(runs, carrier)
		again(t, c)
		assert.False(t, carrier.Live())
	}
}

// Once the context of a run has been asked, later runs must not show through it: neither may the
// answer change back, nor may anything be left registered in the parent.
func TestContextAskedByErrAloneIsOverWithItsRun(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, plan := range map[string]*Plan{"no plan": nil, "plan": {Base: parent}} {
		t.Run(name, func(t *testing.T) {
			c := &Cell{Plan: plan}
			first := enter(t, c)
			require.NoError(t, first.Err())
			again(t, c)
			second := enter(t, c)
			assert.Equal(t, context.Canceled, first.Err(), "during the next run")
			assert.NoError(t, second.Err())
			again(t, c)
			assert.Equal(t, context.Canceled, first.Err(), "after the next run")
		})
	}
}

func TestContextAskedBetweenBeginAndEnterIsNotThatOfTheRun(t *testing.T) {
	c := &Cell{}
	kept := enter(t, c)
	again(t, c)
	require.True(t, c.Begin())
	_ = kept.Done()
	ctx := c.Enter(nil)
	assert.Equal(t, context.Canceled, kept.Err())
	assert.NoError(t, ctx.Err())
}

func TestContextAskedInItsRunIsOverBetweenBeginAndEnter(t *testing.T) {
	c := &Cell{}
	kept := enter(t, c)
	require.NoError(t, kept.Err())
	again(t, c)
	require.True(t, c.Begin())
	assert.Equal(t, context.Canceled, kept.Err())
}

// A context kept from an earlier run may be asked for the first time while the next run begins.
// What it answers is not promised, but the runs that follow must have a context of their own.
func TestLateQuestionDoesNotEndTheRunsThatFollow(t *testing.T) {
	for name, runs := range map[string]int{"cell": 0, "shadow": 1} {
		t.Run(name, func(t *testing.T) {
			ended := 0
			racing(20_000, func() round {
				c := &Cell{}
				for range runs {
					_ = enter(t, c).Done()
					again(t, c)
				}
				kept := enter(t, c)
				again(t, c)
				require.True(t, c.Begin())
				return round{
					func() { c.Enter(nil) },
					func() { _ = kept.Done() },
					func() {
						again(t, c)
						if enter(t, c).Err() != nil {
							ended++
						}
					},
				}
			})
			assert.Zero(t, ended, "runs whose context ended for no reason")
		})
	}
}

type key struct{}

func valued(v int) context.Context { return context.WithValue(context.Background(), key{}, v) }

// Whatever asks or ends the context of a run while that begins, the context derives from the parent
// of this run: not from that of an earlier one, and not from none.
func TestContextDerivesFromItsParentWhateverRacesWithEnter(t *testing.T) {
	others := map[string]func(c *Cell, kept context.Context){
		"a cancellation":  func(c *Cell, _ context.Context) { c.Cancel(nil, errBoom, true) },
		"a late question": func(_ *Cell, kept context.Context) { _ = kept.Done() },
	}
	for name, other := range others {
		for on, runs := range map[string]int{"cell": 0, "shadow": 1} {
			t.Run(name+"/"+on, func(t *testing.T) {
				orphans := 0
				racing(20_000, func() round {
					c := &Cell{}
					for range runs {
						_ = enter(t, c).Done()
						again(t, c)
					}
					require.True(t, c.Begin())
					kept := c.Enter(valued(1))
					again(t, c)
					require.True(t, c.Begin())
					var ctx context.Context
					return round{
						func() { ctx = c.Enter(valued(2)) },
						func() { other(c, kept) },
						func() {
							if ctx.Value(key{}) != 2 {
								orphans++
							}
						},
					}
				})
				assert.Zero(t, orphans, "runs with another parent than their own")
			})
		}
	}
}

func TestContextOfAPlanAnswersForItsBaseUntilDisturbed(t *testing.T) {
	base, cancel := context.WithCancelCause(context.WithValue(context.Background(), key{}, 7))
	c := &Cell{Plan: &Plan{Base: base}}
	ctx := enter(t, c)
	assert.Equal(t, 7, ctx.Value(key{}))
	assert.NoError(t, ctx.Err())
	cancel(errBoom)
	assert.Equal(t, context.Canceled, ctx.Err())
	assert.Equal(t, errBoom, context.Cause(ctx))
	assert.Nil(t, c.ext.Load(), "nothing was made for that")
	assert.True(t, probe.IsClosed(ctx.Done()))
	assert.Equal(t, errBoom, context.Cause(ctx))
}

func TestRunWithinItsTimeoutIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, host := hosted()
		c.Plan.Timeout = time.Second
		ctx := enter(t, c)
		deadline, ok := ctx.Deadline()
		assert.True(t, ok)
		assert.Equal(t, time.Now().Add(time.Second), deadline)
		time.Sleep(time.Second - 1)
		assert.NoError(t, ctx.Err())
		assert.False(t, c.Exit())
		assert.Equal(t, context.Canceled, context.Cause(ctx))
		require.True(t, c.Finish(nil))
		time.Sleep(time.Hour)
		assert.Empty(t, host.expired, "the timeout outlived the run")
	})
}

func TestRunThatOutlivesItsTimeoutIsLateAndTheHostIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, host := hosted()
		c.Plan.Timeout = time.Second
		for n := range 3 { // the first run on the cell itself, the others on shadows
			start := time.Now()
			ctx := enter(t, c)
			<-ctx.Done()
			assert.Equal(t, time.Second, time.Since(start))
			synctest.Wait()
			assert.Equal(t, context.DeadlineExceeded, ctx.Err())
			assert.Equal(t, errLate, context.Cause(ctx))
			require.Len(t, host.expired, n+1)
			assert.Same(t, c, host.expired[n], "the host knows no shadows")
			assert.True(t, c.Exit())
			require.True(t, c.Reset())
		}
	})
}

func TestInterruptedRunIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, host := hosted()
		c.Plan.Timeout = time.Second
		ctx := enter(t, c)
		c.Cancel(nil, errBoom, true)
		assert.Equal(t, errBoom, context.Cause(ctx))
		time.Sleep(time.Hour)
		assert.False(t, c.Exit())
		assert.Empty(t, host.expired)
	})
}

func TestWatchersAreCalledOnceInOrderOfRegistration(t *testing.T) {
	c := &Cell{}
	var called []int
	for n := range 5 {
		c.Watch(func() { called = append(called, n) })
	}
	enter(t, c)
	again(t, c)
	assert.Empty(t, called)
	c.Cancel(nil, nil, true)
	c.Cancel(nil, nil, true)
	assert.Equal(t, []int{0, 1, 2, 3, 4}, called)
}

func TestWatcherOfASettledCellIsCalledAtOnce(t *testing.T) {
	c := &Cell{}
	c.Fail(errBoom)
	called := 0
	w := c.Watch(func() { called++ })
	assert.Equal(t, 1, called)
	c.Unwatch(w)
	assert.Equal(t, Watchers{}, c.ext.Load().watchers)
}

func TestUnwatchedIsNotCalledWhereverItStood(t *testing.T) {
	for gone := range 3 {
		c := &Cell{}
		var called []int
		var ws []*Watcher
		for n := range 3 {
			ws = append(ws, c.Watch(func() { called = append(called, n) }))
		}
		c.Unwatch(ws[gone])
		c.Unwatch(ws[gone])
		c.Cancel(nil, nil, true)
		assert.Len(t, called, 2)
		assert.NotContains(t, called, gone)
	}
}

func TestWatchersKeepTheirOrderWhoeverLeaves(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		c := &Cell{}
		var called, want []int
		watching := map[int]*Watcher{}
		for n := range 8 {
			watching[n] = c.Watch(func() { called = append(called, n) })
			want = append(want, n)
			for len(want) > 0 && random.IntN(2) == 0 {
				i := random.IntN(len(want))
				c.Unwatch(watching[want[i]])
				want = slices.Delete(want, i, i+1)
			}
		}
		c.Cancel(nil, nil, true)
		require.True(t, slices.Equal(want, called), "called %v, want %v", called, want)
	}
}

func TestUnwatchOfTheLastLeavesNothing(t *testing.T) {
	c := &Cell{}
	for range 3 {
		c.Unwatch(c.Watch(func() {}))
	}
	assert.Equal(t, Watchers{}, c.ext.Load().watchers)
}

// In a bubble a call under the lock would be told as a deadlock.
func TestWatchersAreCalledWithoutTheLockOnASettledCell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Cell{}
		called := 0
		c.Watch(func() {
			assert.Equal(t, errBoom, c.Err())
			assert.True(t, probe.IsClosed(c.Done()))
			c.Watch(func() { called++ })
			called++
		})
		c.Fail(errBoom)
		assert.Equal(t, 2, called)
	})
}

func TestC8_WatchRacingWithTheEndIsCalledOnce(t *testing.T) {
	wrong := 0
	racing(5_000, func() round {
		c := &Cell{}
		var called atomic.Int64
		return round{
			func() { c.Watch(func() { called.Add(1) }) },
			func() { c.Cancel(nil, nil, true) },
			func() {
				if called.Load() != 1 {
					wrong++
				}
			},
		}
	})
	assert.Zero(t, wrong)
}

func TestDoneRacingWithTheEndCloses(t *testing.T) {
	open := 0
	racing(5_000, func() round {
		c, _ := running(t)
		c.Exit()
		var done, stopped <-chan struct{}
		return round{
			func() { done, stopped = c.Done(), c.Stopped() },
			func() { c.Finish(errBoom) },
			func() {
				if !probe.IsClosed(done) || !probe.IsClosed(stopped) {
					open++
				}
			},
		}
	})
	assert.Zero(t, open)
}

func TestFailRacingWithFinishHasOneErrorForEverybody(t *testing.T) {
	wrong := 0
	racing(5_000, func() round {
		c, _ := running(t)
		c.Exit()
		var byFail, byFinish bool
		return round{
			func() { byFail = c.Fail(errBoom) },
			func() { byFinish = c.Finish(errOther) },
			func() {
				want := errBoom
				if byFinish {
					want = errOther
				}
				if byFail == byFinish || c.Err() != want || c.Full() != byFinish || c.InBody() {
					wrong++
				}
			},
		}
	})
	assert.Zero(t, wrong)
}

func TestErrorIsThereAsSoonAsThePhaseIs(t *testing.T) {
	for name, fail := range map[string]func(*Cell){
		"Finish": func(c *Cell) { c.Finish(errBoom) },
		"Fail":   func(c *Cell) { c.Fail(errBoom) },
		"Cancel": func(c *Cell) { c.Cancel(errBoom, nil, false) },
	} {
		t.Run(name, func(t *testing.T) {
			missing := 0
			racing(20_000, func() round {
				c, _ := running(t)
				c.Exit()
				var got error
				return round{
					func() { fail(c) },
					func() {
						for n := 1; !c.Phase().Settled(); n++ {
							if n%1_000 == 0 {
								runtime.Gosched()
							}
						}
						got = c.Err()
					},
					func() {
						if got != errBoom {
							missing++
						}
					},
				}
			})
			assert.Zero(t, missing)
		})
	}
}

func TestResetRacingWithCancelLosesOrLeavesAPendingCellToIt(t *testing.T) {
	wrong := 0
	racing(5_000, func() round {
		c, _ := running(t)
		c.Exit()
		var cancelled bool
		return round{
			func() {
				if !c.Reset() {
					c.Finish(nil)
				}
			},
			func() { cancelled = c.Cancel(nil, nil, true) },
			func() {
				if !cancelled || c.Phase() != Cancelled || c.InBody() || !probe.IsClosed(c.Stopped()) {
					wrong++
				}
			},
		}
	})
	assert.Zero(t, wrong)
}

func TestWaitEndsForTheFirstOfEndAndContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Cell{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, context.DeadlineExceeded, c.Wait(ctx))
		time.AfterFunc(time.Second, func() { c.Fail(errBoom) })
		start := time.Now()
		assert.NoError(t, c.Wait(t.Context()))
		assert.Equal(t, time.Second, time.Since(start))
		assert.NoError(t, c.Wait(ctx), "a settled cell wins")
		assert.NoError(t, c.Wait(nil))
	})
}

// settling is a context that has ended, and that settles a cell in the very moment it is asked.
type settling struct {
	context.Context
	c *Cell
}

func (s settling) Done() <-chan struct{} {
	s.c.Fail(errBoom)
	return s.Context.Done()
}

func TestWaitPrefersTheEndToTheContextThatEndsWithIt(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 { // of two channels that are ready, a select picks any
		c := &Cell{}
		require.NoError(t, c.Wait(settling{over, c}))
	}
}

// odd is the error of a context of a foreign kind; its type cannot be compared.
type odd []string

func (odd) Error() string { return "odd" }

type foreign struct{ context.Context }

func (foreign) Err() error { return odd{} }

func TestWaitTakesAContextWhoseErrorCannotBeCompared(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	var err error
	require.NotPanics(t, func() { err = (&Cell{}).Wait(foreign{plain{over}}) })
	var o odd
	assert.ErrorAs(t, err, &o)
}

// plain hides the values of a context, by which package context knows its own.
type plain struct{ context.Context }

func (plain) Value(any) any { return nil }

func TestStripTellsOnceThatTheBodyIsNeededNoMore(t *testing.T) {
	ends := map[string]func(*Cell){
		"success":      func(c *Cell) { c.Begin(); c.Exit(); c.Finish(nil) },
		"failure":      func(c *Cell) { c.Begin(); c.Exit(); c.Finish(errBoom) },
		"cancellation": func(c *Cell) { c.Cancel(nil, nil, true) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			c := &Cell{}
			assert.False(t, c.Strip(), "pending")
			end(c)
			phase := c.Phase()
			assert.True(t, c.Strip())
			assert.False(t, c.Strip())
			requireStands(t, c, phase, false)
		})
	}
}

func TestStripWaitsForTheBodyOfACancelledCell(t *testing.T) {
	c, _ := running(t)
	assert.False(t, c.Strip(), "running")
	c.Cancel(nil, nil, true)
	assert.False(t, c.Strip(), "cancelled, with a body in progress")
	c.Exit()
	c.Finish(nil)
	assert.True(t, c.Strip())
}

func TestStripIsNotMissedForAQuestionMeanwhile(t *testing.T) {
	missed := 0
	racing(10_000, func() round {
		c, ctx := running(t)
		c.Exit()
		c.Finish(nil)
		return round{
			func() {
				if !c.Strip() {
					missed++
				}
			},
			func() { _ = ctx.Done() },
			func() {},
		}
	})
	assert.Zero(t, missed)
}

func TestWaitInTheOwnRunIsRefusedWhileItLives(t *testing.T) {
	c := &Cell{}
	for range 3 { // on the cell, then on shadows
		ctx := enter(t, c)
		assert.Equal(t, ErrSelfWait, c.Wait(ctx))
		_ = ctx.Done()
		assert.Equal(t, ErrSelfWait, c.Wait(ctx))
		c.Exit()
		assert.Equal(t, context.Canceled, c.Wait(ctx))
		require.True(t, c.Reset())
	}
}
