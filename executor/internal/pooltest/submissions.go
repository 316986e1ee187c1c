package pooltest

import (
	"cmp"
	"errors"
	"iter"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Submission is one way to give a task to a pool.
type Submission func(
	p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
) error

// Submissions returns all ways to give a task to a pool, by name: first those for now, then those
// for later, which means after delay.
func Submissions(delay time.Duration) iter.Seq2[string, Submission] {
	all := []struct {
		name   string
		submit Submission
	}{
		{"Execute", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			return p.Execute(task, opts...)
		}},
		{"Submit", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			f, err := p.Submit(task, opts...)
			return consistent(f == nil, err)
		}},
		{"typed Submit", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			f, err := executor.Submit(p, Typed(task), opts...)
			return consistent(f == nil, err)
		}},
		{"ExecuteAfter", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			return p.ExecuteAfter(delay, task, opts...)
		}},
		{"Schedule", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			f, err := p.Schedule(delay, task, opts...)
			return consistent(f == nil, err)
		}},
		{"typed Schedule", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			f, err := executor.Schedule(p, delay, Typed(task), opts...)
			return consistent(f == nil, err)
		}},
		{"ScheduleAt", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			f, err := p.ScheduleAt(time.Now().Add(delay), task, opts...)
			return consistent(f == nil, err)
		}},
		{"Every", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			f, err := p.Every(cmp.Or(delay, time.Hour), task, opts...)
			if f != nil && delay == 0 {
				f.Reset(0) // as the others
			}
			return consistent(f == nil, err)
		}},
		{"AtFixedRate", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			f, err := p.AtFixedRate(delay, time.Hour, task, opts...)
			return consistent(f == nil, err)
		}},
		{"WithFixedDelay", func(
			p *executor.ScheduledPool, task executor.Task, opts ...executor.TaskOption,
		) error {
			f, err := p.WithFixedDelay(delay, time.Hour, task, opts...)
			return consistent(f == nil, err)
		}},
	}
	return func(yield func(string, Submission) bool) {
		for _, s := range all {
			if !yield(s.name, s.submit) {
				return
			}
		}
	}
}

var errHalf = errors.New("a future with an error, or neither")

func consistent(noFuture bool, err error) error {
	if noFuture != (err != nil) {
		return errHalf
	}
	return err
}
