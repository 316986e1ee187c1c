package calendars_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/wall/walltest"
	"github.com/punctual-go/punctual/timer/cron"
)

// oracle says, moment by moment, what a series on a calendar does whose wall clock is set. It is a
// loop over what happens next, without queue, worker or lock.
type oracle struct {
	calendar executor.Calendar
	interval bool
	policy   executor.CatchUpPolicy
	takes    time.Duration

	mono time.Duration // since the beginning
	wall time.Time
	last time.Time // what the waiting run follows
	slot time.Time // of the waiting run, or the one in progress

	running bool
	ends    time.Duration
	missed  int
	runs    []string
}

// pass lets time pass.
func (o *oracle) pass(d time.Duration) {
	until := o.mono + d
	for {
		var wait time.Duration
		switch {
		case o.running:
			wait = o.ends - o.mono
		default:
			wait = max(o.slot.Sub(o.wall), 0)
		}
		if o.mono+wait > until {
			o.advance(until - o.mono)
			return
		}
		o.advance(wait)
		if o.running {
			o.end()
		} else {
			o.begin()
		}
	}
}

func (o *oracle) advance(d time.Duration) { o.mono, o.wall = o.mono+d, o.wall.Add(d) }

func (o *oracle) begin() {
	for t := o.calendar.Next(o.slot); !t.After(o.wall); t = o.calendar.Next(t) {
		o.missed++
		if o.policy != executor.Burst {
			o.slot = t
		}
	}
	o.runs = append(o.runs, fmt.Sprint(o.wall.Format(time.DateTime), " for ", o.slot.Format(time.DateTime),
		" missed ", o.missed))
	o.missed, o.running, o.ends = 0, true, o.mono+o.takes
}

func (o *oracle) end() {
	o.running, o.last = false, o.slot
	o.slot = o.calendar.Next(o.base())
	for o.policy == executor.Skip && o.slot.Before(o.wall) {
		o.missed++
		o.slot = o.calendar.Next(o.slot)
	}
}

// base returns the time after which the next slot is.
func (o *oracle) base() time.Time {
	if back := o.last.Sub(o.wall); back > 3*time.Hour || back > 0 && o.interval {
		return o.wall
	}
	return o.last
}

// step sets the clock.
func (o *oracle) step(by time.Duration) {
	o.wall = o.wall.Add(by)
	if b := o.base(); !o.running && !b.Equal(o.last) {
		o.last, o.slot = b, o.calendar.Next(b)
	}
}

// watched is a series on a real pool that notes its runs as the oracle does.
func watched(r executor.Run, now time.Time) string {
	return fmt.Sprint(now.Format(time.DateTime), " for ", r.Scheduled.UTC().Format(time.DateTime),
		" missed ", r.Missed)
}

// TestWhateverTheClockDoesTheRunsAreThoseOfTheOracle sets the clock, and suspends the machine,
// which looks the same, at random moments: nothing is lost, nothing comes twice, and nothing is
// early by the clock of its moment.
func TestWhateverTheClockDoesTheRunsAreThoseOfTheOracle(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		line := rapid.SampledFrom([]string{"0 * * * *", "*/20 * * * *", "0 0-23 * * *", "30 1,2,9 * * *",
			"0 3 * * *", "15 */6 * * *"}).Draw(r, "line")
		s := cron.MustParse(line, cron.Zone(time.UTC))
		policy := rapid.SampledFrom([]executor.CatchUpPolicy{executor.Coalesce, executor.Skip,
			executor.Burst}).Draw(r, "policy")
		takes := time.Duration(rapid.SampledFrom([]int{0, 1, 7, 90, 300}).Draw(r, "takes")) * time.Minute
		takes += 7 // no end falls on a slot
		synctest.Test(t, func(t *testing.T) {
			wall := walltest.Use(t)
			pool := executor.NewScheduledPool(1, pooltest.Quiet())
			defer pool.Close()
			o := &oracle{calendar: s, interval: s.Interval(), policy: policy, takes: takes,
				wall: wall.Now(), last: wall.Now(), slot: s.Next(wall.Now())}
			var runs []string
			f, err := pool.On(s, func(ctx context.Context) error {
				run, _ := executor.RunFrom(ctx)
				runs = append(runs, watched(run, wall.Now()))
				time.Sleep(takes)
				return nil
			}, executor.CatchUp(policy))
			if err != nil {
				r.Fatal(err)
			}
			for range rapid.IntRange(1, 12).Draw(r, "events") {
				pass := time.Duration(rapid.Int64Range(0, int64(5*time.Hour)).Draw(r, "pass")) | 1
				time.Sleep(pass)
				synctest.Wait()
				o.pass(pass)
				most := rapid.SampledFrom([]time.Duration{time.Second, 5 * time.Minute, 2 * time.Hour,
					4 * time.Hour, 24 * time.Hour}).Draw(r, "scale")
				by := time.Duration(rapid.Int64Range(-int64(most), int64(most)).Draw(r, "step"))
				wall.Step(by)
				synctest.Wait()
				o.step(by)
				o.pass(0)
			}
			time.Sleep(30 * time.Hour)
			synctest.Wait()
			o.pass(30 * time.Hour)
			f.Cancel()
			if !assert.ObjectsAreEqual(o.runs, runs) {
				r.Fatalf("want %q\ngot %q", o.runs, runs)
			}
		})
	})
}
