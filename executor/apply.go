package executor

import (
	"cmp"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
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

	// Version says whether Task has changed, as functions cannot be compared: a number, a hash of
	// its configuration, or anything else that differs. The functions and contexts among the
	// options belong to it too, and what cannot be compared of a calendar.
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
	checked := make([]engine.Job, 0, len(jobs))
	for i, j := range jobs {
		if j.Name == "" {
			return Changes{}, p.misused(nil, invalid("job %d has no name", i))
		}
		o, period, err := j.resolve(&p.runs().Settings)
		if err != nil {
			return Changes{}, p.misused([]TaskOption{Name(j.Name)}, err)
		}
		if slices.ContainsFunc(checked, func(c engine.Job) bool { return c.Name == j.Name }) {
			return Changes{}, p.misused(nil, invalid("job %q is given twice", j.Name))
		}
		checked = append(checked, engine.Job{Name: j.Name, Task: run.Kept(&o, j.Task),
			Initial: cmp.Or(j.Every, j.Initial),
			Period:  period, On: j.On, Options: o, Version: j.Version})
	}
	changes, err := p.jobs.Apply(checked)
	return Changes(changes), err
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
	if kinds != 1 {
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
