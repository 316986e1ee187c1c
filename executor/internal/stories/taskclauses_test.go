package stories_test

import (
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

func (t *task) add(o executor.TaskOption) { t.opts = append(t.opts, o) }

// catchUp makes a clause that sets a policy.
func catchUp(p executor.CatchUpPolicy) func(*task, args) {
	return func(t *task, _ args) { t.add(executor.CatchUp(p)) }
}

// waits returns the steps of a task that is going to wait for another one. That runs in its place,
// but on another goroutine, so there are two workers at the moment when the wait is over.
func (t *task) waits() *steps {
	t.stage.trace.several = true
	return t.body.always()
}

// taskClauses may follow a command that submits a task.
var taskClauses = []phrase[*task]{
	{"first after D", func(t *task, a args) { d := a.time(0); t.initial = &d }},
	{"coalesce", catchUp(executor.Coalesce)},
	{"skip", catchUp(executor.Skip)},
	{"shift", catchUp(executor.Shift)},
	{"at most N runs", func(t *task, a args) { t.add(executor.MaxRuns(a.number(0))) }},
	{"until D", func(t *task, a args) { t.add(executor.Until(t.stage.trace.start.Add(a.time(0)))) }},
	{"any failure ends it", func(t *task, a args) { t.add(executor.FailurePolicy(executor.StopSeries)) }},
	{"no failure ends it", func(t *task, a args) { t.add(executor.FailurePolicy(executor.Continue)) }},
	{"pauses after N failures", func(t *task, a args) { t.add(executor.PauseAfter(a.number(0))) }},
	{"slows down by N up to D", func(t *task, a args) {
		t.add(executor.SlowDown(float64(a.number(0)), a.time(1)))
	}},
	{"timeout D", func(t *task, a args) { t.add(executor.Timeout(a.time(0))) }},
	{"begins within D", func(t *task, a args) { t.add(executor.BeginWithin(a.time(0))) }},
	{"up to N attempts D apart", func(t *task, a args) {
		t.add(executor.Retry(a.number(0),
			retry.Backoff{Base: a.time(1), Factor: 1, Spread: retry.NoSpread}))
	}},
	{"up to N attempts doubling from D", func(t *task, a args) {
		t.add(executor.Retry(a.number(0),
			retry.Backoff{Base: a.time(1), Spread: retry.NoSpread}))
	}},
	{"priority N", func(t *task, a args) { t.add(executor.Priority(a.number(0))) }},
	{"unique", func(t *task, a args) { t.add(executor.Unique()) }},

	{"run N takes D", func(t *task, a args) { t.body.only(run, a).sleep(a.time(1)) }},
	{"run N fails", func(t *task, a args) { t.body.only(run, a).fail() }},
	{"run N leaves its work out", func(t *task, a args) { t.body.only(run, a).skip() }},
	{"run N panics", func(t *task, a args) { t.body.only(run, a).panic() }},
	{"run N asks for the next run in D", func(t *task, a args) {
		t.body.only(run, a).nextIn(a.time(1))
	}},
	{"attempt N fails", func(t *task, a args) { t.body.only(attempt, a).fail() }},
	{"attempt N leaves its work out", func(t *task, a args) { t.body.only(attempt, a).skip() }},
	{"attempt N panics", func(t *task, a args) { t.body.only(attempt, a).panic() }},
	{"attempt N asks for the next in D", func(t *task, a args) {
		t.body.only(attempt, a).retryAfter(a.time(1))
	}},
	{"attempt N gives up", func(t *task, a args) { t.body.only(attempt, a).giveUp() }},

	{"takes D", func(t *task, a args) { t.body.always().sleep(a.time(0)) }},
	{"takes D but ends D after its context", func(t *task, a args) {
		t.body.always().heed(a.time(0), a.time(1))
	}},
	{"fails", func(t *task, a args) { t.body.always().fail() }},
	{"leaves its work out", func(t *task, a args) { t.body.always().skip() }},
	{"panics", func(t *task, a args) { t.body.always().panic() }},
	{"calls Goexit", func(t *task, a args) { t.body.always().goexit() }},
	{"submits W", func(t *task, a args) { t.body.always().submit(a.word(0)) }},
	{"waits for W", func(t *task, a args) { t.waits().await(a.word(0)) }},
	{"waits D for W", func(t *task, a args) { t.waits().awaitFor(a.time(0), a.word(1)) }},
	{"cancels W", func(t *task, a args) { t.body.always().cancel(a.word(0)) }},
	{"closes the pool", func(t *task, a args) { t.body.always().closePool() }},
}
