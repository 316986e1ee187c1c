package metrics

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/runlog"
)

// sight is what has been seen of a pool or loop.
type sight struct {
	executor.Stats
	insight.Measurements
	counted  bool // it has Stats; else only its health is known
	loop     bool // then Stats has only what loops have
	measured bool
	tasks    []insight.TaskMeasurements // by name, those without a name last; none unmeasured
	loners   []loner
	longest  time.Duration
	health   insight.Health
	runs     *runlog.Log // nil if it is not known how far runs are
	named    string      // what the pool is named there
}

// loner is a periodic task of which there is one with its name.
type loner struct {
	name   string
	next   time.Time     // zero if there is none
	period time.Duration // 0 if there is none
}

func see(from source) *sight {
	s := &sight{health: from.Insight().Health(), counted: true, runs: from.runs, named: from.told}
	switch from := from.Source.(type) {
	case interface{ Stats() executor.Stats }:
		s.Stats = from.Stats()
		if isScheduled(from) {
			s.Maximum = max(s.Core, 1)
		}
	case interface{ Stats() eventloop.Stats }:
		s.loop, s.Stats = true, loopStats(from.Stats())
	default:
		s.counted = false
	}
	if s.measured = s.Late != nil; !s.measured {
		return s
	}
	s.Measurements = from.Insight().Measurements()
	s.tasks = byName(s.Measurements)
	s.longest = longestOf(from)
	s.loners = lonersOf(from, s.Measurements.Tasks)
	return s
}

// isScheduled reports whether this is a scheduled pool, or has one within. Such a pool has as many
// workers as its core size says, though its maximum size is not bounded.
func isScheduled(from any) bool {
	_, ok := from.(interface {
		Schedule(time.Duration, executor.Task, ...executor.TaskOption) (
			*executor.ScheduledFuture[struct{}], error)
	})
	return ok
}

// loopStats returns what a loop has of the Stats of a pool. Its goroutine is its one worker.
func loopStats(l eventloop.Stats) executor.Stats {
	return executor.Stats{
		Name: l.Name, State: l.State, Core: 1, Maximum: 1, Workers: 1, Busy: l.Busy,
		Queued: l.Queued, Accepted: l.Accepted, Rejected: l.Rejected, Completed: l.Completed,
		Cancelled: l.Cancelled, Returned: l.Returned, Runs: l.Runs, Failures: l.Failures,
		Skipped: l.Skipped, Retries: l.Retries, Expired: l.Expired, TimedOut: l.TimedOut,
		Wakeups: l.Wakeups, Late: l.Late, Took: l.Took,
	}
}

// longestOf returns for how long the longest run has been running. Only a pool that measures is
// asked: another one would have to read the clock for each run from then on.
func longestOf(from source) time.Duration {
	asked, ok := from.Source.(interface{ Running() []executor.Running })
	if !ok {
		return 0
	}
	if running := asked.Running(); len(running) > 0 {
		return max(running[0].For, 0)
	}
	return 0
}

// lonersOf returns the periodic tasks whose names no other has, among those that have been
// measured and those that are still to have their first run, as long as there are not too many.
func lonersOf(from source, tasks []insight.TaskMeasurements) (found []loner) {
	asked, ok := from.Source.(interface{ Series() []executor.Handle })
	if !ok {
		return nil
	}
	byName := map[string][]executor.Handle{}
	for _, h := range asked.Series() {
		byName[h.Name()] = append(byName[h.Name()], h)
	}
	for _, name := range append(namesOf(tasks), newcomers(byName, tasks)...) {
		if len(byName[name]) != 1 || name == "" || valid(name) != name {
			continue
		}
		h := byName[name][0]
		l := loner{name: name, period: h.Period()}
		if next, ok := h.Next(); ok {
			l.next = next
		}
		found = append(found, l)
	}
	return found
}

func namesOf(tasks []insight.TaskMeasurements) []string {
	names := make([]string, 0, len(tasks))
	for _, t := range tasks {
		names = append(names, t.Name)
	}
	return names
}

// newcomers returns the names of series of which nothing has been measured yet.
func newcomers(
	series map[string][]executor.Handle, tasks []insight.TaskMeasurements,
) (names []string) {
	if len(tasks) >= mostNames {
		return nil
	}
	measured := map[string]bool{}
	for _, t := range tasks {
		measured[t.Name] = true
	}
	for name := range series {
		if !measured[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), mostNames-len(tasks))]
}
