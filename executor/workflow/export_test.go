package workflow

import (
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/cell"
)

// Core is what a workflow knows, over tasks that are not there.
type Core struct {
	network *network
	Tasks   map[string]*Task
}

// Task is one of them.
type Task struct {
	handle  executor.Handle
	Paused  bool
	Waiting bool // for a run that has been asked for
	Begun   uint64
}

// NewCore returns the core of jobs, or an error in words.
func NewCore(jobs []Job) (*Core, string) {
	jobs, wrong := completed(jobs)
	if wrong != nil {
		return nil, wrong.text
	}
	c := &Core{network: newNetwork(jobs, newNetwork(nil, new(network))), Tasks: map[string]*Task{}}
	for _, j := range jobs {
		c.Tasks[j.Name] = &Task{handle: executor.Handle(cell.RefTo(new(cell.Cell)))}
	}
	return c, ""
}

func (c *Core) ask(name string) (task executor.Handle, number uint64, ok bool) {
	t := c.Tasks[name]
	if t.Paused {
		return t.handle, 0, false
	}
	t.Waiting = true
	return t.handle, t.Begun + 1, true
}

// Ended is a run of a job that ends.
func (c *Core) Ended(name string, success, failure bool) {
	how := skipped
	switch {
	case success:
		how = succeeded
	case failure:
		how = failed
	}
	c.network.ended(c, name, how, executor.LastRun{Run: executor.Run{Name: name}}, nil)
}

// Begin is a run of a job that begins.
func (c *Core) Begin(name string) []Cause {
	t := c.Tasks[name]
	t.Begun++
	t.Waiting = false
	return c.network.named[name].begin(t.handle, t.Begun)
}

// Replace gives a job another task.
func (c *Core) Replace(name string) {
	t := c.Tasks[name]
	*t = Task{handle: executor.Handle(cell.RefTo(new(cell.Cell))), Paused: t.Paused}
	c.network.named[name].revive(c, t.handle)
}
