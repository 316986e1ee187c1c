package timer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
	"github.com/punctual-go/punctual/timer"
)

// naive plans a series by taking one step at a time.
type naive struct {
	period int64 // positive for a fixed rate, negative for a fixed delay
	policy timer.CatchUpPolicy
	slot   int64
}

func (n *naive) start(now int64) {
	for n.period > 0 && n.policy != timer.Burst && n.slot+n.period <= now {
		n.slot += n.period
	}
}

func (n *naive) next(ended int64) int64 {
	if n.period < 0 {
		n.slot = ended - n.period
		return n.slot
	}
	n.slot += n.period
	for n.policy == timer.Skip && n.slot < ended {
		n.slot += n.period
	}
	return n.slot
}

var (
	policies = rapid.SampledFrom([]timer.CatchUpPolicy{timer.Burst, timer.Skip, timer.Coalesce})
	signs    = rapid.SampledFrom([]int64{1, -1})

	durations = rapid.Custom(func(t *rapid.T) time.Duration { return drawTicks(t, 0, 30, "lasting") })
)

// planned returns the arithmetic of a series.
func planned(period int64, policy timer.CatchUpPolicy) *series.Series {
	return &series.Series{Grid: series.Grid{Options: series.Options{CatchUp: series.CatchUp(policy)}, Period: period}}
}

func TestThePlanAgreesWithTakingOneStepAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Int64Range(0, 20).Draw(t, "first")
		period := signs.Draw(t, "sign") * rapid.Int64Range(1, 7).Draw(t, "period")
		n := naive{period: period, policy: policies.Draw(t, "policy"), slot: first}
		p := planned(period, n.policy)
		due := p.First(first)
		now := int64(0)
		for range 30 {
			now = max(now, due) + rapid.Int64Range(0, 20).Draw(t, "late")
			n.start(now)
			if got := p.Start(due, now); got != n.slot {
				t.Fatalf("at %d the run is for %d, want %d", now, got, n.slot)
			}
			now += rapid.Int64Range(0, 30).Draw(t, "lasting")
			due = n.next(now)
			if got := p.Next(now); got != due {
				t.Fatalf("after a run that ended at %d the next is at %d, want %d", now, got, due)
			}
		}
	})
}

// Near the end of the clock there is no time to step; what must hold can be told all the same.
func TestThePlanNeverWrapsNorLeavesTheGrid(t *testing.T) {
	times := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, clock.Never),
		rapid.Int64Range(clock.Never-100, clock.Never))
	rapid.Check(t, func(t *rapid.T) {
		first := times.Draw(t, "first")
		period := max(times.Draw(t, "period"), 1)
		policy := policies.Draw(t, "policy")
		p := planned(period, policy)
		slot, now := p.First(first), int64(0)
		for range 10 {
			now = max(now, times.Draw(t, "start"))
			if slot > now {
				now = slot // never early
			}
			counts := p.Start(slot, now)
			if counts < slot || counts > now || (counts-first)%period != 0 && counts != clock.Never {
				t.Fatalf("a run for %d at %d counts for %d", slot, now, counts)
			}
			now = max(now, times.Draw(t, "end"))
			next := p.Next(now)
			onGrid := next == clock.Never || (next-first)%period == 0
			if next < counts || next == counts && next != clock.Never || !onGrid {
				t.Fatalf("after %d comes %d", counts, next)
			}
			if policy == timer.Skip && (next < now || next-period >= now && next-period > counts) {
				t.Fatalf("a run for %d that ended at %d is followed by one at %d", counts, now, next)
			}
			slot = next
		}
	})
}

// The whole of it, in a bubble: a series on a facility with a grain, whose runs last.
func TestSeriesAgreesWithTakingOneStepAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			period, first := drawTicks(t, 1, 7, "period"), drawTicks(t, -3, 20, "first")
			n := naive{signs.Draw(t, "sign") * int64(period), policies.Draw(t, "policy"), int64(max(first, 0))}
			lasting := rapid.SliceOfN(durations, 1, 20).Draw(t, "runs")
			tick := drawTicks(t, 1, 5, "tick")

			r := newTimes(lasting...)
			on := &coarse{tick: tick, start: r.start}
			s, err := beginSeries(on, first, n, r.run)
			if err != nil {
				t.Fatal(err)
			}
			var want []time.Duration
			due, now := n.slot, int64(0)
			for _, last := range lasting {
				now = roundUp(max(now, due), int64(tick))
				want = append(want, time.Duration(now))
				n.start(now)
				now += int64(last)
				due = n.next(now)
			}
			for s.Runs() < uint64(len(lasting)) {
				time.Sleep(ms)
			}
			s.Stop()
			<-s.Done()
			synctest.Wait()
			for i := range want {
				if r.at[i] != want[i] {
					t.Fatalf("runs began at %v, want %v", r.at, want)
				}
			}
		})
	})
}

func roundUp(t, tick int64) int64 { return (t + tick - 1) / tick * tick }

// beginSeries begins one with a period whose sign tells its kind.
func beginSeries(on timer.Scheduler, first time.Duration, n naive, f func()) (*timer.Series, error) {
	if n.period < 0 {
		return timer.WithFixedDelay(on, first, time.Duration(-n.period), f)
	}
	return timer.AtFixedRate(on, first, time.Duration(n.period), f, timer.CatchUp(n.policy))
}
