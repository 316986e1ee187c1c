package pairs

import (
	"slices"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/workflow"
)

// apply makes the jobs of the life those that the pool has, with or without that of the record.
func (l *life) apply(r *record, with bool) {
	jobs, first := l.journal.plansJobs(r, with)
	err := l.applyJobs(r, jobs)
	if h, ok := l.host.pool.Lookup(r.t.name()); ok {
		l.journal.hasHandle(r, h)
	}
	if err == nil {
		l.journal.hasJobs()
	} else if first {
		l.journal.lacksJob(r)
	}
	if first || err == nil && with {
		l.answer(r, nil, err)
	}
}

// applyJobs applies jobs, as planned if it can, and notes that for one of them, even if a callback
// ends the goroutine.
func (l *life) applyJobs(r *record, jobs []executor.Job) (err error) {
	defer func() {
		l.journal.moving(r, move{what: "apply", from: l.now(), at: l.now()})
		if err != nil {
			l.course.refuses()
		}
	}()
	given := l.withFollower(jobs)
	plan, err := l.host.flow.Plan(given...)
	if err == nil {
		plan, err = l.host.flow.ApplyPlan(plan, given...)
	}
	if err != nil { // or the plan is stale
		plan, err = l.host.flow.Apply(given...)
	}
	if err == nil && slices.Contains(plan.Added, follower) {
		l.extras.add(1)
	}
	return err
}

// follower is a job that runs after each run of any other, and does nothing.
const follower = "follower"

// withFollower returns jobs with the one that follows them.
func (l *life) withFollower(jobs []executor.Job) []workflow.Job {
	last := workflow.Job{Any: true,
		Job: executor.Job{Name: follower, Task: l.extras.body, OnDemand: true}}
	var all []workflow.Job
	for _, j := range jobs {
		all = append(all, workflow.Job{Job: j})
		last.After = append(last.After, workflow.Upstream{Name: j.Name, When: workflow.Always})
	}
	return append(all, last)
}

// restarts starts the job of a record again, if it has ended, and reports whether it has.
func (l *life) restarts(r *record) bool {
	h, ok := l.host.sched.Job(r.t.name())
	if !ok || !h.State().Settled() {
		return false
	}
	if err := l.restartJob(r); err != nil {
		return false
	}
	if h, ok := l.host.sched.Job(r.t.name()); ok {
		l.journal.hasHandle(r, h)
	}
	return true
}

// restartJob is applyJobs for the restart of a job.
func (l *life) restartJob(r *record) (err error) {
	defer func() {
		l.journal.moving(r, move{what: "apply", from: l.now(), at: l.now()})
		if err != nil {
			l.course.refuses()
		}
	}()
	return l.host.sched.Restart(r.t.name())
}

// plansJobs returns the jobs of the life, from now on with or without that of the record, and
// whether that is the first of its calls.
func (j *journal) plansJobs(r *record, with bool) (jobs []executor.Job, first bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lacksJobLocked(r)
	if with {
		j.jobs = append(j.jobs, r)
	}
	for _, o := range j.jobs {
		jobs = append(jobs, o.job)
	}
	return jobs, !r.answered
}

// hasJobs notes that the pool has all the jobs. An earlier call may have been refused.
func (j *journal) hasJobs() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, o := range j.jobs {
		if o.answered {
			o.err = nil
		}
	}
}

// lacksJob notes that the job of a record is not among them.
func (j *journal) lacksJob(r *record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lacksJobLocked(r)
}

func (j *journal) lacksJobLocked(r *record) {
	j.jobs = slices.DeleteFunc(j.jobs, func(o *record) bool { return o == r })
}
