package stories_test

import (
	"log/slog"
	"strings"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
)

// making is a pool that is being made.
type making struct {
	stage     *stage
	most      int // workers
	opts      []executor.Option
	periodic  bool // tasks go on after a shutdown
	noDelayed bool // tasks run after a shutdown
}

func (m *making) add(o executor.Option) { m.opts = append(m.opts, o) }

// poolClauses may follow the command that makes a pool.
var poolClauses = []phrase[*making]{
	{"at most N workers", func(m *making, a args) {
		m.most = a.number(0)
		m.add(executor.MaximumSize(m.most))
	}},
	{"keeps idle workers for D", func(m *making, a args) { m.add(executor.KeepAlive(a.time(0))) }},
	{"a queue of N", func(m *making, a args) { m.add(executor.Queue(queue.Bounded(a.number(0)))) }},
	{"no queue", func(m *making, a args) { m.add(executor.Queue(queue.HandOff())) }},
	{"a queue by priority", func(m *making, a args) { m.add(executor.Queue(queue.Priority())) }},
	{"at most N wait", func(m *making, a args) { m.add(executor.PendingLimit(a.number(0))) }},
	{"if it is full discard", func(m *making, a args) {
		m.add(executor.OnRejection(rejection.Discard))
	}},
	{"if it is full discard the oldest", func(m *making, a args) {
		m.add(executor.OnRejection(rejection.DiscardOldest))
	}},
	{"if it is full the caller waits", func(m *making, a args) {
		m.add(executor.OnRejection(rejection.Block))
	}},
	{"if it is full the caller runs", func(m *making, a args) {
		m.add(executor.OnRejection(rejection.CallerRuns))
	}},
	{"at most N start|starts per D", func(m *making, a args) {
		m.add(executor.Pace(a.number(0), a.time(1)))
	}},
	{"explains what is late", func(m *making, a args) {
		m.add(executor.Observe(m.stage.explainer()))
	}},
	{"series go on after a shutdown", func(m *making, a args) { m.periodic = true }},
	{"what is not due at a shutdown is dropped", func(m *making, a args) { m.noDelayed = true }},
}

// options are those of the clauses and those that show what happens.
func (m *making) options() []executor.Option {
	return append(m.opts, executor.Observe(m.stage.observer()),
		executor.Logger(slog.New(log{m.stage.trace})),
		executor.AfterTermination(func() { m.stage.trace.see("", other, "the pool has terminated") }))
}

func (c *command) makePool(a args) {
	m := &making{stage: c.stage, most: a.number(0)}
	take(c, poolClauses, m)
	c.stage.pool = executor.NewPool(a.number(0), m.options()...)
	c.stage.trace.several = m.most > 1
}

func (c *command) makeScheduledPool(a args) {
	m := &making{stage: c.stage, most: a.number(0)}
	take(c, poolClauses, m)
	c.stage.scheduled = executor.NewScheduledPool(a.number(0), m.options()...)
	c.stage.pool = &c.stage.scheduled.Pool
	c.stage.trace.several = m.most > 1
	c.stage.scheduled.SetContinuePeriodicAfterShutdown(m.periodic)
	c.stage.scheduled.SetExecuteDelayedAfterShutdown(!m.noDelayed)
}

// laneClauses may follow the command that makes a serial executor.
var laneClauses = []phrase[*[]serial.Option]{
	{"a gap of D", func(opts *[]serial.Option, a args) {
		*opts = append(*opts, serial.Gap(a.time(0)))
	}},
	{"at most N start|starts per D", func(opts *[]serial.Option, a args) {
		*opts = append(*opts, executor.Pace(a.number(0), a.time(1)))
	}},
}

func (c *command) makeSerial(a args) {
	var opts []serial.Option
	take(c, laneClauses, &opts)
	c.stage.lanes[a.word(0)] = serial.New(c.stage.pool, opts...)
}

func (c *command) makeKeyed(args) {
	var opts []serial.Option
	take(c, laneClauses, &opts)
	c.stage.keyed = serial.NewKeyed[string](c.stage.pool, opts...)
}

// jobs are those that a story applies.
type jobs struct {
	stage *stage
	list  []executor.Job
}

// jobClauses may follow the command that applies jobs.
var jobClauses = []phrase[*jobs]{
	{"W every D", func(j *jobs, a args) {
		j.list = append(j.list, executor.Job{
			Name: a.word(0), Rate: a.time(1), Initial: a.time(1),
			Task: new(body).task(j.stage, a.word(0)),
		})
	}},
	{"in version W", func(j *jobs, a args) { j.list[len(j.list)-1].Version = a.word(0) }},
}

// changesText is what Apply has answered.
func changesText(c executor.Changes, err error) string {
	if err != nil {
		return result(err)
	}
	var texts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			texts = append(texts, what+" "+strings.Join(names, " "))
		}
	}
	add("added", c.Added)
	add("changed", c.Changed)
	add("removed", c.Removed)
	add("unchanged", c.Unchanged)
	return strings.Join(texts, ", ")
}
