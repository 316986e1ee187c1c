package workflow

import (
	"github.com/punctual-go/punctual/executor"
)

// network is the jobs of one call of Apply, and what follows what.
type network struct {
	nodes []*node
	named map[string]*node
	from  map[string][]*edge // by the upstream job
}

// node is a job of a network.
type node struct {
	*progress
	name     string
	any      bool
	disabled bool
	after    []*edge
}

// progress is what a job has been through, which outlasts its network.
type progress struct {
	owed    []Cause // of runs that could not be asked for, or have not begun
	asked   []batch // of runs that have been asked for, and have not begun
	running batch   // of the run in progress, or the last one
}

// edge leads from a job to one that follows it. It outlasts its network.
type edge struct {
	from, to string
	when     Condition
	met      Cause  // of runs that count, and have led to none yet
	unmet    uint64 // runs that did not count
	last     outcome
	lastErr  error
}

// batch is a run of a task, and its causes.
type batch struct {
	task   executor.Handle
	number uint64
	causes []Cause
}

// asker asks tasks to run.
type asker interface {
	// ask returns the task of a job, and the number of the run that it will have, or false if it
	// has none.
	ask(name string) (task executor.Handle, number uint64, ok bool)
}

// newNetwork returns the network of jobs that have been checked, with what is known from an earlier
// one.
func newNetwork(jobs []Job, earlier *network) *network {
	n := &network{named: map[string]*node{}, from: map[string][]*edge{}}
	for _, j := range jobs {
		at := &node{progress: new(progress), name: j.Name, any: j.Any, disabled: j.Disabled}
		n.nodes = append(n.nodes, at)
		n.named[j.Name] = at
		before := earlier.named[j.Name]
		if before != nil && !before.disabled && !j.Disabled {
			at.progress = before.progress
		}
		for _, up := range j.After {
			n.link(at, before.edge(up), up)
		}
	}
	return n
}

// link has a job follow another one, by an edge that has been there, unless that is nil. A job that
// is disabled learns of nothing.
func (n *network) link(at *node, e *edge, up Upstream) {
	if e == nil || at.disabled {
		e = &edge{from: up.Name, to: at.name, when: up.When}
	}
	at.after = append(at.after, e)
	if !at.disabled {
		n.from[up.Name] = append(n.from[up.Name], e)
	}
}

// edge returns the edge to a job from another, or nil.
func (at *node) edge(up Upstream) *edge {
	if at == nil || at.disabled {
		return nil
	}
	for _, e := range at.after {
		if e.from == up.Name && e.when == up.When {
			return e
		}
	}
	return nil
}

// note takes down a run that has ended.
func (e *edge) note(how outcome, last executor.LastRun) {
	e.last, e.lastErr = how, last.Err
	if !e.when.met(how) {
		e.unmet++
		return
	}
	e.met.Name = e.from
	e.met.Runs++
	e.met.Missed += last.Missed
	e.met.Last = last
}

// isReady reports whether enough runs have ended for one of the job.
func (at *node) isReady() bool {
	some, all := false, true
	for _, e := range at.after {
		met := e.met.Runs > 0
		some, all = some || met, all && met
	}
	return some && (all || at.any)
}

// follow asks for a run of the job if it is ready.
func (at *node) follow(a asker) {
	if at.disabled || !at.isReady() {
		return
	}
	var causes []Cause
	for _, e := range at.after {
		if e.met.Runs > 0 {
			causes = append(causes, e.met)
		}
		e.met = Cause{}
	}
	at.owed = merged(at.owed, causes)
	at.demand(a)
}

// demand asks for the run that is owed.
func (at *node) demand(a asker) {
	task, number, ok := a.ask(at.name)
	if !ok {
		return
	}
	causes := at.owed
	at.owed = nil
	kept := at.asked[:0]
	for _, b := range at.asked {
		if b.task == task && b.number+1 == number { // it has begun, maybe a moment ago
			kept = append(kept, b)
		} else {
			causes = merged(b.causes, causes)
		}
	}
	at.asked = append(kept, batch{task, number, causes})
}

// revive asks again for a run that a task has not had which is no longer that of the job.
func (at *node) revive(a asker, task executor.Handle) {
	for _, b := range at.asked {
		if b.task != task {
			at.demand(a)
			return
		}
	}
}

// begin returns the causes of a run that begins, or of another attempt of it.
func (at *node) begin(task executor.Handle, number uint64) []Cause {
	if at.running.task == task && at.running.number == number {
		return at.running.causes
	}
	at.running = batch{task: task, number: number}
	kept := at.asked[:0]
	for _, b := range at.asked {
		if b.task == task && b.number <= number {
			at.running.causes = merged(at.running.causes, b.causes)
		} else {
			kept = append(kept, b)
		}
	}
	at.asked = kept
	return at.running.causes
}

// ended takes down a run of a job that has ended, and asks for those of the jobs that follow it.
// Next is the network that is about to take the place of n, or nil.
func (n *network) ended(a asker, name string, how outcome, last executor.LastRun, next *network) {
	for _, e := range n.from[name] {
		e.note(how, last)
	}
	if next != nil {
		for _, e := range next.from[name] {
			if !n.has(e) {
				e.note(how, last)
			}
		}
	}
	for _, e := range n.from[name] {
		n.named[e.to].follow(a)
	}
}

// has reports whether an edge is one of n.
func (n *network) has(e *edge) bool {
	for _, own := range n.from[e.from] {
		if own == e {
			return true
		}
	}
	return false
}
