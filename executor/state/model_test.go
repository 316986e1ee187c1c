package state_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/state"
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// plan is a series that goes on after its last run.
type plan struct {
	calendar executor.Calendar // nil for a rate
	period   time.Duration
	policy   executor.CatchUpPolicy
	last     time.Time
	window   time.Duration
	from     time.Time // or zero
	until    time.Time // or zero
	loop     bool
}

// expected is a run by the definition.
type expected struct {
	slot, began time.Time
	missed      uint64
}

// slots returns what was due after the last run and before the end, by the definition.
func (p *plan) slots(end time.Time) (slots []time.Time) {
	t := p.last
	if p.calendar != nil && t.Before(p.from) {
		t = p.from.Add(-1) // a calendar is asked about nothing before
	}
	next := func() {
		if p.calendar != nil {
			t = p.calendar.Next(t)
		} else {
			t = t.Add(p.period)
		}
	}
	if next(); p.calendar == nil && t.Before(p.from) {
		t = p.from
	}
	for ; !t.IsZero() && t.Before(end) && (p.until.IsZero() || t.Before(p.until)); next() {
		if !t.Before(p.from) {
			slots = append(slots, t)
		}
	}
	return slots
}

// runs returns what the definition says of the runs up to the end, of bodies that take no time.
func (p *plan) runs(now, end time.Time) (runs []expected) {
	var due []time.Time
	older := uint64(0)
	ahead := p.slots(end)
	for len(ahead) > 0 && ahead[0].Before(now) {
		if p.policy == executor.Skip || ahead[0].Before(now.Add(-p.window)) {
			older++
		} else {
			due = append(due, ahead[0])
		}
		ahead = ahead[1:]
	}
	// A slot that falls on the present has passed for a run that is late, and makes up for it.
	if len(due) > 0 && len(ahead) > 0 && ahead[0].Equal(now) {
		due, ahead = append(due, ahead[0]), ahead[1:]
	}
	switch {
	case len(due) == 0:
	case p.policy == executor.Burst:
		for i, slot := range due {
			runs = append(runs, expected{slot, now, uint64(len(due) - 1 - i)})
		}
	case p.policy == executor.Coalesce:
		runs = append(runs, expected{due[len(due)-1], now, uint64(len(due) - 1)})
	case p.policy == executor.Shift:
		// Less than a period late, or after the end of the series, it is for its own slot.
		if over := !p.until.IsZero() && !now.Before(p.until); over || len(due) == 1 {
			runs = append(runs, expected{due[0], now, uint64(len(due) - 1)})
			break
		}
		runs = append(runs, expected{now, now, uint64(len(due) - 1)})
		ahead = nil
		for t := now.Add(p.period); t.Before(end) && (p.until.IsZero() || t.Before(p.until)); t = t.Add(p.period) {
			ahead = append(ahead, t)
		}
	}
	for _, slot := range ahead {
		runs = append(runs, expected{slot, slot, 0})
	}
	if len(runs) > 0 {
		runs[0].missed += older
	}
	return runs
}

var berlin = mustZone("Europe/Berlin")

func mustZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func drawPlan(t *rapid.T, now time.Time) *plan {
	p := &plan{
		policy: rapid.SampledFrom([]executor.CatchUpPolicy{executor.Burst, executor.Coalesce,
			executor.Skip, executor.Shift}).Draw(t, "policy"),
		period: time.Duration(rapid.IntRange(1, 7200).Draw(t, "period")) * time.Second,
		loop:   rapid.Bool().Draw(t, "loop"),
	}
	calendars := []executor.Calendar{
		nil, cron.MustParse("*/7 * * * *"), cron.MustParse("30 2 * * *", cron.Zone(berlin)),
		calendar.Daily(calendar.At(2, 30)).In(berlin), cron.MustParse("@every 90m"),
	}
	p.calendar = rapid.SampledFrom(calendars).Draw(t, "calendar")
	if p.calendar != nil && p.policy == executor.Shift {
		p.policy = executor.Burst
	}
	down := time.Duration(rapid.IntRange(0, 400).Draw(t, "down")) * p.period / 10
	if p.calendar != nil {
		down = time.Duration(rapid.IntRange(0, 5000).Draw(t, "down in minutes")) * time.Minute
	}
	p.last = now.Add(-down)
	p.window = time.Duration(rapid.IntRange(0, 12).Draw(t, "window in tenths")) * down / 10
	if rapid.IntRange(0, 3).Draw(t, "has From") == 0 {
		p.from = p.last.Add(time.Duration(rapid.IntRange(-3, 12).Draw(t, "from")) * down / 10)
	}
	if rapid.IntRange(0, 3).Draw(t, "has Until") == 0 {
		p.until = p.last.Add(time.Duration(rapid.IntRange(1, 20).Draw(t, "until"))*down/10 + 1)
	}
	return p
}

func (p *plan) options() []executor.TaskOption {
	opts := []executor.TaskOption{executor.Name("job"), executor.CatchUp(p.policy),
		state.Since(p.last, p.window)}
	if !p.from.IsZero() {
		opts = append(opts, executor.From(p.from))
	}
	if !p.until.IsZero() {
		opts = append(opts, executor.Until(p.until))
	}
	return opts
}

// submitter is a pool or a loop.
type submitter interface {
	executor.ScheduledSubmitter
	On(executor.Calendar, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	Close() error
}

// live lets the series run until the end, and returns its runs.
func (p *plan) live(t require.TestingT, end time.Time) (runs []expected, err error) {
	var s submitter = executor.NewScheduledPool(1, executor.Name("jobs"))
	if p.loop {
		s = eventloop.New(executor.Name("jobs"))
	}
	task := func(ctx context.Context) error {
		r, ok := executor.RunFrom(ctx)
		require.True(t, ok)
		runs = append(runs, expected{r.Scheduled, r.Started, r.Missed})
		return nil
	}
	if p.calendar != nil {
		_, err = s.On(p.calendar, task, p.options()...)
	} else {
		_, err = s.AtFixedRate(time.Hour, p.period, task, p.options()...)
	}
	time.Sleep(time.Until(end))
	synctest.Wait()
	require.NoError(t, s.Close())
	return runs, err
}

// What runs is what was due, by the definition, for all kinds, policies, windows, bounds and times
// that the process was down.
func TestWhatWasDueIsCaughtUpWith(t *testing.T) {
	var caughtUp, refused int
	rapid.Check(t, func(rt *rapid.T) {
		now := startOfBubbles.Add(time.Duration(rapid.IntRange(0, 400*24*60).Draw(rt, "minute")) * time.Minute)
		p := drawPlan(rt, now)
		end := now.Add(3*p.period + time.Hour + 1)
		want := p.runs(now, end)
		var got []expected
		var err error
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(now))
			got, err = p.live(t, end)
		})
		if err != nil { // no run comes before Until
			refused++
			require.ErrorIs(rt, err, executor.ErrInvalid)
			require.False(rt, p.until.IsZero())
		}
		require.Equal(rt, printed(want), printed(got), "now %v, err %v: %+v", now, err, *p)
		if len(want) > 0 && want[0].slot.Before(now) {
			caughtUp++
		}
	})
	assert.NotZero(t, caughtUp)
	assert.NotZero(t, refused)
}

// startOfBubbles is the time with which each bubble begins.
var startOfBubbles = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// printed returns runs as text, a line each.
func printed(runs []expected) (lines []string) {
	for _, r := range runs {
		lines = append(lines, fmt.Sprintf("%s began %s missed %d", r.slot.UTC().Format(time.RFC3339Nano),
			r.began.UTC().Format(time.RFC3339Nano), r.missed))
	}
	return lines
}
