package engine

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor/internal/desired"
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
	Paused  bool
}

// Jobs are the jobs of a pool, by their names: a ring around the pool, whose lock guards them.
type Jobs struct {
	pool *Pool
	live map[string]*job // of the last Apply
}

// NewJobs returns the jobs of a pool, of which there are none yet.
func NewJobs(p *Pool) *Jobs { return &Jobs{pool: p} }

// Apply makes the given jobs the ones that the pool has; package executor says what that means. If
// a plan is given, nothing is done that it does not say.
func (js *Jobs) Apply(given []Job, planned *desired.Changes) (desired.Changes, error) {
	p := js.pool
	partings := p.runs.Partings()
	wanted, err := js.newJobs(given)
	if err != nil {
		return desired.Changes{}, err
	}
	changes, stopped, err := js.compareAndApply(wanted, planned)
	// Without the lock: all of them call others.
	for _, c := range stopped {
		c.Cancel(nil, future.ErrCancelled, false)
	}
	for _, w := range wanted {
		switch {
		case w.added:
			p.runs.Follow(w.cell, &w.plan.Plan)
			p.runs.PartedSince(partings, w.cell, &w.plan.Plan)
			js.tellPaused(w)
		case w.flips && err == nil:
			js.pauseAsGiven(w.Name)
		case w.announced:
			why := p.Door.refuse(w.cell, cmp.Or(err, ErrDuplicate))
			p.runs.Rejected(w.cell, &w.plan.Plan, w.told, why)
		}
	}
	return changes, err
}

// job is a Job that has been checked, and the task that it has become.
type job struct {
	Job
	options series.Options // without functions and contexts
	plan    *plan
	cell    *cell.Cell
	current atomic.Pointer[Task] // the decorated body
	added   bool                 // it has its own task, not that of an earlier one
	pauses  bool                 // it is paused from here on
	first   int64                // when the first run is due, on a calendar
	over    error                // why there is none; which is fine for a job that has had its runs

	functions bool     // functions or contexts are among its options
	like      likeness // to the job before

	// It is to be added, as things stand. Once it is announced, observers have been told so.
	adds, announced bool
	flips           bool // the job before is kept, but is to be paused, or not any more
	told            run.Info
}

// newJobs plans jobs, as newJob does.
func (js *Jobs) newJobs(given []Job) ([]*job, error) {
	if slices.ContainsFunc(given, func(j Job) bool { return j.On != nil }) {
		js.pool.Door.watchWall()
	}
	wanted := make([]*job, 0, len(given))
	for _, j := range given {
		w, err := js.newJob(j)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, w)
	}
	return wanted, nil
}

// newJob plans j. It runs decorators, so the lock must not be held.
func (js *Jobs) newJob(j Job) (*job, error) {
	p := js.pool
	body, err := p.Door.decorated(j.Task)
	if err != nil {
		return nil, p.runs.Misuse(j.Name, err)
	}
	w := &job{Job: j, plan: p.newPlan(j.Options), cell: new(cell.Cell)}
	w.options, w.functions = comparableOptions(j.Options)
	w.plan.Period = j.Period
	w.current.Store(&body)
	w.cell.Plan = w.plan.Cells()
	w.cell.Body = func(ctx context.Context) error { return (*w.current.Load())(ctx) }
	return w, js.planFirst(w)
}

