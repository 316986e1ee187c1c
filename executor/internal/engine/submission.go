package engine

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// Submission is a task on its way to the door.
type Submission struct {
	Cell    *cell.Cell
	Task    Task
	Options *series.Options // with the defaults of the pool; nil if the task has none
	Lane    *Lane           // the serial executor that it is for; nil for none
	Reports bool            // it has no future, so its failures go to the error handler
}

// prepare gives the cell of s its body and plan. The runs get the values of ctx, unless an option
// says otherwise. It runs decorators and methods of ctx, which are user code, so nothing of the
// pool has changed yet if one of them panics.
func (d *Door) prepare(ctx context.Context, s Submission) (*plan, error) {
	if s.Options == nil && !d.special && s.Lane == nil && ctx == context.Background() {
		pl := d.submitted
		if s.Reports {
			pl = d.executed
		}
		s.Cell.Plan, s.Cell.Body = &pl.Plan.Plan, s.Task
		return pl, nil
	}
	return d.prepareSpecial(ctx, s)
}

// prepareSpecial is prepare for all but the usual task: one that is decorated or for a lane, or
// that has options, or a context of which it may carry something.
func (d *Door) prepareSpecial(ctx context.Context, s Submission) (*plan, error) {
	p := d.pool
	if s.Options == nil {
		s.Options = p.Shared.Defaults
	}
	pl := d.planFor(ctx, s)
	body, err := d.decorated(s.Task)
	if err != nil {
		return nil, p.runs.Misuse(pl.Name, err)
	}
	if s.Lane != nil && pl.strand == nil { // else it is one of the lane's own
		pl = pl.own(p, nil)
		pl.strand = &s.Lane.strand
	}
	s.Cell.Plan, s.Cell.Body = &pl.Plan.Plan, body
	return pl, nil
}

// planFor returns the plan of a task: a shared one, if there is no more to know of it than its name
// and priority.
func (d *Door) planFor(ctx context.Context, s Submission) *plan {
	p := d.pool
	var carried context.Context
	if ctx != context.Background() { // the usual one has none
		carried = p.runs.Carried(ctx)
	}
	switch {
	case s.Options == nil && carried == nil:
		return d.usual(s)
	case s.Options == nil:
		return d.usual(s).own(p, carried)
	case s.Options.Nameable():
		return d.namedPlan(s, carried)
	}
	o := *s.Options
	if o.Values == nil {
		o.Values = carried
	}
	pl := p.newPlan(o)
	pl.Reports = s.Reports
	return pl
}

// usual returns the plan of tasks without options.
func (d *Door) usual(s Submission) *plan {
	submitted, executed := d.submitted, d.executed
	if s.Lane != nil {
		submitted, executed = s.Lane.submitted, s.Lane.executed
	}
	if s.Reports {
		return executed
	}
	return submitted
}

// namedPlan returns the plan of tasks that have a name and perhaps a priority.
func (d *Door) namedPlan(s Submission, carried context.Context) *plan {
	key := planKey{s.Options.Name, s.Options.Priority, s.Reports}
	pl := d.named.find(key)
	if pl == nil {
		pl = d.pool.newPlan(*s.Options)
		pl.Reports = s.Reports
		d.named.keep(key, pl)
	}
	if carried != nil {
		return pl.own(d.pool, carried)
	}
	return pl
}
