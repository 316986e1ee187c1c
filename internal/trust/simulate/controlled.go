package simulate

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// controlled is a task that is given commands.
type controlled struct {
	id       int
	kind     submitMethodOfSeries
	initial  time.Duration
	period   time.Duration
	takes    []time.Duration // of bodies, in turn
	fails    []bool
	own      []*command // of the first bodies; nil for none
	attempts int
	options  []executor.TaskOption

	future *executor.ScheduledFuture[struct{}]
	turn   chan struct{} // full while somebody gives a command

	// The lock guards these.
	bodies      int
	inBody      bool
	number      uint64
	attempt     uint64
	triggers    int // told true
	extras      int
	paused      bool
	pausedAt    time.Duration
	notBefore   time.Duration
	cancelled   bool
	cancelledAt time.Duration
}

type submitMethodOfSeries int

const (
	onceOnly submitMethodOfSeries = iota
	atRate
	ticking
	withDelay
)

// command is one to a task.
type command struct {
	does int
	d    time.Duration
}

const (
	doPause = iota
	doResume
	doTrigger
	doReset
	doSetPeriod
	doNextIn
	doWithdraw
	doCancel
	commandsInAll
)

func (t *controlled) String() string {
	return fmt.Sprintf("%d (kind %d, period %v, paused %t, cancelled %t)", t.id, t.kind, t.period,
		t.paused, t.cancelled)
}

func (s *controlSim) drawCommand() *command {
	c := &command{s.rng.IntN(commandsInAll), s.steps(12)}
	switch {
	case c.does >= doWithdraw && !s.oneIn(6):
		c.does = doResume
	case c.does == doSetPeriod:
		c.d = max(c.d, grid)
	}
	return c
}

// draw makes a task; all that is random about it is decided here.
func (s *controlSim) draw() *controlled {
	t := &controlled{id: len(s.tasks), kind: submitMethodOfSeries(s.rng.IntN(4)), initial: s.steps(12),
		period: grid * time.Duration(1+s.rng.IntN(12)), turn: make(chan struct{}, 1)}
	for range 1 + s.rng.IntN(8) {
		t.takes = append(t.takes, s.steps(6))
		t.fails = append(t.fails, s.oneIn(3))
		var c *command
		if s.oneIn(4) {
			c = s.drawCommand()
		}
		t.own = append(t.own, c)
	}
	if s.oneIn(3) {
		t.attempts = 1 + s.rng.IntN(3)
		t.options = append(t.options, executor.Retry(t.attempts, retry.Backoff{Base: s.steps(4),
			Spread: retry.Spread(s.rng.IntN(4))}))
	}
	if s.oneIn(3) {
		t.options = append(t.options, executor.MaxRuns(1+s.rng.IntN(12)))
	}
	if s.oneIn(4) {
		t.options = append(t.options, executor.PauseAfter(1+s.rng.IntN(3)))
	}
	if s.oneIn(4) {
		t.options = append(t.options, executor.SlowDown(1.5, time.Second))
	}
	return t
}

func (s *controlSim) submit(t *controlled) {
	body := func(ctx context.Context) error { return t.run(s, ctx) }
	if t.kind != ticking || s.oneIn(2) {
		t.options = append(t.options, executor.CatchUp(executor.CatchUpPolicy(s.rng.IntN(4))))
	}
	t.turn <- struct{}{} // the body may come before the future is known
	defer func() { <-t.turn }()
	var err error
	switch t.kind {
	case atRate:
		t.future, err = s.on.AtFixedRate(t.initial, t.period, body, t.options...)
	case ticking:
		t.future, err = s.on.Every(t.period, body, t.options...)
	case withDelay:
		t.future, err = s.on.WithFixedDelay(t.initial, t.period, body, t.options...)
	default:
		t.notBefore = s.now() + t.initial
		t.future, err = s.on.Schedule(t.initial, body, t.options...)
	}
	if err != nil {
		s.fault(&s.report.Lost, "task %v is refused: %v", t, err)
		return
	}
	s.tasks = append(s.tasks, t)
}

// run is the body.
func (t *controlled) run(s *controlSim, ctx context.Context) error {
	r, _ := executor.RunFrom(ctx)
	s.mu.Lock()
	s.report.Runs++
	t.beginLocked(s, r)
	n, own := t.bodies%len(t.takes), (*command)(nil)
	if t.bodies < len(t.own) { // but not for ever: NextIn(0) takes no time
		own = t.own[n]
	}
	t.bodies++
	s.mu.Unlock()
	time.Sleep(t.takes[n] / 2)
	if own != nil {
		t.obey(s, ctx, own)
	}
	time.Sleep(t.takes[n] / 2)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advanceLocked()
	s.running--
	t.inBody = false
	if t.fails[n] {
		return errBoom
	}
	return nil
}

// beginLocked checks that a body may begin; the lock is held.
func (t *controlled) beginLocked(s *controlSim, r executor.Run) {
	now := s.advanceLocked()
	s.running++
	first := r.Attempt <= 1
	if r.Triggered && first {
		t.extras++
	}
	switch {
	case t.inBody, s.over:
		s.faultLocked(&s.report.Duplicate, "task %v overlaps, or comes after the end", t)
	case t.cancelled && t.cancelledAt < s.quietUntil:
		s.faultLocked(&s.report.Duplicate, "task %v begins though it was cancelled at %v", t,
			t.cancelledAt)
	case t.paused && t.pausedAt < s.quietUntil && first && !r.Triggered:
		s.faultLocked(&s.report.Duplicate, "task %v begins though it was paused at %v", t,
			t.pausedAt)
	case t.extras > t.triggers:
		s.faultLocked(&s.report.Duplicate, "task %v has %d extra runs for %d commands", t, t.extras,
			t.triggers)
	case first && (r.Number != t.number+1 || t.kind == onceOnly && t.bodies > 0),
		!first && (r.Number != t.number || r.Attempt != t.attempt+1),
		t.attempts > 0 && r.Attempt > uint64(t.attempts):
		s.faultLocked(&s.report.Lost, "task %v: run %d, attempt %d after run %d, attempt %d", t,
			r.Number, r.Attempt, t.number, t.attempt)
	case first && now < t.notBefore || now < r.Scheduled.Sub(s.start):
		s.faultLocked(&s.report.Early, "task %v, planned for %v, not before %v, begins", t,
			r.Scheduled.Sub(s.start), t.notBefore)
	}
	t.inBody, t.number, t.attempt = true, r.Number, r.Attempt
}

// audit checks the end of the task.
func (t *controlled) audit(s *controlSim) {
	_, settled := t.future.Poll()
	select {
	case <-t.future.Stopped():
	default:
		settled = false
	}
	if !settled || t.inBody {
		s.fault(&s.report.Lost, "task %v has no end", t)
	}
}
