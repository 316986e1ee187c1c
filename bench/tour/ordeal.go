package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer"
)

const ordealTitle = `Two tasks share one goroutine: a heartbeat, every 50ms, and an export, every 200ms, whose third run
panics. The Timer is java.util.Timer's design, the pool a ScheduledPool of one worker:

`

// The ordeal of a facility is to have a heartbeat, and beside it a task that fails.
const (
	beatEvery   = 50 * time.Millisecond
	exportEvery = 200 * time.Millisecond
	fatalExport = 3
	ordealTime  = 1500 * time.Millisecond
)

// ordeal is what became of it.
type ordeal struct {
	Systems []system `json:"systems"`
	Steps   []step   `json:"steps"`
}

// victim is one task on one facility, and what it has done.
type victim struct {
	name string
	journal
}

func newVictim(name string, period time.Duration, start time.Time) *victim {
	sc := scenario{period: period, length: ordealTime}
	return &victim{name, journal{scenario: sc, start: start}}
}

// beat is one run.
func (v *victim) beat(ctx context.Context, planned time.Time) { v.run(ctx, planned, 0) }

// export is one run of the task that fails.
func (v *victim) export(ctx context.Context, planned time.Time) {
	v.run(ctx, planned, 0)
	if v.count() == fatalExport {
		panic("disk full")
	}
}

// undergo has a Timer and a pool of one worker stand the ordeal side by side.
func undergo(ctx context.Context) (*ordeal, error) {
	start := time.Now()
	t := timer.New("tour")
	defer t.Cancel()
	pool := executor.NewScheduledPool(1, executor.Name("tour"), executor.Logger(slog.New(slog.DiscardHandler)))
	defer pool.Close()
	onTimer := [2]*victim{newVictim("Timer: heartbeat", beatEvery, start), newVictim("Timer: export", exportEvery, start)}
	onPool := [2]*victim{newVictim("pool: heartbeat", beatEvery, start), newVictim("pool: export", exportEvery, start)}
	if err := burdenTimer(ctx, t, onTimer); err != nil {
		return nil, err
	}
	export, err := burdenPool(ctx, pool, onPool)
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, onTimer[0].window()); err != nil {
		return nil, err
	}
	o := &ordeal{Steps: []step{
		heartOfTimer(onTimer[0]), deadTimer(t), heartOfPool(onPool[0]), failedExport(export),
	}}
	for _, v := range append(onTimer[:], onPool[:]...) {
		o.Systems = append(o.Systems, system{Name: v.name, Planned: v.periods(), Actual: v.count(), Runs: v.inWindow()})
	}
	return o, nil
}

func burdenTimer(ctx context.Context, t *timer.Timer, vs [2]*victim) error {
	var beat, export *timer.Task
	beat = timer.NewTask(func() { vs[0].beat(ctx, beat.ScheduledTime()) })
	export = timer.NewTask(func() { vs[1].export(ctx, export.ScheduledTime()) })
	return errors.Join(
		t.AtFixedRate(beat, beatEvery, beatEvery),
		t.AtFixedRate(export, exportEvery, exportEvery),
	)
}

func burdenPool(ctx context.Context, pool *executor.ScheduledPool, vs [2]*victim) (*executor.ScheduledFuture[struct{}], error) {
	task := func(do func(context.Context, time.Time)) executor.Task {
		return func(run context.Context) error {
			r, _ := executor.RunFrom(run)
			do(ctx, r.Scheduled)
			return nil
		}
	}
	if _, err := pool.AtFixedRate(beatEvery, beatEvery, task(vs[0].beat)); err != nil {
		return nil, err
	}
	return pool.AtFixedRate(exportEvery, exportEvery, task(vs[1].export))
}

func heartOfTimer(v *victim) step {
	n, all := v.count(), v.periods()
	return step{Call: "timer.Timer", Outcome: fmt.Sprintf("%d of %d heartbeats", n, all),
		About: "the export has killed it, and what it held", AsPromised: n > 0 && n < all/2+1}
}

func deadTimer(t *timer.Timer) step {
	err := t.Schedule(timer.NewTask(func() {}), time.Hour)
	p, ok := errors.AsType[*timer.PanicError](err)
	s := step{Call: "Schedule", Outcome: fmt.Sprint(err), About: "a later call says what it died of"}
	if ok {
		s.Outcome = fmt.Sprintf("stopped by PanicError: %q", p.Value)
	}
	s.AsPromised = ok && errors.Is(err, timer.ErrClosed)
	return s
}

func heartOfPool(v *victim) step {
	n, all := v.count(), v.periods()
	return step{Call: "ScheduledPool", Outcome: fmt.Sprintf("%d of %d heartbeats", n, all),
		About: "the pool has lost the export, and nothing else", AsPromised: n >= all-1}
}

func failedExport(f *executor.ScheduledFuture[struct{}]) step {
	result, settled := f.Poll()
	p, ok := errors.AsType[*future.PanicError](result.Err)
	s := step{Call: "Poll", Outcome: fmt.Sprint(result.Err), About: "the failure is in the future of the export"}
	if ok {
		s.Outcome = fmt.Sprintf("PanicError: %q in run %d", p.Value, f.Runs())
	}
	s.AsPromised = settled && ok && f.Runs() == fatalExport
	return s
}

// text draws the ordeal.
func (o *ordeal) text(width int) string {
	text := drawTimeline(scenario{period: beatEvery, length: ordealTime}, o.Systems, width) + "\n"
	for _, s := range o.Steps {
		text += s.line()
	}
	return text + "\n"
}
