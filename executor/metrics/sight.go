package metrics

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// sight is what has been seen of a pool or loop.
type sight struct {
	executor.Stats
	executor.Measurements
	loop     bool // then Stats has only what loops have
	measured bool
	tasks    []executor.TaskMeasurements // by name, those without a name last; none unmeasured
	unique   []unique
	longest  time.Duration
	health   executor.Health
}

// unique is a task of which there is one with its name.
type unique struct {
	name   string
	next   time.Time     // zero if there is none
	period time.Duration // 0 if there is none
}

func see(from source) *sight {
	s := &sight{health: from.Health()}
	switch from := from.Source.(type) {
	case interface{ Stats() executor.Stats }:
		s.Stats = from.Stats()
		if isScheduled(from) {
			s.Maximum = max(s.Core, 1)
		}
	case interface{ Stats() eventloop.Stats }:
		s.loop, s.Stats = true, loopStats(from.Stats())
	}
	if s.measured = s.Late != nil; !s.measured {
		return s
	}
	s.Measurements = from.Measurements()
	s.tasks = byName(s.Measurements)
	s.longest = longestOf(from)
	s.unique = uniqueOf(from, s.Measurements.Tasks)
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
		Retries: l.Retries, Expired: l.Expired, TimedOut: l.TimedOut, Wakeups: l.Wakeups,
		Late: l.Late, Took: l.Took,
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

// uniqueOf looks up which names are those of unique tasks, among those that have been measured and
// those of series that are still to have their first run.
func uniqueOf(from source, tasks []executor.TaskMeasurements) (found []unique) {
	asked, ok := from.Source.(interface {
		Lookup(name string) (executor.Handle, bool)
	})
	if !ok {
		return nil
	}
	for _, name := range append(namesOf(tasks), newcomers(from, tasks)...) {
		h, ok := asked.Lookup(name)
		if !ok || valid(name) != name {
			continue
		}
		u := unique{name: name, period: h.Period()}
		if next, ok := h.Next(); ok {
			u.next = next
		}
		found = append(found, u)
	}
	return found
}

func namesOf(tasks []executor.TaskMeasurements) []string {
	names := make([]string, 0, len(tasks))
	for _, t := range tasks {
		names = append(names, t.Name)
	}
	return names
}

// newcomers returns the names of series of which nothing has been measured yet, as long as there
// are not too many names.
func newcomers(from source, tasks []executor.TaskMeasurements) (names []string) {
	asked, ok := from.Source.(interface{ Series() []executor.Handle })
	if !ok || len(tasks) >= mostNames {
		return nil
	}
	measured := map[string]bool{"": true}
	for _, t := range tasks {
		measured[t.Name] = true
	}
	for _, h := range asked.Series() {
		if !measured[h.Name()] {
			names = append(names, h.Name())
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), mostNames-len(tasks))]
}
