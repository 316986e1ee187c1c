package sight

import (
	"context"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// Observers are the functions of all observers, event by event.
type Observers struct {
	Submitted run.Hooks[func(run.Info)]
	Rejected  run.Hooks[func(run.Info, error)]
	Began     run.Hooks[func(context.Context, run.Info) context.Context]
	Late      run.Hooks[func(context.Context, run.Info, insight.Lateness)]
	Missed    run.Hooks[func(run.Info)]
	Overran   run.Hooks[func(run.Info)]
	Expired   run.Hooks[func(run.Info)]
	Ended     run.Hooks[func(context.Context, run.Info, error)] // the last given comes first
	Cancelled run.Hooks[func(run.Info)]
	Dropped   run.Hooks[func(run.Info, error)]
	Paused    run.Hooks[func(run.Info)]
	Resumed   run.Hooks[func(run.Info)]
}

// tell calls observers of one kind.
func (s *Sight) tell(event string, info run.Info, hooks run.Hooks[func(run.Info)]) {
	hooks.Each(func(f func(run.Info)) { s.owner.Guard(event, info, func() { f(info) }) })
}

// tellError is tell with an error.
func (s *Sight) tellError(
	event string, info run.Info, err error, hooks run.Hooks[func(run.Info, error)],
) {
	hooks.Each(func(f func(run.Info, error)) {
		s.owner.Guard(event, info, func() { f(info, err) })
	})
}

// tellTask tells of something that has happened to a task, whether it runs or waits.
func (s *Sight) tellTask(n run.News, hooks run.Hooks[func(run.Info)]) {
	if s.recorder != nil {
		s.recorder.Told(n.What, n.Task, n.Task.HasStopped())
	}
	if hooks != nil {
		s.tell(n.What, s.owner.DescribeWaiting(n.Task, n.Plan), hooks)
	}
}

// tellDropped tells that a task has been dropped, with the error of its future. Last says whether
// nothing more will be told of the task.
func (s *Sight) tellDropped(c *cell.Cell, pl *run.Plan, err error, last bool) {
	if s.recorder != nil {
		s.recorder.Told(run.TaskDropped, c, last)
	}
	if hooks := s.config.Observers.Dropped; hooks != nil {
		s.tellError(run.TaskDropped, s.owner.DescribeWaiting(c, pl), err, hooks)
	}
}
