package litmus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/shardcount"
)

const (
	extraAfterRun  = "triggered in the run"
	extraAtOnce    = "triggered between two runs"
	voidInLastRun  = "triggered in the last run"
	triggerRefused = "triggered after the end"

	pausedInTime  = "paused before the run"
	pausedTooLate = "paused after the run has begun"
	ranPaused     = "a run of a paused series"

	movedInTime  = "moved before the run"
	movedTooLate = "not moved: the run has begun"
	ranTooEarly  = "a run before the time it was moved to"

	notAsTold = "other runs than told"
)

// controlPairs are commands against the runs of their task, which a worker takes at that moment.
//
//	trigger|run end  Trigger against the end of a run, which half the time is the last. Forbidden: no
//	                 extra run, or two; a run after the end of the series
//	pause|due        Pause against the time of a run. Forbidden: a run that begins after Pause; a
//	                 Trigger without a run during the pause
//	reset|take       Reset of a task that runs once. Forbidden: no run, or two; one before the time
//	                 that it was moved to
func controlPairs() []Pair {
	of := func(submit func(*controlRound, *executor.ScheduledPool) error,
		command func(*controlRound, *actor) string) func(*rand.Rand) fixture {
		return func(rng *rand.Rand) fixture {
			return &controlFixture{rng: rng, submit: submit, command: command}
		}
	}
	return []Pair{
		{
			Name: "trigger|run end",
			Outcomes: grades([]string{extraAfterRun, extraAtOnce, voidInLastRun, triggerRefused},
				[]string{notAsTold, anotherOutcome}),
			batch: 64, maxPause: 11, maxLead: 1,
			newFixture: of((*controlRound).beginNow, (*controlRound).trigger),
		},
		{
			Name: "pause|due",
			Outcomes: grades([]string{pausedInTime, pausedTooLate},
				[]string{ranPaused, notAsTold, anotherOutcome}),
			batch: 64, maxPause: 13, maxLead: 1,
			newFixture: of((*controlRound).beginSoon, (*controlRound).pause),
		},
		{
			Name: "reset|take",
			Outcomes: grades([]string{movedInTime, movedTooLate},
				[]string{ranTooEarly, notAsTold, anotherOutcome}),
			batch: 64, maxPause: 13, maxLead: 1,
			newFixture: of((*controlRound).beginOnce, (*controlRound).reset),
		},
	}
}

// controlFixture races commands with the workers of a pool: the first actor submits, and the second
// gives the command and waits for what comes of it.
type controlFixture struct {
	rng     *rand.Rand
	submit  func(*controlRound, *executor.ScheduledPool) error
	command func(*controlRound, *actor) string
	pool    *executor.ScheduledPool
	rounds  []controlRound
}

type controlRound struct {
	delay time.Duration
	last  bool // the first run is the last
	steps int  // how long a run takes

	idle      atomic.Uint32 // the runs' own
	begun     atomic.Int32
	ended     atomic.Int32
	notBefore atomic.Int64 // when a run may begin, since the origin
	early     atomic.Bool

	submitted atomic.Bool
	origin    time.Time
	future    *executor.ScheduledFuture[struct{}]
	err       error

	result string // of the second actor
}

func (fx *controlFixture) prepare(rounds int) {
	shardcount.Draw(fx.rng.IntN)
	fx.pool = executor.NewScheduledPool(1 + fx.rng.IntN(2))
	fx.rounds = make([]controlRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		r.delay, r.last = randomDelay(fx.rng, 14), fx.rng.IntN(2) == 0
		r.steps = fx.rng.IntN(1 << fx.rng.IntN(12))
		r.origin = time.Now()
	}
}

func (fx *controlFixture) acts() []act { return []act{fx.begin, fx.interfere} }

func (fx *controlFixture) begin(_ *actor, i int) {
	r := &fx.rounds[i]
	r.err = fx.submit(r, fx.pool)
	r.submitted.Store(true)
}

func (fx *controlFixture) interfere(a *actor, i int) {
	r := &fx.rounds[i]
	a.spinUntil(r.submitted.Load)
	if r.err != nil {
		return
	}
	r.result = fx.command(r, a)
	r.future.Cancel()
	<-r.future.Stopped()
}

