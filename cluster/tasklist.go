package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TaskSummary is what there is of one task: of its name, its series included.
type TaskSummary struct {
	Task    string `json:"task"`
	Waiting uint64 `json:"waiting"` // for their time: series, and tasks that wait for their next attempt, too
	Due     uint64 `json:"due"`     // or will be within a second, and no worker has them
	Held    int    `json:"held"`    // given to workers: they run, or are about to, or were given back

	// Repeated are those of them that were given out before: their worker died, or gave them back.
	Repeated int `json:"repeated"`

	// Oldest is since when the oldest of what is due waits for a worker, and Age for how long that
	// is: how far the workers are behind. They are zero if nothing is due.
	Oldest time.Time     `json:"oldest,omitzero"`
	Age    time.Duration `json:"age,omitzero"`

	// Workers is how many processes serve the task. If there is none, what is due stays so.
	Workers int `json:"workers"`
}

// Tasks returns a summary of each task, in the order of their names: of all that were ever
// submitted, declared or served, by this version of the package or a later one, and all that were
// ever served by an earlier one. A name that nobody serves is one with zero Workers.
//
// It costs five requests, and one more for each task of which something is due: some milliseconds.
// The first time after the server's start it takes longer where nobody serves: 0.3 s for each
// million tasks that wait. Waiting may be wrong by one or two. Errors are those of [Submit].
func (p *Pool) Tasks(ctx context.Context) (list []TaskSummary, err error) {
	err = p.list(ctx, "tasks", func(ctx context.Context) error {
		list = []TaskSummary{}
		c, err := p.whereabouts(ctx)
		if err != nil {
			return err
		}
		tasks, err := p.taskNames(ctx, c.consumers())
		for _, task := range tasks {
			summary, err := p.summary(ctx, c, task)
			if err != nil {
				return err
			}
			list = append(list, summary)
		}
		return err
	})
	return list, err
}

func (p *Pool) summary(ctx context.Context, c *whereabouts, task string) (s TaskSummary, err error) {
	s.Task = task
	if s.Waiting, err = p.waiting(ctx, c, task); err != nil {
		return s, err
	}
	for _, w := range c.workers {
		if slices.Contains(w.Tasks, task) {
			s.Workers++
		}
	}
	from := uint64(1)
	if of := c.tasks[token(task)]; of != nil {
		s.Due, s.Held, s.Repeated = of.NumPending, of.NumAckPending, of.NumRedelivered
		from = of.Delivered.Stream + 1
		if s.Due == 0 {
			return s, nil
		}
	} else if s.Due, err = p.unserved(ctx, task); s.Due == 0 || err != nil {
		return s, err
	}
	return s, p.oldest(ctx, &s, from)
}

// waiting is how much waits of a task.
func (p *Pool) waiting(ctx context.Context, c *whereabouts, task string) (uint64, error) {
	if n, counted := c.armed[token(task)]; counted {
		return n, nil
	}
	made, err := p.counting(ctx, task)
	if err != nil {
		return 0, err
	}
	return made.NumPending, nil
}

// unserved is how much is due of a task that nobody has ever served.
func (p *Pool) unserved(ctx context.Context, task string) (uint64, error) {
	v, err := p.view(ctx, p.stream, 1, 1, true, p.on.runs(task))
	if err != nil {
		return 0, err
	}
	v.close()
	return v.pending, nil
}

// oldest finds since when the first run waits that is due, from a sequence on.
func (p *Pool) oldest(ctx context.Context, s *TaskSummary, from uint64) error {
	m, err := p.stream.GetMsg(ctx, from, jetstream.WithGetMsgSubject(p.on.runs(s.Task)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil // it was given out meanwhile
	}
	if err != nil {
		return err
	}
	if s.Oldest = dueOf(m.Header); s.Oldest.IsZero() || s.Oldest.Before(m.Time) {
		s.Oldest = m.Time
	}
	s.Age = max(p.now().Sub(s.Oldest), 0)
	return nil
}
