package pairs

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/executor/workflow"
	"github.com/punctual-go/punctual/internal/shardcount"
	"github.com/punctual-go/punctual/internal/trust/figures"
)

// host is the executor that is tried, with what is built on it. Nothing in it changes once it is
// open.
type host struct {
	executor executorHost            // whichever of these there is
	pool     *executor.Pool          // nil for a loop
	sched    *executor.ScheduledPool // nil for a plain pool and a loop
	flow     *workflow.Workflow      // that has its jobs, which follow none
	loop     *eventloop.Loop         // nil for a pool

	serials [2]*serial.Serial
	keyed   *serial.Keyed[int]
	group   *bulk.Group
	service *bulk.CompletionService[int]
}

// executorHost is what pools and loops have in common.
type executorHost interface {
	executor.Submitter
	Shutdown()
	ShutdownNow() []executor.Pending
	Close() error
	CloseContext(ctx context.Context) (executor.Report, error)
	AwaitTermination(ctx context.Context) error
	Terminated() <-chan struct{}
	Running() []executor.Running
	Insight() insight.View
}

// open makes the executor of a program, and what is built on it.
func (h *host) open(p *program, all []executor.Option, lanes []serial.Option) {
	size := p.size
	if p.single {
		size, all = 1, append(all, executor.Confined())
	}
	switch p.host {
	case loop:
		h.openLoop(all)
	case scheduled:
		shardcount.Set(shardcount.Counts[p.seed%uint64(len(shardcount.Counts))])
		h.sched = executor.NewScheduledPool(size, all...)
		h.flow = workflow.New(h.sched)
		h.pool, h.executor = &h.sched.Pool, h.sched
	case plain:
		h.pool = executor.NewPool(size, all...)
		h.executor = h.pool
	}
	if h.pool != nil {
		for i := range h.serials {
			h.serials[i] = serial.New(h.executor, lanes...)
		}
		h.keyed = serial.NewKeyed[int](h.executor, lanes...)
	}
	h.group = bulk.NewGroup(context.Background(), h.executor)
	h.service = bulk.NewCompletionService[int](h.executor)
}

func (h *host) openLoop(all []executor.Option) {
	var own []eventloop.Option
	for _, o := range all {
		own = append(own, o.(executor.CommonOption))
	}
	h.loop = eventloop.New(own...)
	h.executor = h.loop
}

func (h *host) timed() executor.ScheduledSubmitter {
	if h.loop != nil {
		return h.loop
	}
	return h.sched
}

// serial returns the lane of a task.
func (h *host) serial(r *record) *serial.Serial { return h.serials[r.t.lane] }

func (h *host) ended() bool { return closed(h.executor.Terminated()) }

// find returns the handle of the task of that name; a loop finds none.
func (h *host) find(name string) (found executor.Handle, ok bool) {
	if h.pool == nil {
		return found, false
	}
	for t := range h.pool.Tasks() {
		if t.Name() == name {
			return t, true
		}
	}
	return found, false
}

// has reports whether the pool finds a task by its unique name.
func (h *host) has(name string) bool {
	if h.pool == nil {
		return false
	}
	_, ok := h.pool.Lookup(name)
	return ok
}

// queued returns the tasks that wait; a loop lists none.
func (h *host) queued() []executor.Pending {
	if h.pool == nil {
		return nil
	}
	return h.pool.Queued()
}

// stats are the statistics that pools and loops have in common, and those of pools.
type stats struct {
	executor.Stats
}

func (h *host) stats() (s stats) {
	if h.pool != nil {
		return stats{h.pool.Stats()}
	}
	c := h.loop.Stats()
	s.Stats = executor.Stats{
		Name: c.Name, State: c.State, Busy: c.Busy, Queued: c.Queued, Accepted: c.Accepted,
		Rejected: c.Rejected, Completed: c.Completed, Cancelled: c.Cancelled, Returned: c.Returned,
		Runs: c.Runs, Failures: c.Failures, Skipped: c.Skipped, Retries: c.Retries,
		Expired: c.Expired, TimedOut: c.TimedOut, Slack: c.Slack, Late: c.Late, Took: c.Took,
	}
	return s
}

// disagreements returns where the executor tells two things of the same, beside what observers were
// told and what it has recorded.
func (h *host) disagreements(told *figures.Tally, tape []byte) []string {
	switch {
	case h.loop != nil:
		return figures.OfLoop(h.loop, told, tape).Disagreements()
	case h.sched != nil:
		return figures.OfPool(h.sched, told, tape).Disagreements()
	}
	return figures.OfPool(h.pool, told, tape).Disagreements()
}
