package workflow

import (
	"fmt"

	"github.com/punctual-go/punctual/executor"
)

// Graph is a workflow as of one moment.
type Graph struct {
	Nodes []Node `json:"nodes"` // the jobs, in the order of Apply
	Edges []Edge `json:"edges"` // by the job that follows, in the order of its After
}

// Node is a job.
type Node struct {
	Name     string `json:"name"`
	Disabled bool   `json:"disabled,omitempty"`
	Paused   bool   `json:"paused,omitempty"`
	Ended    bool   `json:"ended,omitempty"` // its task has ended by itself, or was cancelled
	Any      bool   `json:"any,omitempty"`   // see [Job.Any]
	Asked    bool   `json:"asked,omitempty"` // a run has been asked for, and has not begun

	// Dropped counts upstream runs that have led to no run because the job was paused or had ended,
	// or the run has expired. The next one is told of them.
	Dropped uint64 `json:"dropped,omitempty"`

	// Waits says in words why a job that follows others is not asked to run; empty if it is, or
	// follows none. The words may change.
	Waits string `json:"waits,omitempty"`
}

// Edge leads from a job to one that follows it.
type Edge struct {
	From string    `json:"from"`
	To   string    `json:"to"`
	When Condition `json:"when"`

	Met   uint64 `json:"met,omitempty"`   // runs that count, and have not led to one yet
	Unmet uint64 `json:"unmet,omitempty"` // runs that did not count, in all
	Last  string `json:"last,omitempty"`  // how the last run has ended, in words
}

// Graph returns the jobs, what follows what, and what each of them waits for.
func (w *Workflow) Graph() (g Graph) {
	nodes, edges := w.look()
	named := map[string]*Node{}
	for i := range nodes {
		named[nodes[i].Name] = &nodes[i]
	}
	// Without the mutex: errors are the user's.
	for _, e := range edges {
		g.Edges = append(g.Edges, Edge{From: e.from, To: e.to, When: e.when,
			Met: e.met.Runs, Unmet: e.unmet, Last: e.ending()})
		named[e.to].waitBy(&e, named[e.from])
	}
	g.Nodes = nodes
	return g
}

// waitBy adds what a job waits for by one of its edges.
func (n *Node) waitBy(e *edge, from *Node) {
	switch {
	case n.Disabled:
		n.Waits = "it is disabled"
	case n.Ended:
		n.Waits = "it has ended"
	case n.Paused:
		n.Waits = "it is paused"
	case n.Asked, e.met.Runs > 0:
	case n.Waits == "":
		n.Waits = e.wait(from)
	case n.Any:
		n.Waits += " or " + e.wait(from)
	default:
		n.Waits += " and " + e.wait(from)
	}
}

// look returns the jobs, without what they wait for, and copies of the edges.
func (w *Workflow) look() (nodes []Node, edges []edge) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.now.nodes {
		nodes = append(nodes, w.node(at))
		for _, e := range at.after {
			edges = append(edges, *e)
		}
	}
	return nodes, edges
}

// node returns a job without what it waits for.
func (w *Workflow) node(at *node) Node {
	n := Node{Name: at.name, Disabled: at.disabled, Any: at.any}
	task, ok := w.pool.Job(at.name)
	n.Paused = ok && task.Paused()
	n.Ended = ok && task.State().Settled()
	n.Dropped = runsOf(at.owed)
	for _, b := range at.asked {
		if b.task == task && !n.Ended && isComing(task, b.number) {
			n.Asked = true
		} else {
			n.Dropped += runsOf(b.causes)
		}
	}
	return n
}

// isComing reports whether a run that has been asked for waits, or has begun a moment ago.
func isComing(task executor.Handle, number uint64) bool {
	_, waits := task.Next()
	return waits || task.Runs() >= number
}

// runsOf returns how many runs there are in causes.
func runsOf(causes []Cause) (n uint64) {
	for _, c := range causes {
		n += c.Runs
	}
	return n
}

// ending says how the last run of the upstream job has ended.
func (e *edge) ending() string {
	if e.last == failed && e.lastErr != nil {
		return fmt.Sprintf("failed: %v", e.lastErr)
	}
	return string(e.last)
}

// wait says what is waited for.
func (e *edge) wait(from *Node) string {
	text := fmt.Sprintf("for a run of %q", e.from)
	switch e.when {
	case OnSuccess:
		text = fmt.Sprintf("for a success of %q", e.from)
	case OnFailure:
		text = fmt.Sprintf("for a failure of %q", e.from)
	}
	switch {
	case from.Disabled:
		return text + ", which is disabled"
	case from.Ended:
		return text + ", which has ended"
	case from.Paused:
		return text + ", which is paused"
	case e.last != "" && e.unmet > 0 && !e.when.met(e.last):
		return text + ", whose last run " + e.ending()
	}
	return text
}
