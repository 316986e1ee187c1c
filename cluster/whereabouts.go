package cluster

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// whereabouts is what a list knows of the workers and consumers as it begins.
type whereabouts struct {
	tasks   map[string]*jetstream.ConsumerInfo // by token; those that were ever served
	armed   map[string]uint64                  // how much waits, by task, as far as that is counted
	stored  uint64                             // messages of the queue
	workers []Worker
	running map[string]runningAt // by task and ID
}

// runningAt is a run, and where it is.
type runningAt struct {
	RunningRow
	instance string
}

func runKeyOf(task, id string) string { return task + "\x00" + id }

func (p *Pool) whereabouts(ctx context.Context) (*whereabouts, error) {
	c := &whereabouts{tasks: map[string]*jetstream.ConsumerInfo{}, armed: map[string]uint64{},
		running: map[string]runningAt{}}
	consumers, err := p.consumers(ctx)
	if err != nil {
		return nil, err
	}
	for _, info := range consumers {
		if p.ofTask(info) {
			c.tasks[info.Config.Durable] = info
		} else if task, ok := countedBy(info); ok {
			c.armed[task] = info.NumPending
		}
	}
	info, err := p.stream.Info(ctx)
	if err != nil {
		return nil, err
	}
	c.stored = info.State.Msgs
	if c.workers, err = p.allWorkers(ctx); err != nil {
		return nil, err
	}
	for _, w := range c.workers {
		for _, r := range w.Running {
			c.running[runKeyOf(r.Task, r.ID)] = runningAt{r, w.Instance}
		}
	}
	return c, nil
}

// state is that of a run that is on the queue.
func (c *whereabouts) state(at place, sequence uint64) State {
	if of := c.tasks[at.task()]; of != nil && sequence <= of.Delivered.Stream {
		return StateHeld
	}
	return StateDue
}

// expected is how many messages of a task there are on the queue, or of any for none: those that
// wait, those that are due or held, or both. It is the most there can be where that is not known.
func (c *whereabouts) expected(how, task string) uint64 {
	var due uint64
	for name, info := range c.tasks {
		if task == "" || name == token(task) {
			due += info.NumPending + uint64(info.NumAckPending)
		}
	}
	armed, counted := c.armed[token(task)]
	switch {
	case how == "run":
		return due
	case task == "" || !counted:
		return c.stored
	case how == "arm":
		return armed
	}
	return armed + due
}

// delivered is up to where the server has given out the runs of a task, or of any for none.
func (c *whereabouts) delivered(task string) (last uint64) {
	for name, info := range c.tasks {
		if task == "" || name == token(task) {
			last = max(last, info.Delivered.Stream)
		}
	}
	return last
}

// consumers are those of tasks.
func (c *whereabouts) consumers() (list []*jetstream.ConsumerInfo) {
	for _, info := range c.tasks {
		list = append(list, info)
	}
	return list
}
