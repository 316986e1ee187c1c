package engine

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// Job is a periodic task as Apply wants it, with its options checked.
type Job struct {
	Name    string
	Task    Task
	Initial time.Duration
	Period  int64 // positive for a fixed rate, negative for a fixed delay; of a calendar any
	On      series.Calendar
	Options series.Options
	Version string
}

// Changes is the type of that name in package executor, field by field.
type Changes struct {
	Added     []string
	Changed   []string
	Removed   []string
	Unchanged []string
}

// Apply makes the given jobs the ones that the pool has; package executor says what that means.
func (p *Pool) Apply(jobs []Job) (Changes, error) {
	wanted := make([]*job, 0, len(jobs))
	if slices.ContainsFunc(jobs, func(j Job) bool { return j.On != nil }) {
		p.watchWall()
	}
	partings := p.runs.Partings()
	for _, j := range jobs {
		w, err := p.newJob(j)
		if err != nil {
			return Changes{}, err
		}
		wanted = append(wanted, w)
	}
	changes, stopped, err := p.compareAndApply(wanted)
	// Without the lock: all of them call others.
	for _, c := range stopped {
		c.Cancel(nil, future.ErrCancelled, false)
	}
	for _, w := range wanted {
		switch {
		case w.added:
			p.runs.Follow(w.cell, &w.plan.Plan)
			p.runs.PartedSince(partings, w.cell, &w.plan.Plan)
		case w.announced:
			p.runs.Rejected(w.cell, &w.plan.Plan, w.told, p.refuse(w.cell, cmp.Or(err, ErrDuplicate)))
		}
	}
	return changes, err
}

// job is a Job that has been checked, and the task that it has become.
type job struct {
	Job
	period  int64
	options series.Options // without functions and contexts
	plan    *plan
	cell    *cell.Cell
	current atomic.Pointer[Task] // the decorated body
	added   bool                 // it has its own task, not that of an earlier one
	first   int64                // when the first run is due, on a calendar
	over    error                // why there is none; which is fine for a job that has had its runs

	functions bool     // functions or contexts are among its options
	like      likeness // to the job before

	// It is to be added, as things stand. Once it is announced, observers have been told so.
	adds, announced bool
	told            run.Info
}

// newJob plans j. It runs decorators, so the lock must not be held.
func (p *Pool) newJob(j Job) (*job, error) {
	body, err := p.decorated(j.Task)
	if err != nil {
		return nil, p.runs.Misuse(j.Name, err)
	}
	w := &job{Job: j, period: j.Period, plan: p.newPlan(j.Options), cell: new(cell.Cell)}
	w.options, w.functions = comparableOptions(j.Options)
	w.plan.Period = j.Period
	w.current.Store(&body)
	w.cell.Plan = w.plan.Cells()
	w.cell.Body = func(ctx context.Context) error { return (*w.current.Load())(ctx) }
	return w, p.planFirst(w)
}

// planFirst finds out when the first run of w is due, or why none is.
func (p *Pool) planFirst(w *job) error {
	w.over = p.runs.RefuseLate(&w.plan.Plan, ErrRejected)
	if w.On == nil {
		if w.over == nil {
			w.over = p.runs.CheckBounds(&w.plan.Plan, w.Initial)
		}
		return nil
	}
	return p.askCalendar(w.Name, func() error {
		first, err := p.runs.SetCalendar(&w.plan.Plan, w.On)
		if w.first = first; w.over == nil {
			w.over = err
		}
		return nil
	})
}

// compareAndApply does what Apply says, and returns the tasks to be stopped. Calendars and
// observers are the user's, so jobs are compared, and observers told of what is to be added, before
// the step itself. If another Apply has changed something meanwhile, all that comes again; what
// need not be added any more is refused.
func (p *Pool) compareAndApply(wanted []*job) (Changes, []*cell.Cell, error) {
	for {
		if err := p.compare(wanted); err != nil {
			return Changes{}, nil, err
		}
		for _, w := range p.additions(wanted) {
			w.announced = true
			w.told = p.runs.Announce(w.cell, &w.plan.Plan, w.in(p.clock.Now()))
		}
		if changes, stopped, done, err := p.apply(wanted); done {
			return changes, stopped, err
		}
	}
}