// planFirst finds out when the first run of w is due, or why none is.
func (js *Jobs) planFirst(w *job) error {
	p := js.pool
	w.over = p.runs.RefuseLate(&w.plan.Plan, ErrRejected)
	if w.On == nil {
		if w.over == nil {
			w.over = p.runs.CheckBounds(&w.plan.Plan, w.Initial)
		}
		return nil
	}
	return js.askCalendar(w.Name, func() error {
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
func (js *Jobs) compareAndApply(
	wanted []*job, planned *desired.Changes,
) (desired.Changes, []*cell.Cell, error) {
	for {
		if err := js.compare(wanted); err != nil {
			return desired.Changes{}, nil, err
		}
		for _, w := range js.additions(wanted, planned) {
			w.announced = true
			w.told = js.pool.runs.Announce(w.cell, &w.plan.Plan, w.in(js.pool.clock.Now()))
		}
		if changes, stopped, done, err := js.apply(wanted, planned); done {
			return changes, stopped, err
		}
	}
}

// additions returns the jobs that are to be added, and have not been announced; none if that is not
// as planned.
func (js *Jobs) additions(wanted []*job, planned *desired.Changes) (added []*job) {
	js.pool.mu.Lock()
	defer js.pool.mu.Unlock()
	if !js.comparedLocked(wanted) {
		return nil
	}
	ch, err := js.planLocked(wanted)
	if planned != nil && (err != nil || !ch.Equal(planned)) {
		return nil
	}
	for _, w := range wanted {
		if w.adds && !w.announced && w.over == nil {
			added = append(added, w)
		}
	}
	return added
}

// decideLocked finds out which jobs, which have been compared, are to have tasks of their own. It
// asks once for each: the one before may end at any moment.
func (js *Jobs) decideLocked(wanted []*job) {
	for _, w := range wanted {
		old := js.live[w.Name]
		w.adds = old == nil || !w.same() && w.replaces()
		w.flips = !w.adds && old.Paused != w.Paused && !old.cell.Phase().Settled()
		w.pauses = w.pausesLocked()
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
func (js *Jobs) apply(
	wanted []*job, planned *desired.Changes,
) (ch desired.Changes, stopped []*cell.Cell, done bool, err error) {
	p := js.pool
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.Door.timed.Load() {
		now = p.Door.beginTimesLocked()
	}
	if !js.comparedLocked(wanted) {
		return ch, nil, false, nil
	}
	ch, err = js.planLocked(wanted)
	if err == nil && planned != nil && !ch.Equal(planned) {
		err = p.runs.Misuse("", invalid("the plan is stale: the jobs have changed since"))
	}
	if err != nil {
		return ch, nil, true, err
	}
	if slices.ContainsFunc(wanted, func(w *job) bool { return w.adds && !w.announced }) {
		return ch, nil, false, nil
	}
	return ch, js.enactLocked(wanted, now), true, nil
}

// enactLocked does what planLocked says, and returns the tasks to be stopped.
func (js *Jobs) enactLocked(wanted []*job, now int64) (stopped []*cell.Cell) {
	kept := map[string]*job{}
	for _, w := range wanted {
		old := js.live[w.Name]
		kept[w.Name] = w
		switch {
		case w.adds:
			if old != nil {
				stopped = append(stopped, old.cell)
			}
			js.addJobLocked(w, now)
		case w.same():
			kept[w.Name] = old
			old.Paused = w.Paused
		default:
			kept[w.Name] = old
			js.changeJobLocked(old, w, now)
		}
	}
	for name, old := range js.live {
		if kept[name] == nil {
			stopped = append(stopped, old.cell)
		}
	}
	js.live = kept
	return stopped
}

// mayApplyLocked returns why nothing may be done, or nil.
func (js *Jobs) mayApplyLocked(wanted []*job) error {
	p := js.pool
	added := 0
	for _, w := range wanted {
		old := js.live[w.Name]
		switch holder := p.Door.names.live.entries[w.Name]; {
		case p.Life.stage != running:
			return p.Door.refusal(w.Name, ErrShutdown)
		// A job that was removed may not have gone yet, because its body still runs.
		case old == nil && holder != nil && !planOf(holder).job:
			return p.Door.refusal(w.Name, ErrDuplicate)
		case w.adds:
			if w.over != nil {
				return w.over
			}
			added++
		}
	}
	if !p.Door.roomForLocked(added) {
		return p.Door.refusal("", ErrSaturated)
	}
	return nil
}

// addJobLocked queues w. If a task that has its name is still alive, w waits for the end of that.
func (js *Jobs) addJobLocked(w *job, now int64) {
	p := js.pool
	w.plan.job, w.added = true, true
	before := p.Door.names.live.entries[w.Name]
	first := clock.Later(now, w.Initial)
	if w.On != nil {
		first = max(w.first, now)
	}
	w.cell.When = w.plan.First(first)
	if before != nil {
		planOf(before).heir = w.cell
		w.plan.Hold()
	}
	if w.pauses {
		w.plan.Pause()
	}
	if w.plan.Suspended() {
		w.cell.When = w.plan.Due()
	}
	defer p.runs.LimitLocked(w.cell, &w.plan.Plan) // a pause may last until the end of the series
	p.waiting.placeLocked(w.cell, w.cell.When)
	p.Door.acceptedLocked(w.cell, w.plan)
	p.Crew.notifyLocked(now)
}

// changeJobLocked makes old what w is.
func (js *Jobs) changeJobLocked(old, w *job, now int64) {
	old.current.Store(w.current.Load())
	if w.Period != old.Period {
		old.plan.SetPeriod(time.Duration(max(w.Period, -w.Period)), now)
		when, waits := old.plan.Due(), old.cell.Phase() == cell.Pending
		if waits && when != old.plan.DueAt(old.cell) {
			(*Host)(js.pool).RequeueLocked(old.cell, when, now)
		}
	}
	old.Job = w.Job
}

// Named returns the task of a job of the last Apply, which may have ended; nil if there is none.
func (js *Jobs) Named(name string) (c *cell.Cell) {
	js.pool.look(func() {
		if j := js.live[name]; j != nil {
			c = j.cell
		}
	})
	return c
}

// Restart starts a job again that has ended; package executor says what that means.
func (js *Jobs) Restart(name string) error {
	p := js.pool
	partings := p.runs.Partings()
	old, w, err := js.again(name)
	if err != nil {
		return err
	}
	w.told = p.runs.Announce(w.cell, &w.plan.Plan, w.in(p.clock.Now()))
	if err := js.restart(old, w); err != nil {
		err = p.Door.refuse(w.cell, err)
		p.runs.Rejected(w.cell, &w.plan.Plan, w.told, err)
		return err
	}
	p.runs.Follow(w.cell, &w.plan.Plan)
	p.runs.PartedSince(partings, w.cell, &w.plan.Plan)
	js.tellPaused(w)
	return nil
}

// again returns a job that has ended, and a new one that is as it was given last.
func (js *Jobs) again(name string) (old, w *job, err error) {
	p := js.pool
	var given Job
	p.look(func() {
		if old = js.live[name]; old != nil {
			given = old.Job
		}
	})
	switch {
	case old == nil:
		return nil, nil, p.runs.Misuse(name, invalid("no job has this name"))
	case !old.cell.Phase().Settled():
		return nil, nil, p.Door.refusal(name, ErrDuplicate)
	}
	if w, err = js.newJob(given); err == nil {
		err = w.over
	}
	return old, w, err
}

// restart puts w in the place of old, which has ended, in one step.
func (js *Jobs) restart(old, w *job) error {
	p := js.pool
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	holder := p.Door.names.live.entries[w.Name]
	if js.live[w.Name] != old || holder != nil && !planOf(holder).job { // another was faster
		return ErrDuplicate
	}
	w.adds, w.like.to, w.pauses = true, old, w.Paused
	if err := js.mayApplyLocked([]*job{w}); err != nil {
		return err
	}
	js.live[w.Name] = w
	js.addJobLocked(w, now)
	return nil
}
