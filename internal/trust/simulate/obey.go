package simulate

import (
	"context"

	"github.com/punctual-go/punctual/executor"
)

// obey gives a command to the task. One follows another, so that it is clear which was the last;
// but workers do not wait for their turn.
func (t *controlled) obey(s *controlSim, ctx context.Context, c *command) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	s.mu.Lock()
	s.advanceLocked()
	bodies, settled := t.bodies, t.cancelled || s.over
	switch c.does {
	case doTrigger: // it may begin before the answer is known
		t.triggers++
	case doResume: // so may a run
		t.paused = false
	}
	if c.does == doReset {
		t.notBefore = 0
	}
	s.mu.Unlock()
	from := s.now()
	told := t.give(ctx, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.advanceLocked()
	if told && settled && c.does != doSetPeriod {
		s.faultLocked(&s.report.Lost, "task %v obeys command %d after its end", t, c.does)
	}
	switch {
	case !told:
	case c.does == doPause:
		t.paused, t.pausedAt = true, now
	case c.does == doReset && t.kind == onceOnly && t.bodies == 0:
		t.notBefore = from + c.d
	case c.does == doWithdraw && (bodies > 0 || t.bodies > 0):
		s.faultLocked(&s.report.Duplicate, "task %v is withdrawn after it has begun", t)
	}
	if told && c.does >= doWithdraw {
		t.cancelled, t.cancelledAt = true, now
	}
}

func (t *controlled) give(ctx context.Context, c *command) bool {
	switch c.does {
	case doPause:
		return t.future.Pause()
	case doResume:
		return t.future.Resume()
	case doTrigger:
		return t.future.Trigger()
	case doReset:
		return t.future.Reset(c.d)
	case doSetPeriod:
		return t.future.SetPeriod(c.d) == nil
	case doNextIn:
		return executor.NextIn(ctx, c.d)
	case doWithdraw:
		return t.future.Withdraw()
	}
	return t.future.Cancel()
}
