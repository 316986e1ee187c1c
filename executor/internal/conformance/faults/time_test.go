package faults_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file are about clocks that jump, stand still, or are set.

// flSetTheClock has the wall clock of this process differ by so many seconds from what it was when
// p was made. A test cannot set the clock, so it moves the wall reading of the time that p counts
// from: below the top bit of the first word of a time are the seconds of the wall, above thirty
// bits of nanoseconds.
func flSetTheClock(t *testing.T, p *executor.ScheduledPool, ahead time.Duration) {
	field := reflect.ValueOf(p).Elem().FieldByName("clock").FieldByName("epoch")
	epoch := (*time.Time)(field.Addr().UnsafePointer())
	before := *epoch
	*(*uint64)(unsafe.Pointer(epoch)) -= uint64(int64(ahead/time.Second)) << 30
	require.Equal(t, ahead, before.Round(0).Sub(epoch.Round(0)), "by the wall clock")
	require.Zero(t, before.Sub(*epoch), "by the monotonic one")
}

// On the real clock, as the times of a bubble have no monotonic reading.
func TestF1_WhoSetsTheWallClockMovesNoTask(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, ahead := range []time.Duration{time.Hour, -time.Hour, 50 * year, -50 * year} {
		t.Run(ahead.String(), func(t *testing.T) {
			p := pooltest.NewScheduledPool(t, 1)
			defer p.Close()
			flSetTheClock(t, p, ahead)
			far, err := p.Schedule(time.Hour, pooltest.Nothing)
			require.NoError(t, err)
			begin := time.Now()
			var after time.Duration
			near, err := p.Schedule(5*time.Millisecond, func(context.Context) error {
				after = time.Since(begin)
				return nil
			})
			require.NoError(t, err)
			_, err = near.Get(t.Context())
			require.NoError(t, err)
			assert.GreaterOrEqual(t, after, 5*time.Millisecond)
			assert.Greater(t, far.Delay(), time.Duration(0))
			assert.LessOrEqual(t, far.Delay(), time.Hour)
			assert.True(t, far.Cancel(), "it has not run")
		})
	}
}

// flStall returns when a series of the given period starts, that the first run holds up for so long
// and half a period, up to two periods after that.
func flStall(t *testing.T, policy executor.CatchUpPolicy, period, stall time.Duration) (starts []time.Duration, missed []uint64) {
	p := pooltest.NewScheduledPool(t, 1)
	start := time.Now()
	f := pooltest.AtFixedRate(t, p, 0, period, func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		starts, missed = append(starts, time.Since(start)), append(missed, run.Missed)
		if run.Number == 1 {
			time.Sleep(stall + period/2)
		}
		return nil
	}, executor.CatchUp(policy))
	probe.Elapse(stall + 2*period)
	f.Stop()
	return starts, missed
}

func TestF2_AfterAStallComeAsManyRunsAsThePolicySaysAndThePhaseIsKept(t *testing.T) {
	for _, c := range []struct{ stall, period time.Duration }{
		{time.Second, 10 * time.Millisecond}, {time.Hour, time.Second}, {10 * time.Hour, time.Minute},
	} {
		n := int(c.stall / c.period)
		end := c.stall + c.period/2
		grid := []time.Duration{c.stall + c.period, c.stall + 2*c.period}
		for policy, row := range map[executor.CatchUpPolicy]struct {
			late   int    // runs as soon as it is over
			missed uint64 // as the next run is told
		}{
			executor.Burst:    {n, uint64(n - 1)},
			executor.Coalesce: {1, uint64(n - 1)},
			executor.Skip:     {0, uint64(n)},
		} {
			t.Run(fmt.Sprintf("%v, policy %d", c.stall, policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					starts, missed := flStall(t, policy, c.period, c.stall)
					want := append([]time.Duration{0}, slices.Repeat([]time.Duration{end}, row.late)...)
					assert.Equal(t, append(want, grid...), starts)
					assert.Equal(t, row.missed, missed[1])
				})
			})
		}
	}
}

// The worker on watch is told days too late, as it is when a virtual machine goes on from a
// snapshot.
func TestF4_AClockThatJumpsAheadByDaysCausesNoStorm(t *testing.T) {
	const jump, period, tasks = 3*24*time.Hour + time.Second, time.Minute, 50
	for policy, late := range map[executor.CatchUpPolicy]uint64{
		executor.Burst: 3*24*60 + 1, executor.Coalesce: 1, executor.Skip: 1, // which counts for the latest period
	} {
		t.Run(fmt.Sprintf("policy %d", policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				var all []*executor.ScheduledFuture[struct{}]
				for range tasks {
					all = append(all, pooltest.AtFixedRate(t, p, period, period, pooltest.Nothing, executor.CatchUp(policy)))
				}
				once := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
				synctest.Wait()
				jumped := false
				unset := delay.Set(func(at delay.Point) {
					if at == delay.LeaderWoken && !jumped {
						jumped = true
						time.Sleep(jump)
					}
				})
				defer unset()
				probe.Elapse(period + jump)
				for _, f := range all {
					require.Equal(t, late, f.Runs())
					require.Equal(t, period-time.Second, f.Delay(), "and it is on its grid again")
				}
				assert.True(t, once.State().Settled())
				probe.Elapse(period)
				for _, f := range all {
					require.Equal(t, late+1, f.Runs())
				}
			})
		})
	}
}