func (r *controlRound) body(context.Context) error {
	if int64(time.Since(r.origin)) < r.notBefore.Load() {
		r.early.Store(true)
	}
	r.begun.Add(1)
	for range r.steps {
		r.idle.Load()
	}
	r.ended.Add(1)
	return nil
}

// beginNow submits a series, which has one planned run, now.
func (r *controlRound) beginNow(p *executor.ScheduledPool) (err error) {
	var opts []executor.TaskOption
	if r.last {
		opts = append(opts, executor.MaxRuns(1))
	}
	r.future, err = p.WithFixedDelay(0, time.Hour, r.body, opts...)
	return err
}

// beginSoon submits a series, which has one planned run, soon.
func (r *controlRound) beginSoon(p *executor.ScheduledPool) (err error) {
	r.future, err = p.AtFixedRate(r.delay, time.Hour, r.body)
	return err
}

// beginOnce submits a task that runs once, soon.
func (r *controlRound) beginOnce(p *executor.ScheduledPool) (err error) {
	r.future, err = p.Schedule(r.delay, r.body)
	return err
}

// trigger triggers the series about when its planned run ends.
func (r *controlRound) trigger(a *actor) string {
	a.spinUntil(func() bool { return r.begun.Load() > 0 })
	if a.oneIn(2) {
		a.spinUntil(func() bool { return r.ended.Load() > 0 })
	}
	a.pause()
	inRun := r.future.State() == future.Running
	told := r.future.Trigger()
	if r.last {
		<-r.future.Stopped()
		switch {
		case r.begun.Load() != 1:
			return notAsTold
		case told:
			return voidInLastRun
		}
		return triggerRefused
	}
	if !told {
		return notAsTold
	}
	a.spinUntil(func() bool { return r.ended.Load() >= 2 })
	if inRun {
		return extraAfterRun
	}
	return extraAtOnce
}

// pause pauses the series about when its run is due.
func (r *controlRound) pause(a *actor) string {
	a.pause()
	told := r.future.Pause()
	before := r.future.Runs()
	if !told || !r.future.Paused() {
		return notAsTold
	}
	a.spinUntil(func() bool {
		return time.Since(r.origin) > r.delay && r.ended.Load() >= int32(before)
	})
	if r.future.Runs() != before {
		return ranPaused
	}
	if a.oneIn(4) {
		r.future.Trigger()
		a.spinUntil(func() bool { return r.ended.Load() > int32(before) })
		if r.future.Runs() != before+1 {
			return notAsTold
		}
	}
	return []string{pausedInTime, pausedTooLate}[before]
}

// reset moves the task about when it is due.
func (r *controlRound) reset(a *actor) string {
	a.pause()
	d := randomDelay(a.rng, 16)
	from := time.Since(r.origin)
	told := r.future.Reset(d)
	if told {
		r.notBefore.Store(int64(from + d))
	}
	<-r.future.Stopped()
	switch {
	case r.begun.Load() != 1 || r.future.Runs() != 1:
		return notAsTold
	case r.early.Load():
		return ranTooEarly
	case told:
		return movedInTime
	}
	return movedTooLate
}

func (fx *controlFixture) outcome(i int) string {
	if r := &fx.rounds[i]; r.err == nil && over(r.future.Future) {
		return r.result
	}
	return anotherOutcome
}

func (fx *controlFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%d runs begun and %d ended, delay %v; %v; %v", r.begun.Load(), r.ended.Load(),
		r.delay, r.err, r.future)
}

// finish ends the pool and does its accounts.
func (fx *controlFixture) finish() error {
	fx.pool.Shutdown()
	<-fx.pool.Terminated()
	var b accounts
	var runs uint64
	for i := range fx.rounds {
		runs += uint64(fx.rounds[i].begun.Load())
	}
	s := fx.pool.Stats()
	b.expect("accepted", s.Accepted, uint64(len(fx.rounds)))
	b.expect("ended", s.Completed+s.Cancelled, s.Accepted)
	b.expect("returned", s.Returned, 0)
	b.expect("runs", s.Runs, runs)
	b.expect("left over", uint64(s.Workers+s.Queued+s.Busy), 0)
	return b.err("commands")
}
