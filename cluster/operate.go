package cluster

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// SeriesByName makes a handle of a series by the names of its task and of itself, as [AttachSeries]
// does, for a process that does not have the code of the task. It does not ask whether there is such
// a series. Of one with a calendar all commands are accepted here, too: a run that is under way has
// the next times with it. Once it has taken longer than these, five at the most, they are ErrInvalid
// in a process that has not declared the series.
func (p *Pool) SeriesByName(task, series string) (*Series[any], error) {
	if err := checkNames(task, series); err != nil {
		return nil, err
	}
	return &Series[any]{pool: p, task: &definition{name: task}, name: series,
		at: seriesPlace(task, series)}, nil
}

// TaskDetail is a task, with its payload or its outcome.
type TaskDetail struct {
	TaskRow
	Outcome Outcome `json:"outcome,omitzero"` // of one that has ended; then Due, Stored and others are zero
	Payload string  `json:"payload,omitzero"` // as its codec has written it; of one that has not ended
}

// Task returns what there is of a task by its ID, see [Future.ID], whatever its name. It is
// [ErrGone] if nothing is kept of it. Of one that has ended only the outcome is: its name is empty, and
// with [Redact], which asks for that, its error is, too; [Pool.Failed] has both.
// It costs up to six requests. Other errors are ErrInvalid and those of [Submit].
func (p *Pool) Task(ctx context.Context, id string) (d TaskDetail, err error) {
	if !validID(id) {
		return d, badID(id)
	}
	err = p.list(ctx, "task "+id, func(ctx context.Context) error {
		d = TaskDetail{TaskRow: TaskRow{ID: id}}
		m, err := p.stored(ctx, id)
		if err != nil {
			return err
		}
		o, ended, err := p.results.recorded(ctx, id)
		switch {
		case err != nil:
			return err
		case ended:
			d.Outcome = outcomeNames[o.kind]
			if o.failure() && p.redact == nil {
				d.Error = string(o.data)
			}
			return nil
		case m == nil:
			return fmt.Errorf("%w: %s", ErrGone, id)
		}
		c, err := p.whereabouts(ctx)
		if err == nil {
			at := p.on.placeOfAny(m.Subject)
			d.TaskRow = p.taskRow(c, at, seen{m.Subject, m.Header, m.Data, m.Sequence, m.Time})
			d.Payload = p.shown(d.Task, PartPayload, string(m.Data))
		}
		return err
	})
	return d, err
}

var outcomeNames = map[byte]Outcome{succeeded: RunSucceeded, failed: RunFailed,
	panicked: RunPanicked, cancelled: RunCancelled, abandoned: RunAbandoned}

// CancelTask is [Future.Cancel] for a process that knows the ID of a task and nothing else. Of a
// task that is not on the queue any more it is false, or [ErrGone] if no outcome is kept either.
func (p *Pool) CancelTask(ctx context.Context, id string) (prevented bool, err error) {
	if !validID(id) {
		return false, badID(id)
	}
	m, err := p.stored(ctx, id)
	if err != nil {
		return false, err
	}
	if m == nil {
		_, ended, err := p.results.recorded(ctx, id)
		if err == nil && !ended {
			err = fmt.Errorf("%w: %s", ErrGone, id)
		}
		return false, err
	}
	return p.cancelTask(ctx, p.on.placeOfAny(m.Subject))
}

// stored finds the message of a task by its ID; nil if there is none.
func (p *Pool) stored(ctx context.Context, id string) (*jetstream.RawStreamMsg, error) {
	return p.last(ctx, p.on.prefix+"*.*.o."+id)
}
