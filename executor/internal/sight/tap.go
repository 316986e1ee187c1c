package sight

import (
	"context"
	"runtime/trace"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/text"
)

// Admitted is that of [run.Tap].
func (s *Sight) Admitted(c *cell.Cell, pl *run.Plan, in time.Duration, first run.Info) {
	if s.recorder != nil {
		s.recorder.Submitted(c, pl, in)
	}
	s.tell("submitted", first, s.config.Observers.Submitted)
	s.expected.register(c, pl)
}

// BeginsLocked is that of [run.Tap].
func (s *Sight) BeginsLocked(x *run.Execution) {
	if s.insight != nil {
		s.beginsLocked(x)
	}
}

// Began is that of [run.Tap].
func (s *Sight) Began(x *run.Execution) {
	// Each is deferred behind the one before, which may end the goroutine.
	if w := waitOf(x); w != nil && w.late {
		defer s.tellLate(x, w)
		if trace.IsEnabled() {
			late := s.lateness(x, w)
			x.Remark = text.Short(late.Total) + ": " + late.String()
		}
	}
	if !s.owner.Observed {
		return
	}
	info := x.Info()
	if s.recorder != nil {
		s.recorder.Began(x.Task, info, x.Due)
	}
	if info.Missed > 0 {
		defer s.tell("missed", info, s.config.Observers.Missed)
	}
	s.config.Observers.Began.Each(func(f func(context.Context, run.Info) context.Context) {
		s.owner.Guard("began", info, func() {
			if ctx := f(x.Ctx, info); ctx != nil {
				x.Ctx = ctx
			}
		})
	})
}

// Ended is that of [run.Tap].
func (s *Sight) Ended(x *run.Execution) {
	if w := waitOf(x); w != nil && w.late && x.Expired() {
		defer s.tellLate(x, w) // also if an observer ends the goroutine
	}
	if !s.owner.Observed {
		return
	}
	if x.Done && x.Plan.HandedBack() {
		s.tellDropped(x.Task, x.Plan, x.Task.Err(), false)
	}
	s.recordEnd(x)
	switch {
	case x.Expired():
		s.tell("expired", x.Info(), s.config.Observers.Expired)
	case x.Began():
		info := x.Info()
		// Deferred, as another observer may end the goroutine.
		defer s.config.Observers.Ended.Each(func(f func(context.Context, run.Info, error)) {
			s.owner.Guard("ended", info, func() { f(x.Ctx, info, x.Err) })
		})
		if x.Overdue() {
			s.tell(run.TaskOverran, info, s.config.Observers.Overran)
		}
	}
}

// EndsLocked is that of [run.Tap].
func (s *Sight) EndsLocked(x *run.Execution) {
	if s.insight != nil {
		s.endsLocked(x)
	}
	if e := seenOf(x.Plan).expects; e != nil {
		s.expected.note(x, e)
	}
	if x.Err == nil && x.Began() {
		s.expected.forgiveLocked(x.Plan.Name)
	}
}

// Told is that of [run.Tap].
func (s *Sight) Told(n run.News) {
	switch obs := &s.config.Observers; n.What {
	case run.TaskRejected:
		s.expected.takeBack(n.Plan)
		if s.recorder != nil {
			s.recorder.Told(n.What, n.Task, true)
		}
		s.tellError(n.What, n.Run, n.Err, obs.Rejected)
	case run.TaskCancelled:
		s.tellTask(n, obs.Cancelled)
	case run.TaskDropped:
		s.tellDropped(n.Task, n.Plan, n.Err, n.Task.HasStopped())
	case run.TaskPaused:
		s.tellTask(n, obs.Paused)
	case run.TaskResumed:
		s.expected.resume(n.Plan)
		s.tellTask(n, obs.Resumed)
	case run.TaskOverran:
		s.tell(n.What, n.Run, obs.Overran)
	case run.TaskOver:
		s.tellTask(n, nil)
	case run.TaskFailed:
		s.expected.bury(n.Task, n.Plan)
	}
}
