package executor

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// Job is a periodic task as [ScheduledPool.Apply] wants it. Exactly one of Every, Rate, Delay and
// On is set.
type Job struct {
	Name    string        // its identity; required
	Task    Task          // required
	Every   time.Duration // the period, as for [ScheduledPool.Every]; then Initial is 0
	Initial time.Duration // before the first run; of an existing job it changes nothing
	Rate    time.Duration // the period of a fixed rate
	Delay   time.Duration // the time from the end of a run to the next
	On      Calendar      // when it runs, as for [ScheduledPool.On]; then Initial is 0
	Options []TaskOption

	// Version tells whether Task is another one than before, as functions cannot be compared: a
	// number, a hash of its configuration, or anything else that differs. The functions and
	// contexts among the options belong to it too, and what cannot be compared of a calendar.
	Version string
}

// Changes is what [ScheduledPool.Apply] has done: names in the order of its arguments, and then of
// removal.
type Changes struct {
	Added     []string `json:"added,omitempty"`
	Changed   []string `json:"changed,omitempty"`
	Removed   []string `json:"removed,omitempty"` // in alphabetical order
	Unchanged []string `json:"unchanged,omitempty"`
}

// Apply makes the given jobs the ones that the pool has: it adds, changes and removes what it must,
// in one step, and leaves the rest alone. It is for a service that has its jobs from a
// configuration which may be read again. Only jobs of earlier calls are changed or removed; other
// tasks, unique or not, are none of its business.
//
//   - A job that is the same as before keeps its phase, its counts, a run in progress, and one that
//     waits. A job that has ended by itself, or whose last time, see [Until], has passed, is not
//     started again: it is unchanged.
//   - Another Version alone gives the job its new Task from the next run on, or the next attempt;
//     another period is that of [Handle.SetPeriod]. Phase, counts and a run in progress stay.
//   - With other options, another kind, or another calendar, the job is replaced: the old task is
//     stopped as by [Handle.Stop], and the new one begins after its Initial delay, but not before a
//     run in progress of the old one has returned. So it is with another Version, or another
//     period, if the job has ended; and with another Version if there are functions or contexts
//     among its options, or parts of its calendar that cannot be compared.
//   - A job that is not among the arguments is stopped. A run in progress goes on.
//
// Calendars are compared by what they mean: by their Equal method, if they have one that takes the
// other; else by their values, with zones by their names and times by their instants; and where
// that leaves something open, by what String says of them. Functions, maps and what pointers lead
// to are not compared, except a struct of exported fields that are numbers, text, times or zones.
// Without a difference calendars count as the same: [Job.Version] tells otherwise.
//
// Errors come first: if one of the jobs is invalid, named twice, or has the name of a live unique
// task that is not a job, if no run of one that is new or replaced can come, or if there is no room
// for all, nothing is done. Then Apply returns [ErrNilTask], [ErrInvalid], [ErrDuplicate],
// [ErrSaturated], [ErrRejected] or [ErrShutdown], with the name; a panic of a calendar is an error
// with the name, too.
func (p *ScheduledPool) Apply(jobs ...Job) (Changes, error) {
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
		if slices.ContainsFunc(wanted, func(o *job) bool { return o.Name == j.Name }) {
			return Changes{}, invalid("job %q is given twice", j.Name)
		}
		wanted = append(wanted, w)
	}
	changes, stopped, err := p.compareAndApply(wanted)
	// Without the lock: all of them call others.
	for _, c := range stopped {
		p.handle(c).Stop()
	}
	for _, w := range wanted {
		switch {
		case w.added:
			if w.plan.Expected() {
				p.runs.Expected(&w.plan.Plan)
			}
			p.runs.Follow(w.cell, &w.plan.Plan)
			p.runs.PartedSince(partings, w.cell, &w.plan.Plan)
		case w.announced:
			p.runs.Rejected(w.cell, w.told, p.refuse(w.cell, cmp.Or(err, ErrDuplicate)))
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

// newJob checks j. It runs options and decorators, so the lock must not be held.
func (p *ScheduledPool) newJob(j Job) (*job, error) {
	o, period, err := j.resolve(&p.shared)
	if err != nil {
		return nil, p.misused([]TaskOption{Name(j.Name)}, err)
	}
	body, err := p.bodyOf(j.Task)
	if err != nil {
		return nil, p.misused([]TaskOption{Name(j.Name)}, err)
	}
	w := &job{Job: j, period: period, plan: p.newPlan(o)}
	w.options, w.functions = comparableOptions(o)
	w.plan.Period = period
	w.current.Store(&body)
	_, w.cell = newScheduled[struct{}](p.submitted)
	w.cell.Plan = w.plan.Cells()
	w.cell.Body = func(ctx context.Context) error { return (*w.current.Load())(ctx) }
	return w, p.planFirst(w)
}

// planFirst finds out when the first run of w is due, or why none is.
func (p *ScheduledPool) planFirst(w *job) error {
	w.over = p.runs.RefuseLate(&w.plan.Plan, ErrRejected)
	if w.On == nil {
		if w.over == nil {
			w.over = p.runs.CheckBounds(&w.plan.Plan, w.initial())
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

// resolve checks what j says of its times, and returns its options and its period.
func (j Job) resolve(s *run.Settings) (o series.Options, period int64, err error) {
	if j.Task == nil {
		return o, 0, ErrNilTask
	}
	kinds := 0
	for _, given := range []bool{j.Every != 0, j.Rate != 0, j.Delay != 0, j.On != nil} {
		if given {
			kinds++
		}
	}
	if kinds != 1 || j.Name == "" {
		return o, 0, invalid("a job needs a name, and either a period, a rate, a delay or a calendar")
	}
	opts := append(slices.Clone(j.Options), TaskOption(Name(j.Name)), Unique())
	switch {
	case j.Delay != 0:
		return run.ResolveSeries(s, j.Delay, run.FixedDelay, opts)
	case j.Rate != 0:
		return run.ResolveSeries(s, j.Rate, run.FixedRate, opts)
	case j.Initial != 0:
		return o, 0, invalid("a job on a calendar, or with Every, has no initial delay")
	case j.Every != 0:
		return run.ResolveSeries(s, j.Every, run.Ticking, opts)
	}
	o, err = run.ResolveCalendar(s, opts)
	return o, series.OnCalendar, err
}

// compareAndApply does what Apply says, and returns the tasks to be stopped. Calendars and
// observers are the user's, so jobs are compared, and observers told of what is to be added, before
// the step itself. If another Apply has changed something meanwhile, all that comes again; what
// need not be added any more is refused.
func (p *ScheduledPool) compareAndApply(wanted []*job) (Changes, []*cell.Cell, error) {
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
func (p *ScheduledPool) additions(wanted []*job) (added []*job) {
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
func (p *ScheduledPool) decideLocked(wanted []*job) {
	for _, w := range wanted {
		w.adds = p.jobs[w.Name] == nil || !w.same() && w.replaces()
	}
}

// in returns how long it is until the first run of w.
func (w *job) in(now int64) time.Duration {
	if w.On != nil {
		return time.Duration(max(w.first-now, 0))
	}
	return max(w.initial(), 0)
}

// initial returns the delay of the first run of a job that is not on a calendar.
func (w *job) initial() time.Duration { return cmp.Or(w.Every, w.Initial) }

// apply does what Apply says in one step, and returns the tasks to be stopped. It reports false if
// the jobs have to be compared, or announced, again.
func (p *ScheduledPool) apply(
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
func (p *ScheduledPool) mayApplyLocked(wanted []*job) error {
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
func (p *ScheduledPool) isJobLocked(c *cell.Cell) bool { return planOf(c).job }

// addJobLocked queues w. If a task that has its name is still alive, w waits for the end of that.
func (p *ScheduledPool) addJobLocked(w *job, now int64) {
	w.plan.job, w.added = true, true
	before := p.names.live.entries[w.Name]
	first := clock.Later(now, w.initial())
	if w.On != nil {
		first = max(w.first, now)
	}
	w.cell.When = w.plan.First(first)
	if before != nil {
		planOf(before).heir = w.cell
		w.plan.Hold()
		w.cell.When = w.plan.Due()
	}
	p.runs.ExpectLocked(w.cell, &w.plan.Plan)
	p.placeLocked(w.cell, w.cell.When)
	p.acceptedLocked(w.cell, w.plan)
	p.notifyLocked(now)
}

// changeJobLocked makes old what w is.
func (p *ScheduledPool) changeJobLocked(old, w *job, now int64) {
	old.current.Store(w.current.Load())
	if w.period != old.period {
		old.plan.SetPeriod(time.Duration(max(w.period, -w.period)), now)
		if when := old.plan.Due(); old.cell.Phase() == cell.Pending && when != old.plan.DueAt(old.cell) {
			p.requeueLocked(old.cell, when, now)
		}
	}
	old.Job, old.period = w.Job, w.period
}
