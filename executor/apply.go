package executor

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/desired"
	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// Job is a periodic task as [ScheduledPool.Apply] wants it. Exactly one of Every, Rate, Delay, On
// and OnDemand is set.
type Job struct {
	Name    string        // its identity; required
	Task    Task          // required
	Every   time.Duration // the period, as for [ScheduledPool.Every]; then Initial is 0
	Initial time.Duration // before the first run; of an existing job it changes nothing
	Rate    time.Duration // the period of a fixed rate
	Delay   time.Duration // the time from the end of a run to the next
	On      Calendar      // when it runs, as for [ScheduledPool.On]; then Initial is 0
	Options []TaskOption

	// OnDemand is for a job that runs when [Handle.Trigger] says so, also while it is paused, and at
	// no times of its own: Initial is 0, and [From], [Until], [MaxRuns], [Jitter], [SlowDown] and
	// [DelayBy] are refused, as they are about such times. It is shown as a task with a fixed delay
	// that does not pass.
	OnDemand bool

	// Paused has the job paused, as by [Handle.Pause]: it is a task that waits for no time.
	// Disabled has it not be there at all, though it is checked like any other: it has no task, and
	// its name is free. If it runs right now, that run goes on, and is the last.
	Paused   bool
	Disabled bool

	// Version says whether Task has changed, as functions cannot be compared: a number, a hash of
	// its configuration, or anything else that differs. The functions and contexts among the
	// options belong to it too, and what cannot be compared of a calendar.
	Version string
}

// Changes is what [ScheduledPool.Apply] has done, or what [ScheduledPool.Plan] says that it would
// do: names in the order of its arguments. A job is in one of Added, Changed and Unchanged, or is
// Disabled; a task that goes is in Removed, also one whose job is disabled.
type Changes struct {
	Added     []string `json:"added,omitempty"`
	Changed   []string `json:"changed,omitempty"`
	Removed   []string `json:"removed,omitempty"` // in alphabetical order
	Unchanged []string `json:"unchanged,omitempty"`
	Disabled  []string `json:"disabled,omitempty"`

	Paused  []string `json:"paused,omitempty"`  // of those above, what it pauses
	Resumed []string `json:"resumed,omitempty"` // and what it lets go on

	// Why says of each job in Changed, in words, how it differs from the one before, and that it is
	// replaced, if it is. The words may change.
	Why map[string]string `json:"why,omitempty"`
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
//   - A job that is not among the arguments, or is disabled, is stopped. A run in progress goes on.
//   - Another value of Paused pauses the job, or ends its pause. The same value as the last time
//     changes nothing: what has been paused or resumed by [Handle.Pause] and [Handle.Resume] stays
//     so, also when the job is replaced. One that [PauseAfter] has paused begins anew when it is
//     replaced.
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
	checked, disabled, err := p.checked(jobs)
	if err != nil {
		return Changes{}, err
	}
	changes, err := p.jobs.Apply(checked, nil)
	return changesOf(changes, disabled, err), err
}

// Plan returns what [ScheduledPool.Apply] would do with these jobs now, or the error that it would
// return, and does nothing. It asks what Apply asks: calendars, and the decorators of the pool. As
// jobs, tasks and time go on, Apply may do something else later; see [ScheduledPool.ApplyPlan].
func (p *ScheduledPool) Plan(jobs ...Job) (Changes, error) {
	checked, disabled, err := p.checked(jobs)
	if err != nil {
		return Changes{}, err
	}
	changes, err := p.jobs.Plan(checked)
	return changesOf(changes, disabled, err), err
}

// ApplyPlan is [ScheduledPool.Apply] if that does precisely what the plan says, down to the
// reasons. Otherwise the plan is stale: ApplyPlan does nothing, and returns what Apply would do
// now, with [ErrInvalid]. A plan is data, so it may come from elsewhere, such as an approval.
func (p *ScheduledPool) ApplyPlan(plan Changes, jobs ...Job) (Changes, error) {
	checked, disabled, err := p.checked(jobs)
	if err != nil {
		return Changes{}, err
	}
	planned := desired.Changes(plan)
	if planned.Disabled = nil; !slices.Equal(plan.Disabled, disabled) {
		planned.Disabled = []string{""} // which no plan has
	}
	changes, err := p.jobs.Apply(checked, &planned)
	return changesOf(changes, disabled, err), err
}

// changesOf adds the jobs that are disabled, of which the engine has not heard, to changes, unless
// it has not come to any.
func changesOf(ch desired.Changes, disabled []string, err error) Changes {
	if err == nil || !ch.Equal(&desired.Changes{}) {
		ch.Disabled = disabled
	}
	return Changes(ch)
}

