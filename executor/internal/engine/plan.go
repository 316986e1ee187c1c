package engine

import (
	"context"
	"sync"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// plan is what a pool knows of a task besides its cell. Tasks of which it knows no more than their
// names and priorities share one, so that they cost nothing here: a shared plan has no state, and
// is not changed.
type plan struct {
	run.Plan

	strand *strand // of a task of a serial executor; else nil
	// expectedBy is the strand that the task was scheduled for, and joins once it is due: until
	// then it has no strand, and the pool's lock guards that.
	expectedBy *strand

	told     bool       // it ends with a context, or something is expected of it: see admitTold
	shared   bool       // by many tasks
	job      bool       // it was made by Apply
	expected bool       // it is still to join its strand; guarded by the pool's lock
	heir     *cell.Cell // has the name once this task has gone; guarded by the pool's lock
}

// planOf returns the plan of a task. Every cell in a pool has one.
func planOf(c *cell.Cell) *plan { return c.Plan.Detail.(*plan) }

// PlanOf is that of [run.Host].
func (h *Host) PlanOf(c *cell.Cell) *run.Plan { return &planOf(c).Plan }

// nameOf returns the name of a task; a bare task, whose cell is nil, has none.
func nameOf(c *cell.Cell) string {
	if c == nil {
		return ""
	}
	return planOf(c).Name
}

// Options returns what was asked for by the submission of a task of a pool.
func Options(c *cell.Cell) *series.Options { return &planOf(c).Options }

// newPlan returns a plan for tasks with these options.
func (p *Pool) newPlan(o series.Options) *plan {
	pl := new(plan)
	p.runs.Init(&pl.Plan, o, pl)
	pl.told = o.Within != nil || pl.Expected()
	return pl
}

// own returns the plan itself if no other task shares it, or else a copy, which shares with it what
// was dear to make. The copy carries the values of a context, unless that is nil.
func (pl *plan) own(p *Pool, carried context.Context) *plan {
	if !pl.shared {
		return pl
	}
	own := new(plan)
	p.runs.Copy(&own.Plan, &pl.Plan, own, carried)
	own.Reports = pl.Reports
	return own
}

// namedPlans are the plans shared by tasks of one name. To make one takes some ten allocations, for
// profiler labels and for errors that name the task.
type namedPlans struct {
	mu    sync.RWMutex // a leaf, as the lock of a cell's extension is
	plans map[planKey]*plan
}

// planKey is all that distinguishes tasks that share plans.
type planKey struct {
	name     string
	priority int
	reports  bool
}

// mostNamed bounds how many plans are kept: a name that is made anew for each task is of no use a
// second time.
const mostNamed = 1000

// find returns the plan of a key, or nil.
func (n *namedPlans) find(key planKey) *plan {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.plans[key]
}

// keep shares a plan from now on, unless there are too many already.
func (n *namedPlans) keep(key planKey, pl *plan) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.plans) >= mostNamed {
		return
	}
	if n.plans == nil {
		n.plans = map[planKey]*plan{}
	}
	pl.shared = true
	n.plans[key] = pl
}

// comesAfter reports whether c is a later task than run, which is in progress, of the same serial
// executor, so that it does not begin before run has ended. One that is scheduled for later does
// not either, though it has not come yet.
func comesAfter(c, run *cell.Cell) bool {
	s := planOf(c).home()
	return s != nil && s == planOf(run).home() && c != run
}

// home returns the strand of a task, whether it has come there yet or not; nil if it has none. It
// needs no lock.
func (pl *plan) home() *strand {
	if pl.expectedBy != nil {
		return pl.expectedBy
	}
	return pl.strand
}
