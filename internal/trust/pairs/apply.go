package pairs

import (
	"slices"

	"github.com/punctual-go/punctual/executor"
)

// apply makes the jobs of the life those that the pool has, with or without that of the record.
func (l *life) apply(r *record, with bool) {
	l.mu.Lock()
	l.jobs = slices.DeleteFunc(l.jobs, func(o *record) bool { return o == r })
	if with {
		l.jobs = append(l.jobs, r)
	}
	var jobs []executor.Job
	for _, o := range l.jobs {
		jobs = append(jobs, o.job)
	}
	first := !r.answered
	l.mu.Unlock()
	err := l.applyJobs(r, jobs)
	h, ok := l.pool.Lookup(r.t.name())
	l.mu.Lock()
	if ok {
		r.handle, r.handled = h, true
	}
	for _, o := range l.jobs { // an earlier call may have been refused
		if err == nil && o.answered {
			o.err = nil
		}
	}
	if err != nil && first {
		l.jobs = slices.DeleteFunc(l.jobs, func(o *record) bool { return o == r })
	}
	l.mu.Unlock()
	if first || err == nil && with {
		l.answer(r, nil, err)
	}
}

// applyJobs applies jobs and notes that for one of them, even if a callback ends the goroutine.
func (l *life) applyJobs(r *record, jobs []executor.Job) (err error) {
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		r.moves = append(r.moves, move{what: "apply", from: l.now(), at: l.now()})
		if err != nil {
			l.refusedAt = l.now()
		}
	}()
	_, err = l.sched.Apply(jobs...)
	return err
}