// additions returns the jobs that are to be added, and have not been announced.
func (p *Pool) additions(wanted []*job) (added []*job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.comparedLocked(wanted) {
		return nil
	}
	p.decideLocked(wanted)
	for _, w := range wanted {
		if w.adds && !w.announced && w.over == nil {
			added = append(added, w)
		}
	}
	return added
}

// decideLocked finds out which jobs, which have been compared, are to have tasks of their own. It
// asks once for each: the one before may end at any moment.
func (p *Pool) decideLocked(wanted []*job) {
	for _, w := range wanted {
		w.adds = p.jobs[w.Name] == nil || !w.same() && w.replaces()
	}
}

// in returns how long it is until the first run of w.
func (w *job) in(now int64) time.Duration {
	if w.On != nil {
		return time.Duration(max(w.first-now, 0))
	}
	return max(w.Initial, 0)
}

// apply does what Apply says in one step, and returns the tasks to be stopped. It reports false if
// the jobs have to be compared, or announced, again.
func (p *Pool) apply(
	wanted []*job,
) (ch Changes, stopped []*cell.Cell, done bool, err error) {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	now = p.keepTimesLocked(now)
	if !p.comparedLocked(wanted) {
		return ch, nil, false, nil
	}
	p.decideLocked(wanted)
	if err := p.mayApplyLocked(wanted); err != nil {
		return ch, nil, true, err
	}
	if slices.ContainsFunc(wanted, func(w *job) bool { return w.adds && !w.announced }) {
		return ch, nil, false, nil
	}
	kept := map[string]*job{}
	for _, w := range wanted {
		old := p.jobs[w.Name]
		kept[w.Name] = w
		switch {
		case old == nil:
			ch.Added = append(ch.Added, w.Name)
			p.addJobLocked(w, now)
		case !w.adds && w.same():
			ch.Unchanged = append(ch.Unchanged, w.Name)
			kept[w.Name] = old
		case w.adds:
			ch.Changed = append(ch.Changed, w.Name)
			stopped = append(stopped, old.cell)
			p.addJobLocked(w, now)
		default:
			ch.Changed = append(ch.Changed, w.Name)
			kept[w.Name] = old
			p.changeJobLocked(old, w, now)
		}
	}
	for name, old := range p.jobs {
		if kept[name] == nil {
			ch.Removed = append(ch.Removed, name)
			stopped = append(stopped, old.cell)
		}
	}
	slices.Sort(ch.Removed)
	p.jobs = kept
	return ch, stopped, true, nil
}

// mayApplyLocked returns why nothing may be done, or nil.
func (p *Pool) mayApplyLocked(wanted []*job) error {
	added := 0
	for _, w := range wanted {
		old := p.jobs[w.Name]
		switch holder := p.names.live.entries[w.Name]; {
		case p.stage != running:
			return p.refusal(w.Name, ErrShutdown)
		case old == nil && holder != nil && !p.isJobLocked(holder):
			return p.refusal(w.Name, ErrDuplicate)
		case w.adds:
			if w.over != nil {
				return w.over
			}
			added++
		}
	}
	if !p.roomForLocked(added) {
		return p.refusal("", ErrSaturated)
	}
	return nil
}

// isJobLocked reports whether c is a job that was removed, and has not gone yet because its body
// still runs.
func (p *Pool) isJobLocked(c *cell.Cell) bool { return planOf(c).job }

// addJobLocked queues w. If a task that has its name is still alive, w waits for the end of that.
func (p *Pool) addJobLocked(w *job, now int64) {
	w.plan.job, w.added = true, true
	before := p.names.live.entries[w.Name]
	first := clock.Later(now, w.Initial)
	if w.On != nil {
		first = max(w.first, now)
	}
	w.cell.When = w.plan.First(first)
	if before != nil {
		planOf(before).heir = w.cell
		w.plan.Hold()
		w.cell.When = w.plan.Due()
	}
	p.placeLocked(w.cell, w.cell.When)
	p.acceptedLocked(w.cell, w.plan)
	p.notifyLocked(now)
}

// changeJobLocked makes old what w is.
func (p *Pool) changeJobLocked(old, w *job, now int64) {
	old.current.Store(w.current.Load())
	if w.period != old.period {
		old.plan.SetPeriod(time.Duration(max(w.period, -w.period)), now)
		if when := old.plan.Due(); old.cell.Phase() == cell.Pending && when != old.plan.DueAt(old.cell) {
			p.requeueLocked(old.cell, when, now)
		}
	}
	old.Job, old.period = w.Job, w.period
}