// If taking one cost more the more there are, this would take minutes.
func TestF5_AQuarterOfAMillionTasksThatAreDueAtOneInstantRunInOrder(t *testing.T) {
	tasks := 250_000
	if testing.Short() || probe.RaceEnabled {
		tasks /= 5
	}
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		before := probe.HeapInUse()
		start := time.Now()
		next, wrong := 0, 0
		for i := range tasks {
			_, err := p.Schedule(time.Hour, func(context.Context) error {
				if next != i || time.Since(start) != time.Hour {
					wrong++
				}
				next++
				return nil
			})
			require.NoError(t, err)
		}
		probe.Elapse(time.Hour)
		assert.Equal(t, tasks, next)
		assert.Zero(t, wrong, "out of order, or late")
		assert.Less(t, int(probe.HeapInUse())-int(before), tasks, "less than a byte of each is kept")
		runtime.KeepAlive(p)
	})
}

func TestF6_OneRunADayForAHundredYearsIsExact(t *testing.T) {
	const day, days = 24 * time.Hour, 36_525
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		var wrong []time.Duration
		f := pooltest.AtFixedRate(t, p, day, day, func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			now := time.Since(start)
			if now != time.Duration(run.Number)*day || run.Missed != 0 || !run.Scheduled.Equal(run.Started) {
				wrong = append(wrong, now)
			}
			return nil
		}, executor.MaxRuns(days))
		_, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, days*day, time.Since(start))
		assert.EqualValues(t, days, f.Runs())
		assert.Empty(t, wrong)
	})
}

// In a bubble the clock stands still while anything runs, and shows one time again and again.
func TestF7_AClockThatRepeatsItselfMakesNothingEarlyAndNobodySpin(t *testing.T) {
	const tasks = 1000
	for _, step := range []time.Duration{1, time.Microsecond, 15_625 * time.Microsecond} {
		t.Run(step.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				start := time.Now()
				var order []int
				early := 0
				for i := range tasks { // three of each time
					due := time.Duration(i/3) * step
					pooltest.Schedule(t, p, due, func(context.Context) error {
						if time.Since(start) < due {
							early++
						}
						order = append(order, i)
						return nil
					})
				}
				probe.Elapse(tasks * step)
				assert.Zero(t, early)
				require.Len(t, order, tasks)
				assert.True(t, slices.IsSorted(order), "those of one reading in the order of submission")
				assert.LessOrEqual(t, p.Stats().Wakeups, uint64(tasks/3+2), "one for each time, and for the first task")
			})
		})
	}
}

// flHoldUp holds up whoever comes by the point first, for so long.
func flHoldUp(t *testing.T, at delay.Point, d time.Duration) {
	held := false // those who pass the point hold no lock, but there is one worker only
	t.Cleanup(delay.Set(func(p delay.Point) {
		if p == at && !held {
			held = true
			time.Sleep(d)
		}
	}))
}

func TestF8_ATaskThatBecomesDueWhileTheWorkerPreparesToWaitRunsAtOnce(t *testing.T) {
	for name, at := range map[string]delay.Point{"on its way into the wait": delay.LeaderLeft, "on its way out": delay.LeaderWoken} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				flHoldUp(t, at, time.Minute)
				p := pooltest.NewScheduledPool(t, 1)
				tr := pooltest.NewTrace()
				pooltest.Schedule(t, p, time.Second, tr.Task("due"))
				pooltest.Schedule(t, p, 2*time.Second, tr.Task("next"))
				pooltest.Schedule(t, p, time.Hour, tr.Task("far"))
				probe.Elapse(time.Hour)
				held := time.Minute
				if at == delay.LeaderWoken {
					held += time.Second
				}
				assert.Equal(t, []string{fmt.Sprint("due ", held), fmt.Sprint("next ", held), "far 1h0m0s"}, tr.Seen())
			})
		})
	}
}

func TestF8_AnEarlierTaskThatComesWhileTheWorkerPreparesToWaitRunsAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		flHoldUp(t, delay.LeaderLeft, time.Minute)
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Hour, tr.Task("far"))
		time.Sleep(time.Second)
		pooltest.Schedule(t, p, 10*time.Minute, tr.Task("earlier"))
		pooltest.Schedule(t, p, time.Second, tr.Task("overdue by then"))
		probe.Elapse(time.Hour)
		assert.Equal(t, []string{"overdue by then 1m0s", "earlier 10m1s", "far 1h0m0s"}, tr.Seen())
	})
}