// checked checks jobs. It returns them without those that are disabled, and the names of these.
func (p *ScheduledPool) checked(jobs []Job) (live []engine.Job, disabled []string, err error) {
	names := make(map[string]bool, len(jobs))
	for i, j := range jobs {
		if j.Name == "" {
			return nil, nil, p.misused(nil, invalid("job %d has no name", i))
		}
		checked, err := j.checked(&p.engine().Runs().Settings)
		switch {
		case err != nil:
			return nil, nil, p.misused([]TaskOption{Name(j.Name)}, err)
		case names[j.Name]:
			return nil, nil, p.misused(nil, invalid("job %q is given twice", j.Name))
		case j.Disabled:
			disabled = append(disabled, j.Name)
		default:
			live = append(live, checked)
		}
		names[j.Name] = true
	}
	return live, disabled, nil
}

// checked returns j as the engine wants it.
func (j Job) checked(s *run.Settings) (engine.Job, error) {
	o, period, err := j.resolve(s)
	checked := engine.Job{Name: j.Name, Task: run.Kept(&o, j.Task),
		Initial: cmp.Or(j.Every, j.Initial), Period: period, On: j.On, Options: o,
		Version: j.Version, Paused: j.Paused}
	if j.OnDemand {
		checked.Initial = never
	}
	return checked, err
}

// Job returns the task of a job of the last [ScheduledPool.Apply], also if that has ended, and
// false if there is no such job.
func (p *ScheduledPool) Job(name string) (h Handle, ok bool) {
	if c := p.jobs.Named(name); c != nil {
		return p.handle(c), true
	}
	return h, false
}

// Restart starts a job of the last [ScheduledPool.Apply] again that has ended, by a failure or
// otherwise, as Apply starts one that is new: its first run comes after its Initial delay, or at
// the next time of its calendar, and not before a run of it that still goes on has returned. It
// returns [ErrInvalid] if no job has this name, [ErrDuplicate] if the job has not ended or another
// task has its name, and else the errors of Apply.
func (p *ScheduledPool) Restart(name string) error { return p.jobs.Restart(name) }

// never is a delay that does not pass.
const never = time.Duration(math.MaxInt64)

// resolve checks what j says of its times, and returns its options and its period.
func (j Job) resolve(s *run.Settings) (o series.Options, period int64, err error) {
	if j.Task == nil {
		return o, 0, ErrNilTask
	}
	if j.kinds() != 1 {
		return o, 0, invalid("a job needs a name, and either a period, a rate, a delay or a calendar," +
			" or is on demand")
	}
	opts := append(slices.Clone(j.Options), TaskOption(Name(j.Name)), Unique())
	switch {
	case j.Delay != 0:
		return run.ResolveSeries(s, j.Delay, run.FixedDelay, opts)
	case j.Rate != 0:
		return run.ResolveSeries(s, j.Rate, run.FixedRate, opts)
	case j.Initial != 0:
		return o, 0, invalid("a job on a calendar, with Every, or on demand has no initial delay")
	case j.OnDemand:
		return resolveOnDemand(s, opts)
	case j.Every != 0:
		return run.ResolveSeries(s, j.Every, run.Ticking, opts)
	}
	o, err = run.ResolveCalendar(s, opts)
	return o, series.OnCalendar, err
}

// kinds returns how many of those are given of which there must be one.
func (j Job) kinds() (n int) {
	for _, given := range []bool{
		j.Every != 0, j.Rate != 0, j.Delay != 0, j.On != nil, j.OnDemand,
	} {
		if given {
			n++
		}
	}
	return n
}

// resolveOnDemand is resolve for a job that has no times of its own. Options about these are
// refused, and defaults about them do not matter.
func resolveOnDemand(
	s *run.Settings, opts []TaskOption,
) (o series.Options, period int64, err error) {
	if o, err = run.Resolve(&run.Settings{}, opts); err != nil {
		return o, 0, err
	}
	if o.MaxRuns > 0 || o.Jitter > 0 || !o.From.IsZero() || !o.Until.IsZero() ||
		o.BackOff.Factor > 0 || o.DelayBy != nil {
		return o, 0, invalid("a job on demand has no times, so none of From, Until, MaxRuns," +
			" Jitter, SlowDown and DelayBy")
	}
	var defaults run.Settings
	if s.Defaults != nil {
		d := timeless(*s.Defaults)
		defaults.Defaults = &d
	}
	return run.ResolveSeries(&defaults, never, run.FixedDelay, opts)
}

// timeless returns options without those about the times of a series.
func timeless(o series.Options) series.Options {
	o.From, o.Until, o.MaxRuns, o.Jitter = time.Time{}, time.Time{}, 0, 0
	o.BackOff, o.DelayBy = series.BackOff{}, nil
	return o
}
