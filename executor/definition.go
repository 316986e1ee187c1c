package executor

import (
	"context"
	"reflect"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// Define prepares an option for tasks that have a name and options in common:
//
//	refresh, err := pool.Define("refresh")
//	...
//	f, err := pool.Submit(task, refresh)
//
// A [Name] given to each task anew costs about ten allocations a task, for profiler labels and for
// errors that name it. What Define returns, as the only option of a task of the same pool, costs
// none of them if it is a name and perhaps a [Priority], and one with other options. It may also be
// the first of several options, and be used elsewhere; then it saves nothing.
//
// Define returns [ErrInvalid] for a bad option. The options are evaluated here, once: [WithValues]
// keeps its context as long as the result is kept.
func (p *Pool) Define(name string, opts ...TaskOption) (TaskOption, error) {
	o, err := run.Resolve(&p.shared, append([]TaskOption{Name(name)}, opts...))
	if err != nil {
		return nil, err
	}
	d := &definition{pool: p, options: o, plan: p.newPlan(o)}
	if sharable(o) {
		twin := p.newPlan(o)
		twin.Reports = true
		d.plan.twin, twin.twin = twin, twin
	}
	return d, nil
}

// definition is the option that [Pool.Define] returns. It has the [Defaults] of its pool in it.
type definition struct {
	pool    *Pool
	options series.Options
	plan    *plan // of its tasks with a future; shared by them if it has a twin
}

// Resolve sets the options. Others after it are added, or replace them.
func (d *definition) Resolve(o *series.Options) error {
	if !reflect.ValueOf(*o).IsZero() {
		return invalid("definition of %q must be the first option", d.options.Name)
	}
	*o = d.options
	return nil
}

// Prepared implements [run.Prepared].
func (d *definition) Prepared() {}

// sharable reports whether tasks with these options can share a plan: none of the options needs a
// state of each task.
func sharable(o series.Options) bool {
	o.Name, o.Priority = "", 0
	return reflect.ValueOf(o).IsZero()
}

// definitionOf returns the only option, if it is a definition of this pool, or else nil.
func (p *Pool) definitionOf(opts []TaskOption) *definition {
	if len(opts) != 1 {
		return nil
	}
	if d, ok := opts[0].(*definition); ok && d.pool == p {
		return d
	}
	return nil
}

// planOf returns a plan for a task of this kind, which carries the values of ctx unless that is
// nil.
func (d *definition) planOf(carried context.Context) *plan {
	if d.options.Values != nil {
		carried = nil // they have been carried
	}
	if carried == nil && d.plan.twin != nil {
		return d.plan
	}
	return d.pool.copyPlan(d.plan, carried)
}

// copyPlan returns a plan like pl that is not shared. What was dear to make, it shares.
func (p *Pool) copyPlan(pl *plan, carried context.Context) *plan {
	own := new(plan)
	p.runs.Copy(&own.Plan, &pl.Plan, own, carried)
	own.Reports = pl.Reports
	return own
}

// ownPlan returns the plan itself if no other task shares it, or else a copy.
func (p *Pool) ownPlan(pl *plan) *plan {
	if pl.twin == nil {
		return pl
	}
	return p.copyPlan(pl, nil)
}
